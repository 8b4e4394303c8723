// @ts-check
// The page of play: the form that begins a match, matches taken up by their address, and practice from
// a recorded one.

import { abandonSession, called, OUTSIDE, Session } from "./session.js";
import { findLast, findRequest, forget, matchIn, recordOf } from "./kept-match.js";
import { ask, Refused } from "./server.js";
import { YOU, findLesson } from "./practise.js";
import { element } from "./parts.js";

/**
 * @typedef {import("./session.js").View} View
 * @typedef {import("./session.js").NewMatchRequest} NewMatchRequest
 * @typedef {import("./session.js").Lesson} Lesson
 */

/** Whether a person played. @param {string} name */
const isPerson = (name) => name.startsWith("human:");

/** The mistakes of a match that are practised one by one: who found them, and those that are still to come. @type {{from: string, by: string, next: string[]}} */
let mistakes = { from: "", by: "", next: [] };

/** A button that goes on to the next mistake, where one is left. @returns {HTMLElement[]} */
function nextMistake() {
  const { from, by, next } = mistakes;
  if (next.length === 0) return [];
  const [turn, seat] = next[0].split(".").map(Number);
  const left = next.length === 1 ? "the last" : `${next.length} left`;
  const button = element("button", { type: "button" }, `next mistake: turn ${turn + 1} (${left})`);
  button.addEventListener("click", () => {
    mistakes = { from, by, next: next.slice(1) };
    playFrom(from, turn, seat);
  });
  return [button];
}

/** The next weaker and the next stronger opponent of those that are ranked, where there is one. @param {string} opponent @returns {(string | null)[]} */
function neighbours(opponent) {
  const ranked = [...invitation.querySelectorAll("select[name=opponent] optgroup[data-ranked] option")].map((option) => /** @type {HTMLOptionElement} */ (option).value);
  const place = ranked.indexOf(opponent);
  return place < 0 ? [null, null] : [ranked[place - 1] ?? null, ranked[place + 1] ?? null];
}

const invitation = /** @type {HTMLFormElement} */ (document.getElementById("invitation"));
const problem = /** @type {HTMLElement} */ (document.getElementById("problem"));
/** @type {Session | null} */
let session = null;

/** Begins a match, or takes one up. @param {NewMatchRequest} request */
async function begin(request) {
  problem.hidden = true;
  try {
    open(await create(request), request);
  } catch (error) {
    tell(String(/** @type {Error} */ (error).message));
  }
}

/** @param {NewMatchRequest} request @returns {Promise<View>} */
async function create(request) {
  // Of the matches of a tab only one goes on: those that are left would use up the client's places.
  const before = findLast();
  if (before) {
    forget();
    await abandonSession(before);
  }
  return ask("/api/play", request);
}

/** What a session asks of this page. @type {import("./session.js").Page} */
const page = {
  begin,
  neighbours,
  practise: (lesson) => playFrom(mistakes.from, lesson.turn, lesson.seat),
  practised: () => mistakes.from,
  nextMistake,
};

/** @param {View} view @param {NewMatchRequest} request @param {Lesson | null} [lesson] */
function open(view, request, lesson = null) {
  session?.close();
  // The board is what matters now.
  for (const fold of ["invite", "how"]) /** @type {HTMLDetailsElement} */ (document.getElementById(fold)).open = false;
  session = new Session(page, /** @type {HTMLElement} */ (document.getElementById("session")), view, request, lesson);
}

/** Says what went wrong beside the button that was pressed. @param {string} text */
function tell(text) {
  if (session && !(/** @type {HTMLDetailsElement} */ (document.getElementById("invite")).open)) {
    session.tell(text, "refused");
    return;
  }
  problem.textContent = text;
  problem.hidden = false;
  problem.scrollIntoView({ block: "nearest" });
}

/** The button says against whom. */
function nameOpponent() {
  const { opponent, own_opponent: own } = Object.fromEntries(new FormData(invitation));
  const button = /** @type {HTMLElement} */ (invitation.querySelector("button.play"));
  const chosen = String(own || opponent || "");
  button.textContent = chosen === "" ? "Play" : `Play against ${chosen === OUTSIDE.replace(/^human:/, "") ? "your module" : chosen}`;
}
invitation.addEventListener("input", nameOpponent);

