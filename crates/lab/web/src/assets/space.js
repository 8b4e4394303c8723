// @ts-check
// A chain in space: the slices of a box that a drawing shows side by side are put together again
// and turned by hand. Beads and bonds are drawn from the back to the front.

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./replay.js").Replay} Replay */
/** @typedef {{x: number, y: number, z: number}} Point */

/** The shape of its place. */
export const SPACE = { width: 4, height: 3 };
/** How it is turned at first, and how far a pixel turns it. */
const FIRST_TURN = { yaw: 0.6, pitch: -0.45 };
const TURN = 0.01;
/** The distance of the eye, in radii of what is seen. */
const EYE = 5;
/** Radius of a bead, in sides of a cell. */
const BEAD = 0.3;
/** Where a bond begins, as a share of its bead's radius. */
const SUNK = 1;

/** The place of a cell in the box. @param {number} cell @param {number} columns of the drawing @param {number[]} slices @returns {Point} */
export function placeInBox(cell, columns, [left, top, wide]) {
  const [column, row] = [(cell % columns) - left, Math.floor(cell / columns) - top];
  return { x: column % (wide + 1), y: row, z: Math.floor(column / (wide + 1)) };
}

/** @param {[number, number]} cells @param {(cell: number) => Point} place @returns {[Point, Point]} */
const places = ([from, to], place) => [place(from), place(to)];

/** A bond from the surface of one bead to that of the other. @param {Point} from @param {Point} to @returns {[Point, Point]} */
function trimmed(from, to) {
  const along = (/** @type {number} */ share) => ({
    x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share, z: from.z + (to.z - from.z) * share,
  });
  return [along(BEAD * SUNK), along(1 - BEAD * SUNK)];
}

/** A chain that is turned. */
export class Space {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.yaw = FIRST_TURN.yaw;
    this.pitch = FIRST_TURN.pitch;
  }

  /** @param {number} dx pixels @param {number} dy */
  turn(dx, dy) {
    this.yaw += dx * TURN;
    this.pitch = Math.max(-1.55, Math.min(1.55, this.pitch - dy * TURN));
  }

  /** Draws the chain into a place of this size. @param {Replay} replay @param {number} width @param {number} height */
  draw(replay, width, height) {
    const slices = replay.slices[replay.turn];
    if (!slices) return;
    const { board } = this;
    const { data } = replay;
    const seen = board.composed(replay);
    /** @type {Map<number, Point>} */
    const beads = new Map();
    seen.paints.forEach((paint, cell) => {
      if (paint === 0) return;
      const { kind } = data.paints[paint - 1];
      if (kind === "thing" || (kind === "heat" && seen.glyphs[cell].trim() !== "")) beads.set(cell, placeInBox(cell, data.width, slices));
    });
    if (beads.size === 0) return;
    const turned = this.project([...beads.values()], width, height, board.view.scale);
    /** @type {{depth: number, draw: () => void}[]} */
    const parts = [];
    for (const [from, to, paint] of this.lines(replay)) {
      const ends = trimmed(...places([from, to], (cell) => beads.get(cell) ?? placeInBox(cell, data.width, slices))).map(turned);
      const style = data.paints[paint];
      parts.push({ depth: (ends[0].depth + ends[1].depth) / 2, draw: () => this.bond(ends[0], ends[1], style) });
    }
    const heads = new Set(seen.noticed);
    for (const [cell, at] of beads) {
      const { x, y, depth, size } = turned(at);
      const style = data.paints[seen.paints[cell] - 1];
      parts.push({ depth, draw: () => this.bead(x, y, size * BEAD, style, seen.glyphs[cell], heads.has(cell)) });
    }
    parts.sort((a, b) => b.depth - a.depth).forEach((part) => part.draw());
  }

  /**
   * How points of a chain come onto the page: turned around its middle, seen from a distance.
   * @param {Point[]} points @param {number} width @param {number} height @param {number} scale
   */
  project(points, width, height, scale) {
    const middle = (/** @type {(point: Point) => number} */ of) => {
      const values = points.map(of);
      return (Math.min(...values) + Math.max(...values)) / 2;
    };
    const [x0, y0, z0] = [middle(({ x }) => x), middle(({ y }) => y), middle(({ z }) => z)];
    const radius = Math.max(2, ...points.map(({ x, y, z }) => Math.hypot(x - x0, y - y0, z - z0))) + 0.6;
    const [siny, cosy, sinp, cosp] = [Math.sin(this.yaw), Math.cos(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch)];
    const unit = (Math.min(width, height) / 2 / radius) * 1.12 * scale * ((EYE - 1) / EYE);
    return (/** @type {Point} */ { x, y, z }) => {
      const [right, down, away] = [x - x0, y - y0, z - z0];
      const across = right * cosy + away * siny;
      const back = away * cosy - right * siny;
      const depth = back * cosp - down * sinp;
      const near = (EYE * radius) / (EYE * radius + depth);
      const size = unit * near * 1.05;
      return { x: width / 2 + across * size, y: height / 2 + (down * cosp + back * sinp) * size, depth, size };
    };
  }

  /** All bonds and contacts, those between slices as well. @param {Replay} replay */
  lines(replay) {
    const { data, drawn } = replay;
    return data.tracks.flatMap((_, index) => [...drawn[index].lines].map((number) => data.strokes[number]));
  }

  /** @param {{x: number, y: number, size: number}} from @param {{x: number, y: number, size: number}} to @param {import("./replay.js").Style} style */
  bond(from, to, style) {
    const { context, dark } = this.board;
    const isContact = style.kind === "good" || style.kind === "bad";
    const wide = ((from.size + to.size) / 2) * (isContact ? 0.09 : 0.2);
    context.lineCap = style.kind === "bad" ? "round" : "butt";
    context.setLineDash(style.kind === "bad" ? [wide * 0.1, wide * 2.2] : []);
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
    if (!isContact) {
      context.lineWidth = wide + 2;
      context.strokeStyle = dark ? "#14161a" : "#fbfaf7";
      context.stroke();
    }
    context.lineWidth = wide;
    context.strokeStyle = (dark ? style.dark : style.light).fill;
    context.stroke();
    context.setLineDash([]);
  }

  /** @param {number} x @param {number} y @param {number} radius @param {import("./replay.js").Style} style @param {string} glyph @param {boolean} isHead */
  bead(x, y, radius, style, glyph, isHead) {
    const { context, dark } = this.board;
    const shade = dark ? style.dark : style.light;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = shade.fill;
    context.fill();
    const light = context.createRadialGradient(x - radius * 0.35, y - radius * 0.4, radius * 0.1, x, y, radius);
    light.addColorStop(0, "#ffffff99");
    light.addColorStop(0.5, "#ffffff00");
    light.addColorStop(1, "#00000055");
    context.fillStyle = light;
    context.fill();
    context.lineWidth = isHead ? Math.max(3, radius * 0.22) : 1;
    context.strokeStyle = isHead ? (dark ? "#ffffff" : "#000000") : shade.line;
    context.stroke();
    if (radius < 6) return;
    context.fillStyle = shade.ink;
    context.font = `700 ${(radius * 1.15).toFixed(1)}px ui-monospace, 'DejaVu Sans Mono', monospace`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(glyph.trim() || style.glyph, x, y + radius * 0.08);
  }
}
