// @ts-check
// The board as text, as a terminal shows it: for those who cannot see the drawing, and to copy.
// Two columns a cell; where lines join cells, twice the room.

import { element, letter } from "./parts.js";
/** @typedef {import("./board.js").Board} Board */

/** Players that are named. */
const IN_KEY = 8;
const NORTH = 1;
const EAST = 2;
const SOUTH = 4;
const WEST = 8;

/** Cells between two numbers of columns. */
const NUMBERED = 5;

/** The position in lines of characters, and the signs of its cells. @param {Board} board @returns {{text: string, signs: Set<string>}} */
export function boardText(board) {
  const { replay } = board;
  if (!replay) return { text: "", signs: new Set() };
  const { data } = replay;
  const layers = replay.drawn.filter((_, index) => board.shows(data.tracks[index]));
  const strokes = layers.flatMap((layer) => [...layer.lines].map((number) => data.strokes[number]));
  const hex = data.lattice === "hex";
  const [across, down] = strokes.length > 0 ? [4, 2] : [2, 1];
  const shift = hex ? across / 2 : 0;
  const rows = Array.from({ length: (data.height - 1) * down + 1 }, () => new Array((data.width - 1) * across + 2 + shift).fill(" "));
  /** @param {number} cell @returns {[number, number]} */
  const place = (cell) => {
    const row = Math.floor(cell / data.width);
    return [(cell % data.width) * across + (hex && row % 2 === 1 ? across / 2 : 0), row * down];
  };
  /** @type {Set<string>} */
  const taken = new Set();
  /** @type {Set<string>} */
  const signs = new Set();
  const { paints, glyphs } = board.composed(replay);
  paints.forEach((paint, cell) => {
    if (paint === 0) return;
    const { glyph, kind } = data.paints[paint - 1];
    const [x, y] = place(cell);
    const sign = glyphs[cell].trim() || glyph.trim() || ".";
    rows[y][x] = sign;
    signs.add(sign + markOf(kind, sign));
    if (markOf(kind, sign) !== "" && x + 1 < rows[y].length) rows[y][x + 1] = HEAD;
    if (kind === "wall" || kind === "road") rows[y][x + 1] = sign;
    if (kind !== "floor" || sign !== glyph) taken.add(`${x} ${y}`);
  });
  drawStrokes(rows, strokes.map(([from, to]) => [place(from), place(to)]), taken);
  for (const layer of layers) for (const number of layer.labels) {
    const [cell, text] = data.labels[number];
    const [x, y] = place(cell);
    [...text].forEach((sign, at) => {
      if (x + at < rows[y].length) rows[y][x + at] = sign;
    });
  }
  const slices = replay.slices[replay.turn];
  const text = slices ? sliceTexts(rows, slices, across, down) : framed(rows, hex ? null : { across, down });
  return { text, signs };
}

/** What stands beside a head that looks like something else. */
const HEAD = "<";

/** The mark beside a cell: heads that have no letter look like what they are the head of. @param {string} kind @param {string} sign */
function markOf(kind, sign) {
  return kind === "head" && !/\p{L}/u.test(sign) ? HEAD : "";
}

/** Rows in a frame, with the numbers of rows and columns as the match in words has them. @param {string[][]} rows @param {{across: number, down: number} | null} scale */
function framed(rows, scale) {
  const edge = `+${"-".repeat(rows[0].length)}+`;
  const lines = [edge, ...rows.map((row) => `|${row.join("")}|`), edge];
  if (!scale) return lines.join("\n");
  const { across, down } = scale;
  const most = Math.ceil(rows.length / down);
  const room = String(most).length;
  const head = new Array(rows[0].length + 2).fill(" ");
  for (let column = 1; (column - 1) * across < rows[0].length; column += column === 1 ? NUMBERED - 1 : NUMBERED) {
    [...String(column)].forEach((digit, at) => (head[1 + (column - 1) * across + at] = digit));
  }
  const number = (/** @type {number} */ line) => {
    const row = (line - 1) / down;
    return Number.isInteger(row) && row >= 0 && row < most ? String(row + 1) : "";
  };
  return [`${" ".repeat(room)} ${head.join("").trimEnd()}`, ...lines.map((line, at) => `${number(at).padStart(room)} ${line}`)].join("\n");
}

/**
 * The slices of a box below each other, without those in which nothing is.
 * @param {string[][]} rows @param {number[]} slices @param {number} across @param {number} down
 */
function sliceTexts(rows, [left, top, wide, high, count], across, down) {
  const parts = Array.from({ length: count }, (_, slice) => {
    const from = (left + slice * (wide + 1)) * across;
    const own = rows.slice(top * down, (top + high - 1) * down + 1).map((row) => row.slice(from, from + (wide - 1) * across + 2));
    return { title: `layer ${slice + 1} of ${count}:`, rows: own };
  });
  const taken = parts.filter(({ rows: own }) => own.some((row) => row.some((sign) => sign !== " " && sign !== ".")));
  return taken.map(({ title, rows: own }) => `${title}\n${framed(own, { across, down })}`).join("\n");
}

