// @ts-check
// Play in a page of one file, opened from disk: there is no server, the rules in the page answer.

import { Rules } from "./rules.js";
import { askInstead } from "./server.js";
import { element, recallTheme, themeButton } from "./parts.js";

/** Seeds that are drawn; as many as the server draws. */
const SEEDS = 1_000_000;

const rules = new Rules();

askInstead({
  send(address, body) {
    const isNew = address === "/api/play";
    return rules.ask(address, isNew ? { seed: Math.floor(Math.random() * SEEDS), ...body } : body);
  },
  showKept({ id, replay }) {
    const link = element("a", { download: `${replay.game}.json` }, "save the record");
    rules.ask(`/api/play/${id}/record`).then(({ said }) => {
      link.href = URL.createObjectURL(new Blob([said], { type: "application/json" }));
    });
    return link;
  },
});

/** Shows what can be chosen of a game, and how it is played. @param {string} game */
function choose(game) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById(`game-${game}`));
  const [fields, how] = [".fields", ".rules"].map((part) => /** @type {Node} */ (template.content.querySelector(part)).cloneNode(true));
  const form = /** @type {HTMLElement} */ (document.getElementById("invitation"));
  form.dataset.game = game;
  form.querySelector(".fields")?.replaceWith(fields);
  document.querySelector("#how .rules")?.replaceWith(how);
  form.dispatchEvent(new Event("input"));
}

const games = /** @type {HTMLSelectElement} */ (document.getElementById("game"));
games.addEventListener("change", () => choose(games.value));
choose(games.value);
// A match is not kept when the page is left: its address alone would lead nowhere.
history.replaceState(null, "", location.pathname);
recallTheme();
document.querySelector(".site")?.append(themeButton());
