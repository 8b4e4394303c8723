// @ts-check
// Draws a position on a canvas: layers from the bottom up, cells of one look as one
// shape with rounded corners, then lines, outlines, characters and labels. The palette comes with
// the replay; patterns and characters tell roles apart without colour.

import { isDrawing } from "./replay.js";
import { SHAPES } from "./shapes.js";
import { Ground } from "./ground.js";
import { SPACE } from "./space.js";
import { drawWays, offsetOf } from "./ways.js";
import { drawPivot, drawRelief, drawRings, drawRoads, drawSlopes, drawVeil, fade, hasRings } from "./forms.js";
import { RAISED, drawCharacters, drawHalo, drawLabels } from "./signs.js";

/** @typedef {import("./replay.js").Replay} Replay */
/** @typedef {import("./replay.js").Style} Style */
/** @typedef {[number, number, number, number]} Bar a place and a size */
/** @typedef {{paints: Uint16Array, below: Uint16Array, glyphs: string[], written: boolean[], overlaid: boolean[], noticed: number[]}} Seen */

const ROUNDING = 5.5;
/** What an overlay of a player's sight is called. */
const EYES = /^what ([A-Z]) sees$/;
/** The size of a hexagon, as a share of its place. */
const HEXAGON = 0.94;
/** How many times as long as wide a drawing is at most: around a longer board there is room, which fills when the board is enlarged. */
const MOST_SLENDER = 3;
/** How much is left of the colour of what is remembered, and the pixels of a cell in which a character can be read. */
const PALE = 0.5;
const LEGIBLE = 17;

/** Patterns by name and colour, for every canvas. @type {Map<string, CanvasPattern | null>} */
const patterns = new Map();

