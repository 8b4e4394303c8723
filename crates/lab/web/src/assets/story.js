// @ts-check
// The match in words, up to the turn that is shown: what was played, and what is new in the line
// about the position. It tells nothing of what comes later.

import { element, letter } from "./parts.js";
/** @typedef {import("./replay.js").Replay} Replay */

/** Turns that are listed, and actions of a turn that are. */
const ROWS = 7;
const ACTIONS = 4;
/** Letters of an action in its notation that are shown. */
const LONGEST = 28;

/** The parts of a caption; what is quoted stays whole. @param {string} caption */
const parts = (caption) => (caption.match(/(?:“[^”]*”|[^;,“]|[;,](?! ))+/g) ?? []).map((part) => part.trim()).filter((part) => part !== "");

/** How words begin that tell of the turn itself, not of how things stand: they are new even if they are those of the turn before. */
const TOLD = /^spoken: /;

/** The parts of a turn's caption that its turn brought. @param {Replay} replay @param {number} turn @returns {string[]} */
function news(replay, turn) {
  const { turns } = replay.data;
  const before = new Set(turn > 0 ? parts(turns[turn - 1].caption) : []);
  return parts(turns[turn].caption).filter((part) => TOLD.test(part) || !before.has(part));
}

/** What a turn brought, in words. @param {Replay} replay @param {number} turn @returns {string} */
export function wordsOf(replay, turn) {
  return news(replay, turn).join(", ");
}

const FALLS = "ran into|crashed|entered the same cell";
/** How words begin or continue that tell an event, not how things stand: a phrase is spoken, somebody falls. */
const EVENT = new RegExp(`^spoken: |\\b(?:${FALLS})\\b`);
/** Most captions contain none of these, and need not be taken apart. */
const MAYBE_EVENT = new RegExp(`spoken: |${FALLS}`);

/** The turns on which something happened that the captions tell. @param {Replay} replay @returns {{turn: number, words: string}[]} */
export function eventsOf(replay) {
  /** @type {{turn: number, words: string}[]} */
  const events = [];
  for (let turn = 1; turn <= replay.last; turn++) {
    if (!MAYBE_EVENT.test(replay.data.turns[turn].caption)) continue;
    const words = news(replay, turn).filter((part) => EVENT.test(part));
    if (words.length > 0) events.push({ turn, words: words.join(", ") });
  }
  return events;
}

/**
 * A sentence in which the turns that it names can be pressed.
 * @param {string} text @param {number} last @param {(turn: number) => void} go @returns {(string | Node)[]}
 */
export function linkTurns(text, last, go) {
  return text.split(/(\bturn \d+\b)/).map((part, at) => {
    const turn = Number(part.slice("turn ".length));
    if (at % 2 === 0 || turn > last) return part;
    const link = element("a", { href: `#turn=${turn}` }, part);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      go(turn);
    });
    return link;
  });
}

/** The events of a match by turn, folded up, as far as they are told; a press goes to one. */
export class EventList {
  /** @param {{turn: number, words: string}[]} events @param {(turn: number) => void} go */
  constructor(events, go) {
    this.events = events;
    this.go = go;
    this.count = -1;
    this.title = element("summary");
    this.rows = element("ul");
    this.element = element("details", { class: "events" }, this.title, this.rows);
    this.element.addEventListener("toggle", () => this.fill());
  }

  /** Shows the events up to a turn. @param {number} told */
  reveal(told) {
    const after = this.events.findIndex(({ turn }) => turn > told);
    const count = after < 0 ? this.events.length : after;
    if (count === this.count) return;
    this.count = count;
    this.title.textContent = `${count} ${count === 1 ? "event" : "events"} by turn`;
    this.element.hidden = count < 2;
    this.fill();
  }

  /** Lists what is told, if the list is unfolded. */
  fill() {
    if (!this.element.open) return;
    while (this.rows.childElementCount > this.count) this.rows.lastElementChild?.remove();
    for (const { turn, words } of this.events.slice(this.rows.childElementCount, this.count)) {
      const jump = element("button", { type: "button" }, `turn ${turn}: ${words}`);
      jump.addEventListener("click", () => this.go(turn));
      this.rows.append(element("li", {}, jump));
    }
  }
}

/**
 * What was played on a turn: in words where the game has some, otherwise in its notation, cut where it is long.
 * @param {Replay} replay @param {number} turn @param {number} [most] actions that are listed @returns {string}
 */
export function actionsOf(replay, turn, most = ACTIONS) {
  const { played = [], told = [] } = replay.data.turns[turn];
  const cut = (/** @type {string} */ action) => (action.length > LONGEST ? `${action.slice(0, LONGEST - 1)}…` : action);
  // Of many seats, only the first are told of in words.
  const count = told.length > 0 ? Math.min(most, told.length) : most;
  const shown = played.slice(0, count).map(([seat, action], at) => {
    const does = told[at] ?? cut(action);
    return replay.data.players.length > 1 ? `${letter(seat)} ${does}` : does;
  });
  return shown.join(told.length > 0 ? ", " : " · ") + (played.length > count ? " …" : "");
}

/** What was played on a turn, in the notation. @param {Replay} replay @param {number} turn @param {number} most @returns {string} */
export function notationOf(replay, turn, most) {
  const played = replay.data.turns[turn].played ?? [];
  const shown = played.slice(0, most).map(([seat, action]) => (replay.data.players.length > 1 ? `${letter(seat)} ${action}` : action));
  return shown.join(", ") + (played.length > most ? " …" : "");
}

/** The list of the latest turns; a press goes to one. */
export class Story {
  /** @param {Replay} replay @param {(turn: number) => void} go */
  constructor(replay, go) {
    this.replay = replay;
    this.rows = Array.from({ length: ROWS }, () => {
      const number = element("span", { class: "at" });
      const played = element("span", { class: "did" });
      const words = element("span", { class: "so" });
      const row = element("button", { type: "button" }, number, " ", played, " ", words);
      row.addEventListener("click", () => go(Number(row.dataset.turn)));
      return { item: element("li", {}, row), row, number, played, words };
    });
    this.element = element("ol", { class: "story", "aria-label": "The match in words" }, ...this.rows.map(({ item }) => item));
    this.element.hidden = replay.last === 0;
  }

  draw() {
    const { turn } = this.replay;
    const first = Math.max(0, turn - ROWS + 1);
    this.rows.forEach(({ item, row, number, played, words }, at) => {
      const of = first + at;
      item.hidden = of > turn;
      if (of > turn || row.dataset.turn === String(of)) {
        row.toggleAttribute("aria-current", of === turn);
        return;
      }
      row.dataset.turn = String(of);
      row.toggleAttribute("aria-current", of === turn);
      number.textContent = String(of);
      played.textContent = of === 0 ? "start" : actionsOf(this.replay, of);
      words.textContent = wordsOf(this.replay, of);
    });
  }
}