/** What stands for what in the text, and who plays: a line each. @param {Board} board @param {Set<string>} signs those of the cells */
export function textKey({ replay, shown }, signs) {
  if (!replay) return "";
  const { data } = replay;
  const sides = `${data.width} columns, ${data.height} rows`;
  const players = data.players.length > 1 ? data.players.slice(0, IN_KEY).map((name, seat) => `${letter(seat)} ${name}`) : [];
  const hidden = new Set(data.tracks.filter(({ overlay, name }) => overlay && !shown.has(name)).map(({ name }) => name));
  const known = (data.legend ?? []).filter(({ layer, kind, look }) => !hidden.has(layer) && kind === "cell" && data.looks[look] !== undefined);
  const lines = known.map(({ look, text }) => {
    const [paint, own] = data.looks[look];
    const { glyph, kind } = data.paints[paint];
    const sign = own.trim() || glyph.trim() || ".";
    return signs.has(sign + markOf(kind, sign)) ? `${sign}${markOf(kind, sign)} ${text}` : "";
  });
  return [sides, ...players, ...new Set(lines.filter(Boolean))].join("\n");
}

/**
 * Draws lines between cells, where no cell is.
 * @param {string[][]} rows @param {[[number, number], [number, number]][]} strokes @param {Set<string>} taken
 */
function drawStrokes(rows, strokes, taken) {
  /** The sides to which lines leave. @type {Map<string, number>} */
  const sides = new Map();
  const put = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ sign) => {
    if (rows[y]?.[x] !== undefined && !taken.has(`${x} ${y}`)) rows[y][x] = sign;
  };
  for (const [[x0, y0], [x1, y1]] of strokes) {
    const [dx, dy] = [x1 - x0, y1 - y0];
    const steps = Math.max(Math.abs(dx), Math.abs(dy));
    if (dx !== 0 && dy !== 0) {
      const sign = dx > 0 !== dy > 0 ? "/" : "\\";
      for (let step = 1; step < steps; step++) put(x0 + Math.round((dx * step) / steps), y0 + Math.round((dy * step) / steps), sign);
      continue;
    }
    const [ahead, back] = dx > 0 ? [EAST, WEST] : dx < 0 ? [WEST, EAST] : dy > 0 ? [SOUTH, NORTH] : [NORTH, SOUTH];
    for (let step = 0; step <= steps; step++) {
      const [x, y] = [x0 + Math.sign(dx) * step, y0 + Math.sign(dy) * step];
      const known = (sides.get(`${x} ${y}`) ?? 0) | (step > 0 ? back : 0) | (step < steps ? ahead : 0);
      sides.set(`${x} ${y}`, known);
      put(x, y, (known & ~(EAST | WEST)) === 0 ? "-" : (known & ~(NORTH | SOUTH)) === 0 ? "|" : "+");
    }
  }
}

/** A board as text on request, with a button that copies it. */
export class TextBoard {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.words = "";
    this.text = element("pre", { class: "text-board", tabindex: "0", "aria-label": "The board as text" });
    this.text.hidden = true;
    this.toggle = element("button", { type: "button", "aria-expanded": "false" }, "board as text");
    this.toggle.addEventListener("click", () => this.show(this.text?.hidden === true));
    this.copy = element("button", { type: "button" }, "copy board");
    this.copy.addEventListener("click", () => this.put());
    this.said = element("span", { class: "note", role: "status" });
    this.element = element("div", { class: "as-text" }, this.toggle, this.copy, this.said, this.text);
  }

  /** @param {boolean} isShown */
  show(isShown) {
    if (!this.text || !this.toggle) return;
    this.text.hidden = !isShown;
    this.toggle.setAttribute("aria-expanded", String(isShown));
    this.draw(this.words);
  }

  /** The board and what is said about it. */
  whole() {
    const { text, signs } = boardText(this.board);
    return [text, this.words, textKey(this.board, signs)].filter(Boolean).join("\n");
  }

  /** Follows the board. @param {string} words what is said about the position */
  draw(words) {
    this.words = words;
    if (this.said) this.said.textContent = "";
    if (this.text && !this.text.hidden) this.text.textContent = this.whole();
  }

  async put() {
    if (!this.said) return;
    try {
      await navigator.clipboard.writeText(this.whole());
      this.said.textContent = "copied";
    } catch {
      // A page may not be allowed to: then it is there to be marked.
      this.show(true);
      const range = document.createRange();
      if (this.text) range.selectNodeContents(this.text);
      getSelection()?.removeAllRanges();
      getSelection()?.addRange(range);
      this.said.textContent = "marked; copy it with Ctrl+C";
    }
  }
}
