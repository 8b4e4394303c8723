// @ts-check
// A part of the board, larger: by wheel, by two fingers, by keys and by buttons. A drag moves what
// is larger than its place; a double tap shows the whole board again.

import { element } from "./parts.js";
/** @typedef {import("./board.js").Board} Board */

const MOST = 8;
const STEP = 1.5;
/** Pixels that a finger or a pointer moves before it drags. */
const SLACK = 5;

/**
 * The part that is shown after a change: never beyond the edge of the board.
 * @param {{scale: number, x: number, y: number}} view @param {{width: number, height: number}} extent
 */
export function within(view, extent) {
  const scale = Math.max(1, Math.min(MOST, view.scale));
  const keep = (/** @type {number} */ at, /** @type {number} */ all) => Math.max(0, Math.min(all - all / scale, at));
  return { scale, x: keep(view.x, extent.width), y: keep(view.y, extent.height) };
}

/**
 * The part that is shown when it becomes larger by a factor around a point of the drawing.
 * @param {{scale: number, x: number, y: number}} view @param {number} factor @param {number} x @param {number} y
 * @param {{width: number, height: number}} extent
 */
export function zoomed(view, factor, x, y, extent) {
  const scale = Math.max(1, Math.min(MOST, view.scale * factor));
  const kept = view.scale / scale;
  return within({ scale, x: x - (x - view.x) * kept, y: y - (y - view.y) * kept }, extent);
}

