// @ts-check
// A match that is played through on a small board.

import { Board } from "./board.js";
import { element, isDark } from "./parts.js";
import { Replay } from "./replay.js";

/** Milliseconds between two positions of a board. */
export const PACE = 150;
/** Positions that are shown of a match. */
const POSITIONS = 60;

/** A match that is played through once. */
export class LiveBoard {
  /** @param {import("./replay.js").ReplayData} data @param {number} [positions] how many are shown */
  constructor(data, positions = POSITIONS) {
    this.positions = positions;
    this.replay = new Replay(data);
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.board = new Board(this.canvas);
    this.board.show(this.replay);
  }

  get isOver() {
    return this.replay.turn >= this.replay.last;
  }

  /** Shows the next position, or at once the last one. @param {boolean} [toEnd] */
  step(toEnd = false) {
    const { replay, canvas, board } = this;
    // It is drawn even at the end: the page may have become dark, or larger.
    replay.seek(toEnd ? replay.last : replay.turn + Math.ceil(replay.last / this.positions));
    board.dark = isDark();
    board.draw();
    canvas.dataset.turn = `${replay.turn} of ${replay.last}`;
  }
}