/** A canvas with a board on it. */
export class Board {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    /** @type {Replay | null} */
    this.replay = null;
    /** Overlays that are shown. @type {Set<string>} */
    this.shown = new Set();
    this.dark = false;
    /** A cell to be marked, and cells of a move that is thought of. */
    this.cursor = -1;
    /** @type {{cells: number[], ok: boolean, isOutlined?: boolean, parts?: import("./hint.js").MarkedPart[]}} */
    this.ghost = { cells: [], ok: true };
    /** The borders of each outline, by their width. @type {WeakMap<object, Map<number, Path2D | Bar[]>>} */
    this.borders = new WeakMap();
    /** The part that is shown: how much larger, and its upper left corner in units. */
    this.view = { scale: 1, x: 0, y: 0 };
    /** How far a step has gone that is being shown, from 0 to 1. */
    this.progress = 1;
    /** A chain in space, instead of the drawing. @type {import("./space.js").Space | null} */
    this.space = null;
    /** What was shown before the step. @type {HTMLCanvasElement | null} */
    this.before = null;
    /** The sides of each roof. @type {WeakMap<object, [Bar[], Bar[]]>} */
    this.roofs = new WeakMap();
    /** The width on the page when it was drawn last: to ask for it has the page laid out. */
    this.across = 0;
    /** For a small picture: its width on the page; it has neither ground nor frame. */
    this.bare = 0;
    /** Letters on cells that are marked for the next move. @type {Map<number, string>} */
    this.marks = new Map();
    /** What was seen before of cells that are out of sight. @type {Map<number, import("./memory.js").Look>} */
    this.remembered = new Map();
    /** The picture of what lies under everything, on squares. @type {Ground | null} */
    this.under = null;
    /** The position that was composed last. @type {{replay: Replay, turn: number, shown: string, seen: Seen} | null} */
    this.known = null;
  }

  /** @param {Replay} replay */
  show(replay) {
    this.replay = replay;
    const { width, height } = this.extent();
    this.canvas.style.aspectRatio = `${width} / ${height}`;
  }

  /** The shape of a cell. */
  cell() {
    const hex = this.replay?.data.lattice === "hex";
    return { ...(hex ? SHAPES.hex : SHAPES.square), hex };
  }

  /** The size of the board, in units. */
  size() {
    const data = /** @type {Replay} */ (this.replay).data;
    const cell = this.cell();
    const shift = cell.hex && data.height > 1 ? cell.width / 2 : 0;
    return { width: data.width * cell.width + shift, height: data.height * cell.pitch + cell.height - cell.pitch };
  }

  /** The size of the drawing, in units: the board, and room around it if it is long and narrow. */
  extent() {
    const size = this.size();
    if (this.bare) return size;
    // Hexagons have no ground around them on which their outlines could lie.
    const edge = this.cell().hex ? this.cell().width / 6 : 0;
    const [width, height] = [size.width + edge, size.height + edge];
    return { width: Math.max(width, height / MOST_SLENDER), height: Math.max(height, width / MOST_SLENDER) };
  }

  /** Where the board begins in the drawing, in units. @returns {[number, number]} */
  corner() {
    const [all, board] = [this.extent(), this.size()];
    return [(all.width - board.width) / 2, (all.height - board.height) / 2];
  }

  /** The centre of a cell on the board, in units. @param {number} index @returns {[number, number]} */
  centre(index) {
    const columns = /** @type {Replay} */ (this.replay).data.width;
    const cell = this.cell();
    const row = Math.floor(index / columns);
    const shift = cell.hex && row % 2 === 1 ? cell.width / 2 : 0;
    return [(index % columns) * cell.width + shift + cell.width / 2, row * cell.pitch + cell.height / 2];
  }

  /** The cell of the only player whose sight is shown, or -1. */
  watched() {
    const { paths, turn } = /** @type {Replay} */ (this.replay);
    const eyes = [...this.shown].flatMap((name) => EYES.exec(name)?.[1] ?? []);
    return eyes.length === 1 ? (paths[eyes[0].charCodeAt(0) - 65]?.[turn] ?? -1) : -1;
  }

  /** Where something happened on this turn, in units of the drawing; null if that is nowhere or all over the board. @returns {[number, number] | null} */
  focus() {
    const { data, turn } = /** @type {Replay} */ (this.replay);
    const watched = this.watched();
    if (watched >= 0) {
      const [[x, y], [left, top]] = [this.centre(watched), this.corner()];
      return [x + left, y + top];
    }
    if (turn === 0) return null;
    /** @type {[number, number][]} */
    const places = [];
    for (const track of data.tracks.filter(({ overlay }) => !overlay)) {
      const runs = track.cells[turn] ?? [];
      for (let run = 0; run < runs.length; run += 3) places.push(this.centre(runs[run]), this.centre(runs[run] + runs[run + 1] - 1));
    }
    const { width, height } = this.size();
    const [left, top] = this.corner();
    const [across, down] = [0, 1].map((axis) => {
      const all = places.map((place) => place[axis]);
      return { middle: (Math.min(...all) + Math.max(...all)) / 2, size: Math.max(...all) - Math.min(...all) };
    });
    const isSomewhere = places.length > 0 && across.size <= width / 2 && down.size <= height / 2;
    return isSomewhere ? [across.middle + left, down.middle + top] : null;
  }

  /** The cell under a point of the page, or -1. @param {number} clientX @param {number} clientY */
  cellAt(clientX, clientY) {
    if (!this.replay) return -1;
    const box = this.canvas.getBoundingClientRect();
    const scale = this.extent().width / box.width / this.view.scale;
    const [left, top] = this.corner();
    const [x, y] = [this.view.x - left + (clientX - box.left) * scale, this.view.y - top + (clientY - box.top) * scale];
    const data = this.replay.data;
    const cell = this.cell();
    let best = -1;
    let nearest = cell.height ** 2 / 3;
    const row = Math.floor(y / cell.pitch);
    for (let near = Math.max(0, row - 1); near <= Math.min(data.height - 1, row + 1); near++) {
      const column = Math.floor((x - (cell.hex && near % 2 === 1 ? cell.width / 2 : 0)) / cell.width);
      if (column < 0 || column >= data.width) continue;
      const index = near * data.width + column;
      const [cx, cy] = this.centre(index);
      const distance = cell.hex ? (x - cx) ** 2 + (y - cy) ** 2 : Math.max(Math.abs(x - cx), Math.abs(y - cy)) ** 2;
      if (distance < nearest) [best, nearest] = [index, distance];
    }
    return best;
  }

  /** Draws the replay's turn. */
  draw() {
    const replay = this.replay;
    if (!replay) return;
    const { width, height } = this.space ? SPACE : this.extent();
    const dense = window.devicePixelRatio || 1;
    this.across = this.bare || this.canvas.clientWidth;
    const pixels = Math.max(1, Math.round(this.across * dense));
    const high = Math.max(1, Math.round((pixels * height) / width));
    if (this.canvas.width !== pixels || this.canvas.height !== high) {
      this.canvas.width = pixels;
      this.canvas.height = high;
    }
    const context = this.context;
    const { scale, x, y } = this.view;
    const fine = (pixels / width) * scale;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, pixels, high);
    if (this.space) {
      context.setTransform(dense, 0, 0, dense, 0, 0);
      this.space.draw(replay, pixels / dense, high / dense);
    } else {
      const [left, top] = this.corner();
      context.setTransform(fine, 0, 0, fine, (left - x) * fine, (top - y) * fine);
      this.paint(replay);
    }
    this.fadeBefore();
  }

  /** Keeps what is shown, to be faded out in a step; players rather move. */
  keep() {
    if ((this.replay?.paths.length ?? 0) > 0) return;
    this.before ??= document.createElement("canvas");
    [this.before.width, this.before.height] = [this.canvas.width, this.canvas.height];
    this.before.getContext("2d")?.drawImage(this.canvas, 0, 0);
  }

  /** What was there before a step fades. */
  fadeBefore() {
    const { context, before } = this;
    if (!before || this.progress >= 1 || before.width !== this.canvas.width) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 1 - this.progress;
    context.drawImage(before, 0, 0);
    context.globalAlpha = 1;
  }

  /** The side of a cell on the screen, in pixels. */
  onScreen() {
    return (this.across / this.extent().width) * this.cell().width * this.view.scale;
  }

  /** @param {Replay} replay */
  paint(replay) {
    const seen = this.composed(replay);
    const { hex } = this.cell();
    const { paints } = replay.data;
    // Beads lie over the lines that join them; other cells lie below.
    const beads = replay.data.strokes.length > 0 && !hex;
    // The cell around which a piece turns is marked on what is there.
    const flat = hex ? withoutHeads(seen, paints) : seen;
    const byPaint = [...this.shapes(replay, flat.paints)];
    const hasGround = !hex && !this.bare;
    const under = hasGround && !beads ? this.full(byPaint, seen) : [];
    if (hasGround) this.drawUnder(under);
    else if (!this.bare) this.hexagons(replay);
    if (!this.bare) {
      this.unseen(seen.paints);
      this.recall(seen.paints);
    }
    if (beads) this.lines(replay);
    const isFlat = (/** @type {number} */ paint) => paints[paint].kind === "heat" || paints[paint].kind === "claim";
    const isLeft = (/** @type {number} */ cell) => under.length === 0 || !isFull(paints[seen.paints[cell] - 1], seen.overlaid[cell]);
    for (const [paint, cells] of byPaint.filter(([paint]) => isFlat(paint))) this.fill(paints[paint], cells.filter(isLeft), flat, beads);
    for (const [paint, cells] of byPaint.filter(([paint]) => !isFlat(paint))) {
      if (paints[paint].kind === "road") drawRoads(this, cells, paints[paint]);
      else this.fill(paints[paint], cells.filter(isLeft), flat, beads);
    }
    if (hex) this.raise(seen, flat.paints, paints);
    if (!beads) this.lines(replay);
    this.outlines(replay);
    for (const cell of seen.noticed) drawHalo(this, cell);
    drawWays(this, replay, seen.paints);
    if (hex) {
      seen.paints.forEach((paint, cell) => {
        if (paint > 0 && paints[paint - 1].kind === "head") drawPivot(this, cell, seen.glyphs[cell] !== "+", paints[paint - 1]);
      });
    }
    this.thought();
    drawCharacters(this, replay, seen, beads);
    drawLabels(this, replay, seen.overlaid);
    drawRings(this, replay, seen.paints, seen.glyphs);
    drawVeil(this, replay);
    this.fault(replay);
    this.frame();
  }

  /** Gives hexagons their relief. @param {Seen} seen @param {Uint16Array} flat @param {Style[]} paints */
  raise(seen, flat, paints) {
    /** @type {number[]} */
    const cells = [];
    flat.forEach((paint, cell) => {
      if (paint > 0 && RAISED.has(paints[paint - 1].kind) && !(seen.overlaid[cell] && paints[paint - 1].kind === "heat")) cells.push(cell);
    });
    drawRelief(this, cells, HEXAGON);
  }

  /** Marks who forfeited, on the last turn. @param {Replay} replay */
  fault(replay) {
    const fault = replay.data.outcome?.fault;
    if (!fault || replay.turn !== replay.last || this.bare) return;
    const cell = [...(replay.paths[fault.seat] ?? [])].reverse().find((at) => at >= 0) ?? -1;
    if (cell < 0) return;
    const [x, y] = this.centre(cell);
    const context = this.context;
    context.lineCap = "round";
    for (const [wide, colour] of /** @type {[number, string][]} */ ([[6.5, "#ffffff"], [3.4, "#c8400a"]])) {
      context.lineWidth = wide;
      context.strokeStyle = colour;
      context.stroke(new Path2D(`M${x - 8} ${y - 8}L${x + 8} ${y + 8}M${x - 8} ${y + 8}L${x + 8} ${y - 8}`));
    }
  }

  /** Whether a layer is shown. @param {import("./replay.js").LayerTrack} track */
  shows(track) {
    return !track.overlay || this.shown.has(track.name);
  }

  /**
   * What is seen of each cell: the number of its paint plus one, its character, whether a program
   * wrote that, and whether it is an overlay's.
   * @param {Replay} replay @returns {Seen}
   */
  composed(replay) {
    const shown = [...this.shown].join("\n");
    const { known } = this;
    // While a step is shown on its way, every frame shows the same position.
    if (known && known.replay === replay && known.turn === replay.turn && known.shown === shown) return known.seen;
    const seen = this.compose(replay);
    this.known = { replay, turn: replay.turn, shown, seen };
    return seen;
  }

  /** Composes what is seen of each cell from the layers. @param {Replay} replay @returns {Seen} */
  compose(replay) {
    const { data } = replay;
    const count = data.width * data.height;
    const paints = new Uint16Array(count);
    const beneath = new Uint16Array(count);
    const glyphs = new Array(count).fill("");
    const written = new Array(count).fill(false);
    const overlaid = new Array(count).fill(false);
    /** Beads that are to be noticed keep their colour. @type {number[]} */
    const noticed = [];
    const beads = data.strokes.length > 0 && data.lattice !== "hex";
    data.tracks.forEach((track, index) => {
      if (!this.shows(track)) return;
      const cells = replay.drawn[index].cells;
      for (let cell = 0; cell < count; cell++) {
        if (cells[cell] === 0) continue;
        const [paint, glyph] = data.looks[cells[cell] - 1];
        const below = paints[cell] ? data.paints[paints[cell] - 1].kind : "floor";
        // What a layer that dims the others has nothing to say about stays as it is.
        if (track.dims && data.paints[paint].kind === "floor") continue;
        if (!(glyph === " " && track.overlay && below !== "floor")) {
          glyphs[cell] = glyph;
          written[cell] = glyph !== " " && isDrawing(track.name);
        }
        if (beads && below === "thing" && data.paints[paint].kind === "accent" && !track.overlay) {
          noticed.push(cell);
          continue;
        }
        if (data.paints[paint].kind === "head") beneath[cell] = paints[cell];
        paints[cell] = paint + 1;
        overlaid[cell] = track.overlay;
      }
    });
    return { paints, below: beneath, glyphs, written, overlaid, noticed };
  }

  /** Cells by paint, floors left out. @param {Replay} replay @param {Uint16Array} paints */
  shapes(replay, paints) {
    /** @type {Map<number, number[]>} */
    const shapes = new Map();
    paints.forEach((paint, cell) => {
      if (paint === 0 || replay.data.paints[paint - 1].kind === "floor") return;
      const cells = shapes.get(paint - 1);
      if (cells) cells.push(cell);
      else shapes.set(paint - 1, [cell]);
    });
    return shapes;
  }

  /** The ground of hexagons. They have no frame: where the board ends is seen by their ground alone. @param {Replay} replay */
  hexagons(replay) {
    const context = this.context;
    context.fillStyle = this.dark ? "#23272e" : "#e9e8e2";
    context.beginPath();
    for (let cell = 0; cell < replay.data.width * replay.data.height; cell++) this.hexagon(cell, HEXAGON);
    context.fill();
  }

  /**
   * The cells that lie under everything, filled to their edges: by paint, and by how much of its colour is left.
   * @param {[number, number[]][]} byPaint @param {Seen} seen @returns {[number, number, number[]][]}
   */
  full(byPaint, seen) {
    const { paints } = /** @type {Replay} */ (this.replay).data;
    return byPaint.flatMap(([paint, cells]) => {
      const full = cells.filter((cell) => isFull(paints[paint], seen.overlaid[cell]));
      if (full.length === 0) return [];
      return [...this.byAge(paints[paint], full, seen)].map(([left, those]) => /** @type {[number, number, number[]]} */ ([paint, left, those]));
    });
  }

  /** Draws the ground with cells that are filled to their edges, and the grid. @param {[number, number, number[]][]} filled */
  drawUnder(filled) {
    const { context } = this;
    const { a: scale, e: x, f: y } = context.getTransform();
    const { width, height } = this.canvas;
    this.under ??= new Ground(this);
    this.under.draw({ scale, x, y, width, height }, filled);
    context.setTransform(scale, 0, 0, scale, x, y);
  }

  /** Hatches the cells of which nothing is known: they are out of sight. @param {Uint16Array} paints */
  unseen(paints) {
    const context = this.context;
    context.beginPath();
    paints.forEach((paint, cell) => {
      if (paint !== 0 || this.remembered.has(cell)) return;
      if (this.cell().hex) this.hexagon(cell, HEXAGON);
      else this.block(cell);
    });
    context.fillStyle = this.dark ? "#00000066" : "#00000014";
    context.fill();
    const pattern = this.pattern("rising", this.dark ? "#ffffff14" : "#0000001c");
    if (pattern) context.fillStyle = pattern;
    context.fill();
  }

  /** Draws what was seen before, paler than what is in sight. @param {Uint16Array} paints */
  recall(paints) {
    const { context } = this;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = "700 11px ui-monospace, 'DejaVu Sans Mono', monospace";
    for (const [cell, { style, glyph }] of this.remembered) {
      if (paints[cell] !== 0) continue;
      const shade = this.dark ? style.dark : style.light;
      const isFloor = style.kind === "floor";
      context.beginPath();
      if (this.cell().hex) this.hexagon(cell, HEXAGON);
      else this.block(cell);
      context.globalAlpha = isFloor ? 1 : PALE;
      context.fillStyle = isFloor ? (this.dark ? "#00000040" : "#0000000d") : shade.fill;
      context.fill();
      const pattern = isFloor || style.pattern === "solid" ? null : this.pattern(style.pattern, shade.line);
      if (pattern) {
        context.fillStyle = pattern;
        context.fill();
      }
      if (!isFloor && glyph.trim() !== "" && this.onScreen() >= LEGIBLE) {
        context.fillStyle = shade.ink;
        context.fillText(glyph, ...this.centre(cell));
      }
    }
    context.globalAlpha = 1;
  }

  /** @param {number} cell @param {number} size */
  hexagon(cell, size) {
    const [x, y] = this.centre(cell);
    const { width, height, corners } = SHAPES.hex;
    const points = corners.map(([right, down]) => [x + right * width * size, y + down * height * size]);
    this.context.moveTo(points[0][0], points[0][1]);
    for (const [right, down] of points.slice(1)) this.context.lineTo(right, down);
    this.context.closePath();
  }

  /** @param {Style} style @param {number[]} cells @param {Seen} seen @param {boolean} beads */
  fill(style, cells, seen, beads) {
    const context = this.context;
    const [dx, dy] = offsetOf(this, style);
    context.translate(dx, dy);
    const pattern = style.pattern === "solid" ? null : this.pattern(style.pattern, (this.dark ? style.dark : style.light).line);
    for (const [left, those] of this.byAge(style, cells, seen)) {
      context.globalAlpha = left;
      context.beginPath();
      for (const cell of those) this.shape(style, cell, seen, beads);
      context.fillStyle = (this.dark ? style.dark : style.light).fill;
      context.fill();
      if (pattern) {
        context.fillStyle = pattern;
        context.fill();
      }
    }
    context.globalAlpha = 1;
    context.translate(-dx, -dy);
  }

  /** Adds a cell to the path. @param {Style} style @param {number} cell @param {Seen} seen @param {boolean} beads */
  shape(style, cell, { paints, overlaid }, beads) {
    const { kind } = style;
    // An overlay's mark is smaller than a cell: no piece looks like that.
    const small = overlaid[cell] && (kind === "heat" || kind === "good" || kind === "bad" || kind === "accent");
    if (this.cell().hex) this.hexagon(cell, small ? 0.6 : HEXAGON);
    else if (beads && (kind === "thing" || kind === "accent" || kind === "heat")) this.bead(cell);
    else if (small) this.block(cell, 6.5);
    else if (kind === "heat" || kind === "claim" || kind === "roof") this.block(cell);
    else this.rounded(cell, paints, kind === "water" || kind === "green" ? 0 : 0.75);
  }

  /**
   * Cells by how much is left of them: where players have rings, trails fade with age.
   * @param {Style} style @param {number[]} cells @param {Seen} seen @returns {Iterable<[number, number[]]>}
   */
  byAge(style, cells, { overlaid }) {
    const replay = /** @type {Replay} */ (this.replay);
    const fades = (style.kind === "claim" || style.kind === "heat") && replay.paths.length > 0 && hasRings(replay);
    if (!fades) return [[1, cells]];
    /** @type {Map<number, number[]>} */
    const found = new Map();
    for (const cell of cells) {
      const left = overlaid[cell] ? 1 : fade(replay.ages()[cell]);
      const others = found.get(left);
      if (others) others.push(cell);
      else found.set(left, [cell]);
    }
    return found;
  }

  /** @param {number} cell */
  bead(cell) {
    const [x, y] = this.centre(cell);
    this.context.moveTo(x + 7.6, y);
    this.context.arc(x, y, 7.6, 0, 2 * Math.PI);
  }

  /** @param {number} cell @param {number} half half of its side */
  block(cell, half = SHAPES.square.width / 2) {
    const [x, y] = this.centre(cell);
    this.context.rect(x - half, y - half, 2 * half, 2 * half);
  }

  /**
   * A square whose corners are round where nothing of its look joins on.
   * @param {number} cell @param {Uint16Array} paints @param {number} gap
   */
  rounded(cell, paints, gap) {
    const { width, height } = /** @type {Replay} */ (this.replay).data;
    const [column, row] = [cell % width, Math.floor(cell / width)];
    /** @param {number} right @param {number} down */
    const same = (right, down) => {
      const [c, r] = [column + right, row + down];
      return c >= 0 && r >= 0 && c < width && r < height && paints[r * width + c] === paints[cell];
    };
    const [north, east, south, west] = [same(0, -1), same(1, 0), same(0, 1), same(-1, 0)];
    /** @param {boolean} a @param {boolean} b */
    const corner = (a, b) => (a || b ? 0 : ROUNDING);
    const [x, y] = this.centre(cell);
    const left = x - 10 + (west ? 0 : gap);
    const top = y - 10 + (north ? 0 : gap);
    const right = x + 10 - (east ? 0 : gap);
    const bottom = y + 10 - (south ? 0 : gap);
    this.context.roundRect(left, top, right - left, bottom - top, [
      corner(north, west),
      corner(north, east),
      corner(south, east),
      corner(south, west),
    ]);
  }

  /** @param {string} name @param {string} colour */
  pattern(name, colour) {
    const key = name + colour;
    const known = patterns.get(key);
    if (known !== undefined) return known;
    const tile = document.createElement("canvas");
    const fine = 4;
    tile.width = tile.height = SHAPES.patterns.tile * fine;
    const context = /** @type {CanvasRenderingContext2D} */ (tile.getContext("2d"));
    context.scale(fine, fine);
    context.strokeStyle = colour;
    context.lineWidth = SHAPES.patterns.stroke;
    context.stroke(new Path2D(SHAPES.patterns.lines[name]));
    const pattern = this.context.createPattern(tile, "repeat");
    pattern?.setTransform(new DOMMatrix().scale(1 / fine));
    patterns.set(key, pattern);
    return pattern;
  }

  /** @param {Replay} replay */
  lines(replay) {
    const { data } = replay;
    /** @type {Map<number, Path2D>} */
    const paths = new Map();
    data.tracks.forEach((track, index) => {
      if (!this.shows(track)) return;
      for (const number of replay.drawn[index].lines) {
        const [from, to, paint] = data.strokes[number];
        const path = paths.get(paint) ?? new Path2D();
        path.moveTo(...this.centre(from));
        path.lineTo(...this.centre(to));
        paths.set(paint, path);
      }
    });
    const context = this.context;
    context.lineCap = "round";
    for (const [paint, path] of paths) {
      const style = data.paints[paint];
      const tie = style.kind === "good" || style.kind === "bad";
      context.setLineDash(style.kind === "bad" ? [1, 4.5] : []);
      context.lineWidth = tie ? 3 : 5;
      context.strokeStyle = (this.dark ? style.dark : style.light).fill;
      context.stroke(path);
    }
    context.setLineDash([]);
  }

  /** @param {Replay} replay */
  outlines(replay) {
    const { data } = replay;
    /** @type {Map<number, [number[], number][]>} */
    const byPaint = new Map();
    data.tracks.forEach((track, index) => {
      if (!this.shows(track)) return;
      for (const number of replay.drawn[index].outlines) {
        const outline = (data.outlines ?? [])[number];
        const others = byPaint.get(outline[1]);
        if (others) others.push(outline);
        else byPaint.set(outline[1], [outline]);
      }
    });
    const context = this.context;
    /** @param {[number[], number][]} outlines @param {number} wide @param {string} colour */
    const fill = (outlines, wide, colour) => {
      context.fillStyle = colour;
      for (const outline of outlines) {
        /** @type {Path2D | Bar[]} */
        const border = this.border(outline, wide);
        if (border instanceof Path2D) context.fill(border);
        else for (const bar of border) context.fillRect(...bar);
      }
    };
    const kind = (/** @type {number} */ paint) => data.paints[paint].kind;
    // What is to be noticed lies over the others, with a bright rim.
    const sorted = [...byPaint].sort(([a], [b]) => Number(kind(a) === "accent") - Number(kind(b) === "accent"));
    for (const [paint, outlines] of sorted) {
      const { edge } = this.dark ? data.paints[paint].dark : data.paints[paint].light;
      const accent = kind(paint) === "accent";
      const isRoof = kind(paint) === "roof";
      if (isRoof && this.onScreen() >= 7) drawSlopes(this, outlines);
      if (accent) fill(outlines, 5.5, "#ffffff");
      fill(outlines, accent ? 2.6 : isRoof ? 1.4 : 1.8, edge);
    }
  }

  /**
   * The sides of a roof on its border that are in the light, and those in the shadow, as bars: each a place and a size.
   * None lies over another: light upon light would be too bright.
   * @param {[number[], number]} outline @param {number} wide @returns {[Bar[], Bar[]]}
   */
  slopes(outline, wide) {
    const known = this.roofs.get(outline);
    if (known) return known;
    const side = SHAPES.square.width;
    const columns = /** @type {Replay} */ (this.replay).data.width;
    const within = new Set(outline[0]);
    /** @type {[Bar[], Bar[]]} */
    const made = [[], []];
    for (const cell of outline[0]) {
      const [x, y] = this.centre(cell);
      const [left, top] = [x - side / 2, y - side / 2];
      const joins = (/** @type {number} */ right, /** @type {number} */ down) =>
        (cell % columns) + right >= 0 && (cell % columns) + right < columns && within.has(cell + right + down * columns);
      const [above, below] = [joins(0, -1) ? 0 : wide, joins(0, 1) ? 0 : wide];
      if (above) made[0].push([left, top, side, wide]);
      if (!joins(-1, 0)) made[0].push([left, top + above, wide, side - above]);
      if (below) made[1].push([left, top + side - wide, side, wide]);
      if (!joins(1, 0)) made[1].push([left + side - wide, top, wide, side - below]);
    }
    this.roofs.set(outline, made);
    return made;
  }

  /**
   * The sides of an outline's cells that lie on its border, as shapes this wide: to fill them
   * takes far less time than to draw lines, and least on squares, where they are upright bars.
   * @param {[number[], number]} outline @param {number} wide
   */
  border(outline, wide) {
    const known = this.borders.get(outline) ?? new Map();
    const path = known.get(wide) ?? (this.cell().hex ? this.traced(outline[0], wide) : this.bars(outline[0], wide));
    known.set(wide, path);
    this.borders.set(outline, known);
    return path;
  }

  /** The border of cells, its straight parts in one piece each. @param {number[]} cells @param {number} wide @returns {Bar[]} */
  bars(cells, wide) {
    const columns = /** @type {Replay} */ (this.replay).data.width;
    const side = SHAPES.square.width;
    const within = new Set(cells);
    const isEdge = (/** @type {number} */ cell, /** @type {number} */ right, /** @type {number} */ down) => {
      const column = (cell % columns) + right;
      return within.has(cell) && !(column >= 0 && column < columns && within.has(cell + right + down * columns));
    };
    /** @type {Bar[]} */
    const bars = [];
    for (const [right, down] of [[0, -1], [0, 1], [-1, 0], [1, 0]]) {
      // The next cell along this side of the border.
      const next = down !== 0 ? 1 : columns;
      for (const cell of cells) {
        const isBegun = (down !== 0 ? cell % columns > 0 : cell >= columns) && isEdge(cell - next, right, down);
        if (!isEdge(cell, right, down) || isBegun) continue;
        let long = 1;
        while ((down === 0 || (cell + long) % columns > 0) && isEdge(cell + long * next, right, down)) long++;
        const [x, y] = this.centre(cell);
        if (down !== 0) bars.push([x - side / 2 - wide / 2, y + (down * side) / 2 - wide / 2, long * side + wide, wide]);
        else bars.push([x + (right * side) / 2 - wide / 2, y - side / 2 - wide / 2, wide, long * side + wide]);
      }
    }
    return bars;
  }

  /** @param {number[]} cells @param {number} wide */
  traced(cells, wide) {
    const { width } = /** @type {Replay} */ (this.replay).data;
    const { width: across, height: high, corners, neighbours } = this.cell();
    const path = new Path2D();
    const within = new Set(cells);
    for (const cell of cells) {
      const [x, y] = this.centre(cell);
      const [column, odd] = [cell % width, Math.floor(cell / width) & 1];
      neighbours[odd].forEach(([right, down], side) => {
        const there = column + right >= 0 && column + right < width ? cell + right + down * width : -1;
        if (within.has(there)) return;
        const [from, to] = [corners[side], corners[(side + 1) % corners.length]];
        const [x0, y0, x1, y1] = [x + from[0] * across, y + from[1] * high, x + to[0] * across, y + to[1] * high];
        // A bar from corner to corner, half its width longer at both ends. All turn the same
        // way, so that they add up where they meet.
        const share = wide / 2 / Math.hypot(x1 - x0, y1 - y0);
        const [dx, dy] = [(x1 - x0) * share, (y1 - y0) * share];
        path.moveTo(x0 - dx + dy, y0 - dy - dx);
        path.lineTo(x1 + dx + dy, y1 + dy - dx);
        path.lineTo(x1 + dx - dy, y1 + dy + dx);
        path.lineTo(x0 - dx - dy, y0 - dy + dx);
        path.closePath();
      });
    }
    return path;
  }

  /** The move that is thought of, and the cursor. */
  thought() {
    const context = this.context;
    const { ok, isOutlined } = this.ghost;
    const ink = this.dark ? "#ffffff" : "#000000";
    const colour = isOutlined ? ink : ok ? (this.dark ? "#6fd3ff" : "#0072b2") : this.dark ? "#ff9a6b" : "#c8400a";
    context.beginPath();
    for (const cell of this.ghost.cells) {
      if (this.cell().hex) this.hexagon(cell, 0.8);
      else {
        const [x, y] = this.centre(cell);
        context.roundRect(x - 8, y - 8, 16, 16, 4);
      }
    }
    // What others would play is nobody's colour, and hides nothing.
    if (!isOutlined) {
      context.fillStyle = colour + "66";
      context.fill();
    }
    context.lineWidth = 1.5;
    context.strokeStyle = colour;
    if (!this.ghost.ok) context.setLineDash([3, 2]);
    context.stroke();
    context.setLineDash([]);
    this.drawMarks(this.marks);
    for (const { cells, sign, style } of this.ghost.parts ?? []) {
      const shade = this.dark ? style.dark : style.light;
      this.drawMarks(new Map(cells.map((cell) => [cell, sign])), shade.fill, shade.ink);
    }
    if (this.cursor >= 0) {
      context.beginPath();
      if (this.cell().hex) this.hexagon(this.cursor, HEXAGON);
      else {
        const [x, y] = this.centre(this.cursor);
        context.rect(x - 9.5, y - 9.5, 19, 19);
      }
      context.lineWidth = 2;
      context.strokeStyle = this.dark ? "#ffffff" : "#000000";
      context.stroke();
    }
  }

  /**
   * Draws what is marked for the next move, or what a hint puts there: a letter on a disc, on whatever is below.
   * @param {Map<number, string>} marks @param {string} [fill] @param {string} [ink]
   */
  drawMarks(marks, fill = "#ffffff", ink = "#000000") {
    const { context } = this;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = "700 13px system-ui, sans-serif";
    context.lineWidth = 1.5;
    context.strokeStyle = "#000000";
    for (const [cell, letter] of marks) {
      const [x, y] = this.centre(cell);
      context.beginPath();
      context.arc(x, y, 8, 0, 2 * Math.PI);
      context.fillStyle = fill;
      context.fill();
      context.stroke();
      context.fillStyle = ink;
      context.fillText(letter.toUpperCase(), x, y + 0.5);
    }
  }

  frame() {
    if (this.cell().hex || this.bare) return;
    const { width, height } = this.size();
    this.context.strokeStyle = this.dark ? "#ffffff55" : "#00000055";
    this.context.lineWidth = 1;
    this.context.strokeRect(0.5, 0.5, width - 1, height - 1);
  }
}

