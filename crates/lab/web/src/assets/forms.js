// @ts-check
// What is more than a filled cell: roads, roofs, the relief of hexagons, and players with a ring
// of what they hold. Sizes come from the file that pictures on paper are drawn from.

import { SHAPES } from "./shapes.js";
import { offsetOf } from "./ways.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./replay.js").Replay} Replay */
/** @typedef {import("./replay.js").Style} Style */

const { forms } = SHAPES;
/** The width of a roof's slope, in units of the drawing, and the shares of light and shadow. */
const SLOPE = 2.6;
const LIGHT = 0.42;
const SHADOW = 0.2;
/** The turns after which a trail is fainter, and how much of it is left then. */
const AGES = [[5, 1], [15, 0.72], [40, 0.5], [Infinity, 0.3]];

/** Roads as lines through the cells that they join. @param {Board} board @param {number[]} cells @param {Style} style */
export function drawRoads(board, cells, style) {
  const { context } = board;
  const columns = /** @type {Replay} */ (board.replay).data.width;
  const within = new Set(cells);
  const side = board.cell().width;
  const squares = new Path2D();
  const path = new Path2D();
  for (const cell of cells) {
    const [x, y] = board.centre(cell);
    const right = (cell + 1) % columns !== 0 && within.has(cell + 1);
    const down = within.has(cell + columns);
    // A road of one cell is a dot; a line without any length would not be drawn.
    path.moveTo(x, y);
    path.lineTo(x + 0.01, y);
    if (right) path.lineTo(x + side, y);
    if (down) {
      path.moveTo(x, y);
      path.lineTo(x, y + side);
    }
    // Four cells around a corner are a place without a hole.
    if (right && down && within.has(cell + columns + 1)) squares.rect(x, y, side, side);
  }
  const { fill } = board.dark ? style.dark : style.light;
  context.lineCap = context.lineJoin = "round";
  context.lineWidth = forms.road * side;
  context.strokeStyle = context.fillStyle = fill;
  context.stroke(path);
  context.fill(squares);
}

/** The sides of roofs towards the light and away from it. @param {Board} board @param {[number[], number][]} outlines */
export function drawSlopes(board, outlines) {
  const { context } = board;
  for (const outline of outlines) {
    const [light, shadow] = board.slopes(outline, SLOPE);
    context.fillStyle = `rgb(255 255 255 / ${LIGHT})`;
    for (const bar of light) context.fillRect(...bar);
    context.fillStyle = `rgb(0 0 0 / ${SHADOW})`;
    for (const bar of shadow) context.fillRect(...bar);
  }
}

/** The relief of hexagons: light from above. @param {Board} board @param {number[]} cells @param {number} size */
export function drawRelief(board, cells, size) {
  const { width, height, corners } = SHAPES.hex;
  const inner = size * (1 - forms.relief.inset);
  const slopes = [[5, 0, 1], [2, 3, 4]].map((sides) => {
    const path = new Path2D();
    for (const cell of cells) {
      const [x, y] = board.centre(cell);
      const points = [...sides.map((side) => [side, size]), ...[...sides].reverse().map((side) => [side, inner])];
      points.forEach(([side, scale], at) => {
        const [right, down] = [x + corners[side][0] * width * scale, y + corners[side][1] * height * scale];
        if (at === 0) path.moveTo(right, down);
        else path.lineTo(right, down);
      });
      path.closePath();
    }
    return path;
  });
  board.context.fillStyle = `rgb(255 255 255 / ${forms.relief.light})`;
  board.context.fill(slopes[0]);
  board.context.fillStyle = `rgb(0 0 0 / ${forms.relief.dark})`;
  board.context.fill(slopes[1]);
}

/** The cell around which a piece turns: a dot in it, a ring outside of it. @param {Board} board @param {number} cell @param {boolean} isInside @param {Style} style */
export function drawPivot(board, cell, isInside, style) {
  const { context } = board;
  const [x, y] = board.centre(cell);
  const shade = board.dark ? style.dark : style.light;
  context.beginPath();
  context.arc(x, y, isInside ? 4 : 5, 0, 2 * Math.PI);
  context.lineWidth = 2.4;
  context.strokeStyle = isInside ? "#ffffff" : shade.fill;
  context.fillStyle = shade.fill;
  if (isInside) context.fill();
  context.stroke();
}

