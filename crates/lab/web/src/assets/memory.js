// @ts-check
// What a person has seen of a board that shows only a part: it stays, as it was seen last. Where the
// board moves around the person, what is remembered moves along.

/** @typedef {import("./replay.js").Replay} Replay */
/** @typedef {import("./replay.js").Style} Style */
/** @typedef {{style: Style, glyph: string}} Look */
/** @typedef {{paints: Uint16Array, below: Uint16Array, glyphs: string[]}} Shown */

/** How far each key moves, as columns and rows. @type {Record<string, [number, number]>} */
const STEPS = {
  Home: [-1, -1], ArrowUp: [0, -1], PageUp: [1, -1],
  ArrowLeft: [-1, 0], ArrowRight: [1, 0],
  End: [-1, 1], ArrowDown: [0, 1], PageDown: [1, 1],
};

/** How far an action moves, by the key that stands for it. @param {Record<string, string>} keys @param {string} action @returns {[number, number]} */
export function stepOf(keys, action) {
  const key = Object.keys(STEPS).find((key) => keys[key] === action);
  return key ? STEPS[key] : [0, 0];
}

/** What was seen of a board, by cell. */
export class Memory {
  constructor() {
    /** @type {Map<number, Look>} */
    this.looks = new Map();
    /** Whether somebody stood in the middle of the board when it was seen last. */
    this.wasCentred = false;
  }

  /**
   * Takes up what is seen now, after a step of so many columns and rows. Players are not remembered:
   * they go on.
   * @param {Replay} replay @param {Shown} shown @param {[number, number]} step
   */
  see(replay, { paints, below, glyphs }, step) {
    const { width, height, paints: styles } = replay.data;
    const middle = Math.floor(height / 2) * width + Math.floor(width / 2);
    const isHead = (/** @type {number} */ cell) => paints[cell] > 0 && styles[paints[cell] - 1].kind === "head";
    const isCentred = isHead(middle);
    if (isCentred && this.wasCentred) this.shift(step, width, height);
    this.wasCentred = isCentred;
    paints.forEach((paint, cell) => {
      const under = isHead(cell) ? below[cell] : paint;
      if (under > 0) this.looks.set(cell, { style: styles[under - 1], glyph: isHead(cell) ? "" : glyphs[cell] });
    });
  }

  /** What is remembered, as text that is kept for a page that is loaded again. @param {string} match @param {number} turn */
  write(match, turn) {
    const styles = [...new Set([...this.looks.values()].map(({ style }) => JSON.stringify(style)))];
    const places = new Map(styles.map((style, place) => [style, place]));
    const looks = [...this.looks].map(([cell, { style, glyph }]) => [cell, places.get(JSON.stringify(style)), glyph]);
    return JSON.stringify({ match, turn, wasCentred: this.wasCentred, styles: styles.map((style) => JSON.parse(style)), looks });
  }

  /** Takes up what was kept of this turn of a match. @param {string | null} text @param {string} match @param {number} turn */
  read(text, match, turn) {
    const kept = JSON.parse(text ?? "null");
    if (kept?.match !== match || kept.turn !== turn) return;
    this.wasCentred = kept.wasCentred;
    this.looks = new Map(kept.looks.map((/** @type {[number, number, string]} */ [cell, style, glyph]) => [cell, { style: kept.styles[style], glyph }]));
  }

  /** Moves what is remembered the other way; it comes back on the other side. @param {[number, number]} step @param {number} width @param {number} height */
  shift([columns, rows], width, height) {
    if (columns === 0 && rows === 0) return;
    /** @type {Map<number, Look>} */
    const moved = new Map();
    for (const [cell, look] of this.looks) {
      const column = ((cell % width) - columns + width) % width;
      const row = (Math.floor(cell / width) - rows + height) % height;
      moved.set(row * width + column, look);
    }
    this.looks = moved;
  }
}
