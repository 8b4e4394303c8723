// @ts-check
// What lies under everything on squares: the ground, the cells that are filled to their edges, and
// the grid. It is kept as a picture, and of it only the cells that have changed are drawn again, on
// whole pixels, so that it looks the same however it came about.

import { SHAPES } from "./shapes.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./replay.js").Style} Style */
/** @typedef {{scale: number, x: number, y: number, width: number, height: number}} Sheet units to pixels: a factor and a shift; and its pixels */

/** The width of the grid's lines, in units, and how dark they are. */
const GRID_WIDTH = 0.6;
const GRID_INK = 0.085;
/** How many steps there are between a full and a faded colour. */
const GROUND_SHADES = 255;
/** The look of a cell that was never drawn. */
const NEVER_DRAWN = 0xffffffff;
/** The pixels of a pattern's tile for a unit of the drawing. */
const TILE_PIXELS = 4;

/** The picture of the ground. */
export class Ground {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.canvas = document.createElement("canvas");
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d", { alpha: false }));
    /** What the picture depends on besides its cells. */
    this.key = "";
    /** @type {import("./replay.js").ReplayData | null} */
    this.data = null;
    /** The look of each cell in the picture: its paint, and how much of its colour is left; 0 for none. */
    this.looks = new Uint32Array(0);
  }

  /**
   * Brings the picture up to date and draws it.
   * @param {Sheet} sheet @param {Iterable<[number, number, number[]]>} filled cells by paint and by how much of it is left
   */
  draw(sheet, filled) {
    const { board, canvas } = this;
    const { data } = /** @type {import("./replay.js").Replay} */ (board.replay);
    const looks = new Uint32Array(data.width * data.height);
    for (const [paint, left, cells] of filled) {
      const look = (paint + 1) * (GROUND_SHADES + 1) + Math.round(left * GROUND_SHADES);
      for (const cell of cells) looks[cell] = look;
    }
    const key = JSON.stringify([sheet, board.dark]);
    const isNew = key !== this.key || data !== this.data || looks.length !== this.looks.length;
    if (isNew) {
      [this.key, this.data] = [key, data];
      [canvas.width, canvas.height] = [sheet.width, sheet.height];
      this.looks = new Uint32Array(looks.length).fill(NEVER_DRAWN);
    }
    this.fill(sheet, looks, this.looks);
    this.looks = looks;
    board.context.setTransform(1, 0, 0, 1, 0, 0);
    // Around a long and narrow board there is nothing.
    const [left, right] = [pixelAt(sheet.scale, sheet.x, 0), pixelAt(sheet.scale, sheet.x, data.width)];
    const [top, bottom] = [pixelAt(sheet.scale, sheet.y, 0), pixelAt(sheet.scale, sheet.y, data.height)];
    const [x, y] = [Math.max(0, left), Math.max(0, top)];
    const [across, down] = [Math.min(sheet.width, right) - x, Math.min(sheet.height, bottom) - y];
    if (across > 0 && down > 0) board.context.drawImage(canvas, x, y, across, down, x, y, across, down);
  }

  /**
   * Draws the cells whose look is new, row by row.
   * @param {Sheet} sheet @param {Uint32Array} looks @param {Uint32Array} before
   */
  fill(sheet, looks, before) {
    const { width } = /** @type {import("./replay.js").ReplayData} */ (this.data);
    for (let cell = 0; cell < looks.length; ) {
      const look = looks[cell];
      let end = cell + 1;
      if (look !== before[cell]) {
        while (end % width !== 0 && looks[end] === look && looks[end] !== before[end]) end++;
        this.bar(sheet, look, cell % width, Math.floor(cell / width), end - cell);
      }
      cell = end;
    }
  }

  /** Draws neighbours of one look, with the grid's lines on them. @param {Sheet} sheet @param {number} look @param {number} column @param {number} row @param {number} long */
  bar(sheet, look, column, row, long) {
    const { board, context } = this;
    const [left, right] = [pixelAt(sheet.scale, sheet.x, column), pixelAt(sheet.scale, sheet.x, column + long)];
    const [top, bottom] = [pixelAt(sheet.scale, sheet.y, row), pixelAt(sheet.scale, sheet.y, row + 1)];
    if (right < 0 || bottom < 0 || left > sheet.width || top > sheet.height) return;
    context.fillStyle = board.dark ? "#1b1e23" : "#f6f6f3";
    context.fillRect(left, top, right - left, bottom - top);
    let hasLines = true;
    if (look > 0) {
      const style = /** @type {import("./replay.js").ReplayData} */ (this.data).paints[Math.floor(look / (GROUND_SHADES + 1)) - 1];
      const shade = board.dark ? style.dark : style.light;
      context.globalAlpha = (look % (GROUND_SHADES + 1)) / GROUND_SHADES;
      context.fillStyle = shade.fill;
      context.fillRect(left, top, right - left, bottom - top);
      const pattern = style.pattern === "solid" ? null : board.pattern(style.pattern, shade.line);
      if (pattern) {
        // Here units are pixels.
        pattern.setTransform(new DOMMatrix([sheet.scale / TILE_PIXELS, 0, 0, sheet.scale / TILE_PIXELS, sheet.x, sheet.y]));
        context.fillStyle = pattern;
        context.fillRect(left, top, right - left, bottom - top);
        pattern.setTransform(new DOMMatrix().scale(1 / TILE_PIXELS));
      }
      context.globalAlpha = 1;
      // A roof hides the grid.
      hasLines = style.kind !== "roof";
    }
    if (hasLines) this.lines(sheet, column, row, long, 1);
  }

  /** Draws the grid's lines to the left of and above some cells. @param {Sheet} sheet @param {number} column @param {number} row @param {number} wide cells @param {number} high */
  lines(sheet, column, row, wide, high) {
    const { context, board } = this;
    const pixels = Math.max(1, Math.round(GRID_WIDTH * sheet.scale));
    const [left, right] = [pixelAt(sheet.scale, sheet.x, column), pixelAt(sheet.scale, sheet.x, column + wide)];
    const [top, bottom] = [pixelAt(sheet.scale, sheet.y, row), pixelAt(sheet.scale, sheet.y, row + high)];
    context.fillStyle = `rgb(${board.dark ? "255 255 255" : "0 0 0"} / ${GRID_INK * Math.min(1, (GRID_WIDTH * sheet.scale) / pixels)})`;
    for (let at = Math.max(1, column); at < column + wide; at++) context.fillRect(pixelAt(sheet.scale, sheet.x, at), top, pixels, bottom - top);
    for (let at = Math.max(1, row); at < row + high; at++) context.fillRect(left, pixelAt(sheet.scale, sheet.y, at), right - left, pixels);
  }
}

/** The pixel at which a column or row begins. @param {number} scale @param {number} shift @param {number} number */
const pixelAt = (scale, shift, number) => Math.round(number * SHAPES.square.width * scale + shift);