/** Chooses an opponent of the list. @param {string | null | undefined} opponent */
function chooseOpponent(opponent) {
  const list = invitation.elements.namedItem("opponent");
  if (!opponent || !(list instanceof HTMLSelectElement)) return;
  list.value = opponent;
  nameOpponent();
}
for (const button of invitation.querySelectorAll("button[data-against]")) {
  button.addEventListener("click", () => chooseOpponent(/** @type {HTMLElement} */ (button).dataset.against));
}

invitation.addEventListener("submit", (event) => {
  event.preventDefault();
  const given = Object.fromEntries([...new FormData(invitation)].map(([name, value]) => [name, String(value)]));
  begin({
    game: invitation.dataset.game ?? "",
    scenario: given.own_scenario || given.scenario,
    opponent: given.own_opponent || given.opponent || "",
    seat: Number(given.seat ?? 0),
    think: Number(given.think ?? 300),
    name: given.name,
  });
});

/** Shows the match of the address in its state on the server. */
async function recall() {
  const place = new URLSearchParams(location.hash.slice(1));
  const id = matchIn(place);
  if (id) {
    const request = findRequest(id);
    const game = invitation.dataset.game ?? "";
    try {
      const view = await ask(`/api/play/${encodeURIComponent(id)}`);
      open(view, request ?? { game, scenario: view.replay.scenario, opponent: "", seat: view.seat, think: 300, name: "guest" });
    } catch (error) {
      const isGone = error instanceof Refused && error.status === 404;
      const record = isGone ? recordOf(id) : null;
      if (record) location.replace(`/matches/${record}`);
      else tell(isGone ? "That match is no longer on the server: nobody moved for half an hour, or it was given up. Begin a new one." : String(/** @type {Error} */ (error).message));
    }
  } else if (place.has("now")) {
    chooseOpponent(place.get("against"));
    invitation.requestSubmit();
  } else if (place.has("from")) {
    const from = place.get("from") ?? "";
    const next = (place.get("next") ?? "").split(",").filter((mistake) => mistake !== "");
    mistakes = { from, by: place.get("by") ?? "", next };
    await playFrom(from, Number(place.get("turn") ?? 0), Number(place.get("seat") ?? 0));
  }
}

/**
 * Plays on from a turn of a recorded match, against the players of that match where they may be
 * seated here. While mistakes are practised, the person is judged.
 * @param {string} record @param {number} turn @param {number} seat
 */
async function playFrom(record, turn, seat) {
  problem.hidden = true;
  try {
    /** @type {import("./replay.js").ReplayData} */
    const data = await ask(`/api/matches/${encodeURIComponent(record)}/replay`);
    const actions = data.turns.slice(1, turn + 1).flatMap((one) => (one.played ?? []).map(([, action]) => action));
    const played = data.turns[turn + 1]?.played?.find(([who]) => who === seat)?.[1];
    const who = isPerson(data.players[seat]) ? YOU : data.players[seat];
    const lesson = mistakes.by !== "" && played !== undefined ? await findLesson(record, mistakes.by, turn, seat, who, played) : null;
    const choice = invitation.elements.namedItem("opponent");
    const usual = choice instanceof HTMLSelectElement ? choice.value : "";
    const others = [...new Set(data.players.filter((_, at) => at !== seat))];
    const { game, scenario } = data;
    const rival = others.find((name) => !isPerson(name));
    const request = { game, scenario, opponent: rival ?? usual, seat, think: 300, name: "guest", seed: Number(data.seed), actions };
    let word = others.length > 1 ? `${request.opponent} plays for all the others: one player takes all seats but yours.`
      : rival === undefined && others.length === 1 ? `${usual} plays for ${called(others[0])}.` : "";
    /** @type {View} */
    let view;
    try {
      view = await create(request);
    } catch (error) {
      // Programs and modules cannot be seated for visitors.
      if (!(error instanceof Refused) || error.status === 429 || usual === "" || request.opponent === usual) throw error;
      word = `${called(request.opponent)} cannot be seated here: ${usual} plays in its place.`;
      request.opponent = usual;
      view = await create(request);
    }
    open(view, request, lesson);
    if (word) session?.tell(word, "");
  } catch (error) {
    tell(String(/** @type {Error} */ (error).message));
  }
}

// A link to another position, or to a match at once, may be opened where a match is on already.
addEventListener("hashchange", () => {
  const id = matchIn(new URLSearchParams(location.hash.slice(1)));
  if (id === null || id !== session?.view.id) recall();
});
recall();
