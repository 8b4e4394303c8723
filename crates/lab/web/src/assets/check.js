// @ts-check
// A final that its visitor verifies: the page has the records and the rules inside, and asks for nothing.

import { element, recallTheme, themeButton } from "./parts.js";
import { Rules } from "./rules.js";

/** Records that are replayed between two looks at how far it is. */
const AT_ONCE = 20;

/** @param {string} id */
const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

const rules = new Rules();
const button = /** @type {HTMLButtonElement} */ (find("verify"));
const progress = /** @type {HTMLProgressElement} */ (find("progress"));
const verdict = find("verdict");

/** What the rules refuse of this final; everything else that fails says nothing about it. */
class Refusal extends Error {}

/** @param {string} address @param {object} [body] */
async function ask(address, body) {
  const { status, said } = await rules.ask(address, body);
  if (status === 422 && typeof said?.error === "string") throw new Refusal(said.error);
  if (status !== 200) throw new Error(said?.error ?? `the rules answer ${status}`);
  return said;
}

/** @param {string} id @returns {string[][]} the text of each cell of a table's body */
function cells(id) {
  const rows = [...find(id).querySelectorAll("tbody tr")];
  return rows.map((row) => [...row.children].map((cell) => cell.textContent ?? ""));
}

/**
 * Refuses a page that shows something else than what was verified.
 * @param {{commitment: string, standings: string[][], programs: string[][]}} shown
 */
function compare(shown) {
  if (find("commitment").textContent !== shown.commitment) {
    throw new Refusal(`this page shows another digest of the seed than ${shown.commitment}`);
  }
  for (const id of /** @type {const} */ (["standings", "programs"])) {
    const page = cells(id);
    for (let row = 0; row < Math.max(page.length, shown[id].length); row++) {
      const [here, verified] = [page[row] ?? [], shown[id][row] ?? []];
      if (here.length === verified.length && here.every((cell, at) => cell === verified[at])) continue;
      const [said, found] = [here, verified].map((line) => (line.length === 0 ? "nothing" : `“${line.join(" | ")}”`));
      throw new Refusal(`line ${row + 1} of the table of ${id} on this page says ${said}, but what was verified is ${found}`);
    }
  }
}

async function verify() {
  const records = (find("records").textContent ?? "").split("\n").filter((line) => line !== "");
  const { planned } = await ask("/begin", JSON.parse(find("final").textContent ?? ""));
  progress.max = planned;
  for (let place = 0; place < records.length; place += AT_ONCE) {
    await ask("/check", { place, records: records.slice(place, place + AT_ONCE) });
    progress.value = Math.min(place + AT_ONCE, planned);
  }
  const { matches, ranks, shown } = await ask("/finish");
  if (typeof shown?.commitment !== "string" || !Array.isArray(shown.standings) || !Array.isArray(shown.programs)) {
    throw new Error("they do not say what the page may show");
  }
  compare(shown);
  return `You have verified ${matches} matches: all seeds follow from the secret, every match ends by the rules as recorded, and the ${ranks} ranks follow from the results. What the players of the records are called, and which files they had, is only the host's word.`;
}

button.addEventListener("click", async () => {
  button.disabled = true;
  progress.hidden = false;
  verdict.className = "note";
  verdict.textContent = "Replaying …";
  const begun = performance.now();
  try {
    const text = await verify();
    verdict.className = "verified";
    verdict.replaceChildren(element("strong", {}, text), ` It took ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
  } catch (error) {
    verdict.className = "fault";
    const why = error instanceof Error ? error.message : String(error);
    verdict.replaceChildren(
      ...(error instanceof Refusal
        ? [element("strong", {}, "This final is not what it says. "), `${why.charAt(0).toUpperCase()}${why.slice(1)}.`]
        : [element("strong", {}, "Nothing was verified: "), `the rules in this page do not fit it (${why}).`]),
    );
  }
  progress.hidden = true;
  button.disabled = false;
});
button.disabled = false;
recallTheme();
document.querySelector(".site")?.append(themeButton());