/** Whether a square is filled to its edge, below everything else; an overlay's mark is smaller. @param {Style} style @param {boolean} isOverlaid */
function isFull({ kind }, isOverlaid) {
  return kind === "claim" || kind === "roof" || (kind === "heat" && !isOverlaid);
}

/** What is seen if the cells around which pieces turn are left out. @param {Seen} seen @param {Style[]} paints @returns {Seen} */
function withoutHeads(seen, paints) {
  const isHead = (/** @type {number} */ paint) => paint > 0 && paints[paint - 1].kind === "head";
  return { ...seen, paints: seen.paints.map((paint, cell) => (isHead(paint) ? seen.below[cell] : paint)) };
}

/** The number of the paint by which a seat is known, wherever it is named; -1 if it is not drawn. @param {Replay} replay @param {number} seat */
function paintOfSeat({ data }, seat) {
  const find = (/** @type {string} */ kind) => data.paints.findIndex((style) => style.kind === kind && style.number === seat);
  return find("head") >= 0 ? find("head") : find("seat");
}

/** The colours of a seat, on the board and beside it. @param {Replay} replay @param {number} seat @param {boolean} dark @returns {import("./replay.js").Shade | null} */
export function shadeOfSeat(replay, seat, dark) {
  const style = replay.data.paints[paintOfSeat(replay, seat)];
  if (!style) return null;
  return dark ? style.dark : style.light;
}

/**
 * A small picture of how a seat looks, for the list of players.
 * @param {Replay} replay @param {number} seat @param {boolean} dark @returns {HTMLElement}
 */
export function swatch(replay, seat, dark) {
  const span = document.createElement("span");
  span.className = "swatch";
  span.setAttribute("aria-hidden", "true");
  const number = paintOfSeat(replay, seat);
  const shade = shadeOfSeat(replay, seat, dark);
  if (!shade) return span;
  const style = replay.data.paints[number];
  const look = replay.data.looks.find(([paint, glyph]) => paint === number && glyph !== " ");
  span.textContent = look ? look[1] : style.glyph;
  span.style.background = shade.fill;
  span.style.color = shade.ink;
  return span;
}