/** Lets a board be looked at in parts. */
export class Zoom {
  /** @param {Board} board @param {() => void} draw @param {AbortSignal} [signal] */
  constructor(board, draw, signal) {
    this.board = board;
    this.draw = draw;
    /** Fingers and pointers that are down, by number. @type {Map<number, {x: number, y: number}>} */
    this.down = new Map();
    this.dragged = false;
    /** Whether two taps show the whole board. */
    this.isResetByTwo = true;
    /** Whether a drag means something else. @type {(dx: number, dy: number) => boolean} */
    this.instead = () => false;
    const { canvas } = board;
    const options = { signal };
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false, signal });
    canvas.addEventListener("pointerdown", (event) => this.press(event), options);
    canvas.addEventListener("pointermove", (event) => this.move(event), options);
    for (const kind of /** @type {const} */ (["pointerup", "pointercancel", "pointerleave"])) {
      canvas.addEventListener(kind, (event) => this.down.delete(event.pointerId), options);
    }
    canvas.addEventListener("dblclick", () => {
      if (this.isResetByTwo) this.reset();
    }, options);
    // The end of a drag is no click on the cell below.
    canvas.addEventListener("click", (event) => {
      if (this.dragged) event.stopImmediatePropagation();
      this.dragged = false;
    }, { capture: true, signal });
    const key = (/** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ press) => {
      const made = element("button", { type: "button", title, "aria-label": title }, text);
      made.addEventListener("click", press);
      return made;
    };
    this.smaller = key("−", "Smaller (-)", () => this.by(1 / STEP));
    this.whole = key("⤢", "Whole board (0)", () => this.reset());
    this.element = element("div", { class: "zoom", role: "group", "aria-label": "Zoom" }, key("+", "Larger (+)", () => this.by(STEP)), this.smaller, this.whole);
    this.show();
  }

  /** @param {string} key @returns {boolean} whether the key was one of these */
  key(key) {
    if (key === "+" || key === "=") this.by(STEP);
    else if (key === "-") this.by(1 / STEP);
    else if (key === "0") this.reset();
    else return false;
    return true;
  }

  /** The point of the drawing under one of the page. @param {number} clientX @param {number} clientY @returns {[number, number]} */
  at(clientX, clientY) {
    const box = this.board.canvas.getBoundingClientRect();
    const units = this.units();
    return [this.board.view.x + (clientX - box.left) * units, this.board.view.y + (clientY - box.top) * units];
  }

  /** The centre of a cell in the drawing. @param {number} cell @returns {[number, number]} */
  placeOf(cell) {
    const [[x, y], [left, top]] = [this.board.centre(cell), this.board.corner()];
    return [x + left, y + top];
  }

  /** Units of the drawing in a pixel. */
  units() {
    return this.board.extent().width / Math.max(1, this.board.canvas.clientWidth) / this.board.view.scale;
  }

  /** Makes it larger or smaller, around a point of the drawing, or where something happens if that is in sight, or around the middle. @param {number} factor @param {[number, number]} [point] */
  by(factor, point) {
    const { view } = this.board;
    const extent = this.board.extent();
    const [wide, high] = [extent.width / view.scale, extent.height / view.scale];
    const focus = this.board.focus();
    const isInSight = focus !== null && focus[0] >= view.x && focus[0] <= view.x + wide && focus[1] >= view.y && focus[1] <= view.y + high;
    const [x, y] = point ?? (isInSight ? focus : [view.x + wide / 2, view.y + high / 2]);
    this.board.view = zoomed(view, factor, x, y, extent);
    this.show();
    this.draw();
  }

  /** @param {number} dx pixels @param {number} dy */
  pan(dx, dy) {
    const { view } = this.board;
    const units = this.units();
    this.board.view = within({ ...view, x: view.x - dx * units, y: view.y - dy * units }, this.board.extent());
    this.draw();
  }

  /** Shows these cells as large as they can be, with some of what is around them. @param {number[]} cells @param {number} margin cells */
  around(cells, margin) {
    const places = cells.map((cell) => this.placeOf(cell));
    const { width, height } = this.board.extent();
    const side = this.board.cell().width;
    const [across, down] = [0, 1].map((axis) => {
      const all = places.map((place) => place[axis]);
      return { middle: (Math.min(...all) + Math.max(...all)) / 2, size: Math.max(...all) - Math.min(...all) + (1 + 2 * margin) * side };
    });
    const scale = Math.max(1, Math.min(MOST, width / across.size, height / down.size));
    this.board.view = within({ scale, x: across.middle - width / scale / 2, y: down.middle - height / scale / 2 }, { width, height });
    this.show();
    this.draw();
  }

  /** Moves what is shown until a cell is in it, if it is not. @param {number} cell */
  reveal(cell) {
    const { view } = this.board;
    const { width, height } = this.board.extent();
    const side = this.board.cell().width;
    const [x, y] = this.placeOf(cell);
    const keep = (/** @type {number} */ from, /** @type {number} */ all, /** @type {number} */ at) =>
      Math.max(Math.min(from, at - 1.5 * side), at + 1.5 * side - all / view.scale);
    this.board.view = within({ scale: view.scale, x: keep(view.x, width, x), y: keep(view.y, height, y) }, { width, height });
  }

  /** Moves what is shown until all of these cells are in it, and makes it smaller where they need that. @param {number[]} cells */
  revealAll(cells) {
    if (this.board.view.scale === 1 || cells.length === 0) return;
    const { view } = this.board;
    const extent = this.board.extent();
    const side = this.board.cell().width;
    const places = cells.map((cell) => this.placeOf(cell));
    const ends = [0, 1].map((axis) => {
      const all = places.map((place) => place[axis]);
      return { from: Math.min(...all) - side, to: Math.max(...all) + side };
    });
    const scale = Math.min(view.scale, extent.width / (ends[0].to - ends[0].from), extent.height / (ends[1].to - ends[1].from));
    const keep = (/** @type {number} */ at, /** @type {number} */ all, /** @type {{from: number, to: number}} */ { from, to }) => Math.max(Math.min(at, from), to - all / scale);
    this.board.view = within({ scale, x: keep(view.x, extent.width, ends[0]), y: keep(view.y, extent.height, ends[1]) }, extent);
    this.show();
  }

  reset() {
    if (this.board.view.scale === 1) return;
    this.board.view = { scale: 1, x: 0, y: 0 };
    this.show();
    this.draw();
  }

  /** Where nothing is larger than its place, fingers scroll the page. */
  show() {
    const isZoomed = this.board.view.scale > 1;
    this.board.canvas.classList.toggle("zoomed", isZoomed);
    this.smaller.disabled = this.whole.disabled = !isZoomed;
  }

  /** The wheel is the page's until somebody has chosen the board. @param {WheelEvent} event */
  wheel(event) {
    const { canvas, view } = this.board;
    const isChosen = event.ctrlKey || event.metaKey || view.scale > 1 || document.activeElement === canvas;
    if (!isChosen || (view.scale === 1 && event.deltaY > 0 && !event.ctrlKey)) return;
    event.preventDefault();
    this.by(2 ** (-event.deltaY / (event.deltaMode === 0 ? 240 : 8)), this.at(event.clientX, event.clientY));
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0) return;
    if (this.down.size === 0) this.dragged = false;
    this.down.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  /** @param {PointerEvent} event */
  move(event) {
    const before = this.down.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    const other = [...this.down].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const far = (/** @type {{x: number, y: number}} */ one) => Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
      this.dragged = true;
      this.down.set(event.pointerId, now);
      this.by(far(now) / far(before), this.at((now.x + other.x) / 2, (now.y + other.y) / 2));
    } else if (this.dragged || Math.hypot(dx, dy) >= SLACK) {
      this.down.set(event.pointerId, now);
      if (this.instead(dx, dy)) this.dragged = true;
      else if (this.board.view.scale > 1) {
        this.dragged = true;
        this.pan(dx, dy);
      }
    }
  }
}
