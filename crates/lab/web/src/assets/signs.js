// @ts-check
// What stands on cells: characters where there is room, numbers on roofs, labels, and rings around
// what is to be noticed.

import { SHAPES } from "./shapes.js";
import { offsetOf } from "./ways.js";
import { fade, hasRings } from "./forms.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./replay.js").Replay} Replay */
/** @typedef {import("./replay.js").Style} Style */
/** @typedef {import("./board.js").Seen} Seen */

/** Cells of a board that is crowded. */
const CROWDED = 900;
/** Kinds that are recognized by colour and pattern, without a character. */
const SILENT = new Set(SHAPES.silent);
/** Kinds of hexagons that have a relief, and no character. */
export const RAISED = new Set(SHAPES.forms.relief.kinds);
/** Kinds that belong to a town: their characters would drown it, and are shown on large cells. */
const TOWN = new Set(["roof", "road", "water", "green"]);
/** The least size of a cell on the screen, in pixels, for a letter of a town, a badge, a label. */
const LETTERED = 30;
const BADGED = 13;
const LABELLED = 17;

/** A ring around a bead that is to be noticed. @param {Board} board @param {number} cell */
export function drawHalo(board, cell) {
  const [x, y] = board.centre(cell);
  for (const [wide, colour] of /** @type {[number, string][]} */ ([[4.6, board.dark ? "#14161a" : "#ffffff"], [2.4, board.dark ? "#ffffff" : "#000000"]])) {
    board.context.beginPath();
    board.context.arc(x, y, 9, 0, 2 * Math.PI);
    board.context.lineWidth = wide;
    board.context.strokeStyle = colour;
    board.context.stroke();
  }
}

/**
 * What stands on cells: characters, and numbers on roofs.
 * @param {Board} board @param {Replay} replay @param {Seen} seen @param {boolean} beads
 */
export function drawCharacters(board, replay, seen, beads) {
  const context = board.context;
  context.font = "700 13px ui-monospace, 'DejaVu Sans Mono', monospace";
  // On a large board the characters of many small cells would drown everything else.
  const size = board.onScreen();
  const crowded = seen.paints.length > CROWDED && size < LETTERED;
  const { hex } = board.cell();
  context.textAlign = "center";
  context.textBaseline = "middle";
  seen.paints.forEach((number, cell) => {
    if (number === 0) return;
    const style = replay.data.paints[number - 1];
    let glyph = seen.glyphs[cell];
    // Beads keep their sign under an overlay's heat.
    if (hex && RAISED.has(style.kind) && !seen.written[cell]) return;
    if (TOWN.has(style.kind) && !seen.written[cell]) {
      if (style.kind === "roof" && glyph >= "0" && glyph <= "9") badge(board, cell, glyph, size);
      else if (size >= LETTERED) character(board, cell, glyph, style);
      return;
    }
    const isSilent = SILENT.has(style.kind) && !(beads && style.kind === "heat" && glyph.trim() !== "");
    if (isSilent && !seen.written[cell]) return;
    if (style.kind === "floor" && (glyph === " " || glyph === "." || glyph === "")) return;
    if (glyph === " " || glyph === "") glyph = style.glyph;
    const [x, y] = board.centre(cell);
    if (style.kind === "floor" && beads) {
      // A copy of a bead that lies elsewhere.
      context.beginPath();
      context.arc(x, y, 7.6, 0, 2 * Math.PI);
      context.fillStyle = board.dark ? "#1b1e23" : "#f6f6f3";
      context.fill();
      context.lineWidth = 1;
      context.strokeStyle = board.dark ? "#a2a8b3" : "#5d636d";
      context.setLineDash([2, 2]);
      context.stroke();
      context.setLineDash([]);
    }
    context.globalAlpha = crowded && style.kind === "thing" ? 0.45 : 1;
    character(board, cell, glyph, style);
  });
  context.globalAlpha = 1;
}

/** @param {Board} board @param {number} cell @param {string} glyph @param {Style} style */
function character(board, cell, glyph, style) {
  const [x, y] = board.centre(cell);
  const [dx, dy] = offsetOf(board, style);
  board.context.fillStyle = (board.dark ? style.dark : style.light).ink;
  board.context.fillText(glyph, x + dx, y + dy + 1);
}

/** A number on a roof; on a small one only a dot. @param {Board} board @param {number} cell @param {string} digit @param {number} size */
function badge(board, cell, digit, size) {
  const [x, y] = board.centre(cell);
  const { context } = board;
  const isSmall = size < BADGED;
  context.beginPath();
  context.arc(x, y, isSmall ? 1.6 + Number(digit) : 7, 0, 2 * Math.PI);
  context.fillStyle = "#ffffff";
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = "#22252a";
  context.stroke();
  if (isSmall) return;
  context.fillStyle = "#22252a";
  context.font = "700 11px ui-monospace, 'DejaVu Sans Mono', monospace";
  context.fillText(digit, x, y + 0.6);
  context.font = "700 13px ui-monospace, 'DejaVu Sans Mono', monospace";
}

/** @param {Board} board @param {Replay} replay @param {boolean[]} overlaid cells on which an overlay has its own sign */
export function drawLabels(board, replay, overlaid) {
  const context = board.context;
  const fades = replay.paths.length > 0 && hasRings(replay);
  if (board.onScreen() < LABELLED) return;
  context.font = "700 11px ui-monospace, 'DejaVu Sans Mono', monospace";
  context.textAlign = "center";
  context.textBaseline = "middle";
  replay.data.tracks.forEach((track, index) => {
    if (!board.shows(track)) return;
    for (const number of replay.drawn[index].labels) {
      const [cell, text] = replay.data.labels[number];
      if (overlaid[cell] && !track.overlay) continue;
      const [x, y] = board.centre(cell);
      context.globalAlpha = fades ? Math.max(0.55, fade(replay.ages()[cell])) : 1;
      context.lineWidth = 3;
      // Pointed joins would stick out of a figure 3.
      context.lineJoin = "round";
      context.strokeStyle = board.dark ? "#14161a" : "#ffffff";
      context.strokeText(text, x, y);
      context.fillStyle = board.dark ? "#e8e8e4" : "#22252a";
      context.fillText(text, x, y);
    }
  });
  context.globalAlpha = 1;
}