/**
 * Those who hold something, as discs larger than their cells, each in a ring of as many parts as
 * there are seats. @param {Board} board @param {Replay} replay @param {Uint16Array} paints @param {string[]} glyphs
 */
export function drawRings(board, replay, paints, glyphs) {
  const { data } = replay;
  const { context } = board;
  const { disc, radius, wide, faint } = forms.ring;
  const page = board.dark ? "#1b1e23" : "#ffffff";
  const shade = (/** @type {Style} */ style) => (board.dark ? style.dark : style.light);
  const colours = new Map(data.paints.filter(({ kind }) => kind === "head").map((style) => [style.number, shade(style).fill]));
  for (const [cell, held, of] of ringsOf(board, replay)) {
    const style = data.paints[paints[cell] - 1];
    if (!style) continue;
    const [dx, dy] = offsetOf(board, style);
    const [x, y] = [board.centre(cell)[0] + dx, board.centre(cell)[1] + dy];
    const circle = (/** @type {number} */ size, /** @type {string} */ colour) => {
      context.beginPath();
      context.arc(x, y, size, 0, 2 * Math.PI);
      context.fillStyle = colour;
      context.fill();
    };
    circle(radius + wide / 2 + 0.9, page);
    circle(disc, shade(style).fill);
    context.lineWidth = wide;
    context.lineCap = "butt";
    const gap = of > 1 ? Math.min(0.06, 0.5 / of) : 0;
    for (let part = 0; part < of; part++) {
      const angle = (/** @type {number} */ share) => ((part + share) / of - 0.25) * 2 * Math.PI;
      context.beginPath();
      context.arc(x, y, radius, angle(gap), angle(1 - gap));
      const has = held.includes(part);
      context.globalAlpha = has ? 1 : faint;
      context.strokeStyle = has ? colours.get(part) ?? page : board.dark ? "#e8e8e4" : "#22252a";
      context.stroke();
    }
    context.globalAlpha = 1;
    context.fillStyle = shade(style).ink;
    context.font = "700 11px ui-monospace, 'DejaVu Sans Mono', monospace";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(glyphs[cell].trim() || style.glyph, x, y + 0.6);
  }
}

/**
 * The rings that are shown: the cell of the head that each is around, what is filled, and the parts.
 * @param {Board} board @param {Replay} replay @returns {[number, number[], number][]}
 */
export function ringsOf(board, replay) {
  const { data, drawn } = replay;
  if (!data.rings) return [];
  const rings = data.rings;
  return drawn.flatMap((layer, index) => {
    if (layer.rings.size === 0 || !board.shows(data.tracks[index])) return [];
    /** @type {Map<number, number>} */
    const heads = new Map();
    layer.cells.forEach((look, cell) => {
      const style = look > 0 ? data.paints[data.looks[look - 1][0]] : null;
      if (style?.kind === "head") heads.set(style.number, cell);
    });
    return [...layer.rings].flatMap((number) => {
      const [seat, held, of] = rings[number];
      const cell = heads.get(seat);
      return cell === undefined ? [] : [/** @type {[number, number[], number]} */ ([cell, held, of])];
    });
  });
}

/** Whether anybody has a ring. @param {Replay} replay */
export function hasRings({ data, drawn }) {
  return data.rings !== undefined && drawn.some((layer) => layer.rings.size > 0);
}

/** How much is left of a trail of which nobody has walked for so many turns. @param {number} age */
export function fade(age) {
  return /** @type {number[]} */ (AGES.find(([most]) => age <= most))[1];
}

/** Dims the cells that a layer leaves out which is to be looked at alone. @param {Board} board @param {Replay} replay */
export function drawVeil(board, replay) {
  const { data } = replay;
  const index = data.tracks.findIndex((track) => track.dims && board.shown.has(track.name));
  if (index < 0) return;
  const { context } = board;
  const { cells } = replay.drawn[index];
  context.beginPath();
  for (let cell = 0; cell < cells.length; cell++) {
    if (cells[cell] === 0) board.block(cell, board.cell().width / 2 + 0.3);
  }
  context.fillStyle = board.dark ? "#14161ab8" : "#fbfaf7b8";
  context.fill();
}
