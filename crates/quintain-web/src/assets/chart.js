// @ts-check
// A chart of the match under its slider: the scores, or what players noted, turn by
// turn; a click goes to the turn.

import { element } from "./parts.js";
/** @typedef {import("./replay.js").Replay} Replay */

const WIDTH = 600;
const HEIGHT = 90;
/** Of more seats nobody could tell the lines apart. */
const SEATS = 8;
const DASHES = ["", "7 4", "2 3", "10 3 2 3", "4 2", "1 4", "12 4", "6 2 1 2"];

/** A chart of what happened. */
export class ScoreChart {
  /** @param {Replay} replay @param {(turn: number) => void} go */
  constructor(replay, go) {
    this.replay = replay;
    this.series = series(replay);
    this.element = element("div", { class: "chart" });
    if (this.series.size === 0) {
      this.element.hidden = true;
      return;
    }
    this.choice = element("select", { "aria-label": "What the chart shows" });
    for (const name of this.series.keys()) this.choice.append(element("option", { value: name }, name));
    this.choice.addEventListener("change", () => this.draw());
    this.svg = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    this.svg.addEventListener("click", (event) => {
      const box = this.element.getBoundingClientRect();
      go(Math.round(((event.clientX - box.left) / box.width) * replay.last));
    });
    this.cursor = svg("line", { class: "now", y1: 0, y2: HEIGHT });
    this.range = element("span", { class: "range" });
    this.element.append(this.svg, element("div", { class: "chart-words" }, this.choice, this.range));
    this.draw();
  }

  draw() {
    if (!this.svg || !this.choice || !this.range) return;
    const lines = this.series.get(this.choice.value) ?? [];
    const values = lines.flat().filter((value) => value !== null);
    const least = Math.min(...values);
    const most = Math.max(...values);
    const flat = most === least;
    this.svg.replaceChildren();
    lines.forEach((line, seat) => {
      let path = "";
      line.forEach((value, turn) => {
        if (value === null) return;
        const x = (turn / Math.max(1, this.replay.last)) * WIDTH;
        const y = HEIGHT - 6 - (flat ? 0.5 : (value - least) / (most - least)) * (HEIGHT - 12);
        path += `${path ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
      });
      const shape = svg("path", { class: `line seat-${seat % SEATS}`, d: path, "stroke-dasharray": DASHES[seat % SEATS] });
      this.svg?.append(shape);
    });
    this.svg.append(/** @type {SVGElement} */ (this.cursor));
    this.range.textContent = flat ? `${round(least)} throughout` : `${round(least)} to ${round(most)}`;
  }

  /** Moves the mark. @param {number} turn */
  mark(turn) {
    const x = String((turn / Math.max(1, this.replay.last)) * WIDTH);
    this.cursor?.setAttribute("x1", x);
    this.cursor?.setAttribute("x2", x);
  }
}

/** @param {number} value */
function round(value) {
  return String(Number(value.toPrecision(4)));
}

/**
 * What can be drawn: for each name a line a seat, with `null` where nothing is known.
 * @param {Replay} replay @returns {Map<string, (number | null)[][]>}
 */
function series(replay) {
  /** @type {Map<string, (number | null)[][]>} */
  const found = new Map();
  const seats = Math.min(SEATS, replay.data.players.length);
  const scores = Array.from({ length: seats }, (_, seat) => replay.scores.map((now) => now[seat] ?? null));
  if (scores.some((line) => line.some((value) => value !== line[0]))) found.set("score", scores);
  replay.data.turns.forEach((turn, at) => {
    for (const [seat, name, value] of turn.notes ?? []) {
      if (seat >= seats || value === null) continue;
      let lines = found.get(name);
      if (!lines) {
        lines = Array.from({ length: seats }, () => new Array(replay.data.turns.length).fill(null));
        found.set(name, lines);
      }
      lines[seat][at] = value;
    }
  });
  return found;
}

/** @param {string} tag @param {Record<string, string | number>} attributes @returns {SVGElement} */
function svg(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}
