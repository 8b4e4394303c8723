// @ts-check
// The column beside the board: the panels of the turn, and the legend of what is shown.

import { Replay } from "./replay.js";
import { Board } from "./board.js";
import { element } from "./parts.js";

/** Pixels of a cell in a picture, and of one in the legend. */
const CELL = 22;
const SIGN = 20;
/** The most cells of the side of a piece that is shown beside a caption. */
const PIECE = 5;

/** The panels of a turn; what is new since the turn before is marked. */
export class Panels {
  constructor() {
    this.element = element("div", { class: "panels" });
    /** @type {import("./replay.js").Panel[]} */
    this.shown = [];
    this.dark = false;
  }

  /** A picture of its own of the piece that is asked for, if the game shows one that is small. @param {Replay} replay @param {boolean} dark */
  piece(replay, dark) {
    const shown = replay.panels[replay.turn]?.find((panel) => panel.picture)?.picture;
    return shown && Math.max(shown.width, shown.height) <= PIECE ? picture(replay, shown, dark) : null;
  }

  /** @param {Replay} replay @param {boolean} dark */
  draw(replay, dark) {
    const panels = replay.panels[replay.turn] ?? [];
    const before = replay.panels[replay.turn - 1] ?? [];
    this.element.hidden = panels.length === 0;
    if (panels === this.shown && dark === this.dark && panels === before) return;
    [this.shown, this.dark] = [panels, dark];
    this.element.replaceChildren(...panels.map((panel, place) => {
      const title = element("h2", {}, panel.title);
      const body = panel.picture ? picture(replay, panel.picture, dark)
        : panel.figures ? figures(panel.figures, before[place]?.figures)
          : panel.bars ? bars(replay, panel.bars, dark)
            : text(panel.text ?? []);
      const kind = panel.picture ? "of-picture" : panel.figures ? "of-figures" : panel.bars ? "of-bars" : "of-text";
      return element("section", { class: `panel ${kind}` }, title, body);
    }));
  }
}

/** @param {Replay} replay @param {import("./replay.js").Picture} shown @param {boolean} dark */
function picture(replay, shown, dark) {
  const track = { name: "", overlay: false, cells: [shown.cells], outlines: [shown.outlines ?? []] };
  const { lattice, width, height } = shown;
  const turns = [{ caption: "" }];
  const small = new Replay({ ...replay.data, lattice, width, height, tracks: [track], turns });
  const canvas = element("canvas", { "aria-hidden": "true" });
  const board = new Board(canvas);
  board.dark = dark;
  board.bare = 1;
  board.show(small);
  board.bare = Math.round((board.size().width / board.cell().width) * CELL);
  canvas.style.width = `${board.bare}px`;
  board.draw();
  return canvas;
}

/** @param {[string, string][]} now @param {[string, string][] | undefined} before */
function figures(now, before) {
  const rows = now.map(([name, value]) => {
    const old = before?.find(([known]) => known === name);
    const isNew = before !== undefined && old?.[1] !== value;
    return element("tr", { class: isNew ? "new" : "" }, element("th", { scope: "row" }, name), element("td", { class: "number" }, value));
  });
  return element("table", {}, ...rows);
}

/** @param {Replay} replay @param {[string, number, number, number][]} all @param {boolean} dark */
function bars(replay, all, dark) {
  const rows = all.map(([name, paint, value, of]) => {
    const full = element("i", { class: "full" });
    const { light, dark: night } = replay.data.paints[paint];
    full.style.width = `${(100 * value) / Math.max(1, of)}%`;
    full.style.background = (dark ? night : light).fill;
    return element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, element("span", { class: "bar" }, full)), element("td", { class: "number" }, `${value} of ${of}`));
  });
  return element("table", {}, ...rows);
}

/** @param {[string, boolean][]} spans */
function text(spans) {
  const words = element("p", {});
  for (const [text, lit] of spans) words.append(lit ? element("mark", {}, text) : text);
  return words;
}

/** The legend: what the marks of the layers that are shown mean. */
export class Legend {
  constructor() {
    this.list = element("ul", { class: "legend", "aria-label": "Legend" });
    this.element = this.list;
    this.key = "";
  }

  /** @param {Replay} replay @param {Set<string>} shown @param {boolean} dark @param {boolean} [inSpace] whether a box is drawn as one, not in slices */
  draw(replay, shown, dark, inSpace = false) {
    const { tracks, legend = [] } = replay.data;
    const overlays = new Set(tracks.filter((track) => track.overlay).map((track) => track.name));
    const lines = legend.filter(({ layer }) => !overlays.has(layer) || shown.has(layer));
    if (replay.paths.length > 0) lines.push({ layer: "", kind: "way", look: 0, text: "the way a player came" });
    if ((replay.data.rings ?? []).length > 0) lines.push({ layer: "", kind: "ring", look: 0, text: "ring: the units that a player holds" });
    if (inSpace) lines.splice(0, lines.length, ...linesInSpace(lines));
    const own = lines.findIndex(({ kind }) => kind === "unseen");
    const hides = !inSpace && hasUnseen(replay);
    if (own >= 0 && !hides) lines.splice(own, 1);
    else if (own < 0 && hides) lines.push({ layer: "", kind: "unseen", look: 0, text: "out of sight" });
    const key = JSON.stringify([dark, lines]);
    if (key === this.key) return;
    this.key = key;
    this.element.hidden = lines.length === 0;
    this.list.replaceChildren(...lines.map((line) => element("li", {}, sign(replay, line, dark), line.text)));
  }
}

/** The lines of a legend that hold for a box drawn in space: what lies between slices is not there. @param {import("./replay.js").LegendLine[]} lines */
export function linesInSpace(lines) {
  const rest = lines.filter(({ kind }) => kind !== "unseen");
  return [...rest, { layer: "", kind: "turns", look: 0, text: "in space: drag, or Shift and an arrow, to turn it" }];
}

/** Whether nothing is known of some cell. @param {Replay} replay */
function hasUnseen({ data, drawn }) {
  const always = drawn.filter((_, layer) => !data.tracks[layer].overlay).map(({ cells }) => cells);
  if (always.length === 0) return false;
  for (let cell = always[0].indexOf(0); cell >= 0; cell = always[0].indexOf(0, cell + 1)) {
    if (always.every((cells) => cells[cell] === 0)) return true;
  }
  return false;
}

/** @param {Replay} replay @param {import("./replay.js").LegendLine} line @param {boolean} dark */
function sign(replay, line, dark) {
  const { data } = replay;
  // Among beads, what is to be noticed is a ring.
  const isRing = line.kind === "cell" && data.strokes.length > 0 && data.lattice !== "hex" && data.paints[data.looks[line.look][0]].kind === "accent";
  if (line.kind === "cell" && !isRing) {
    const made = picture(replay, { lattice: data.lattice, width: 1, height: 1, cells: [0, 1, line.look + 1] }, dark);
    made.style.width = `${SIGN}px`;
    return made;
  }
  const canvas = element("canvas", { "aria-hidden": "true" });
  const fine = 2;
  canvas.width = canvas.height = SIGN * fine;
  canvas.style.width = canvas.style.height = `${SIGN}px`;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.scale(fine, fine);
  if (line.kind === "unseen") {
    context.fillStyle = dark ? "#00000066" : "#00000014";
    context.fillRect(0, 0, SIGN, SIGN);
    context.lineWidth = 1.5;
    context.strokeStyle = dark ? "#ffffff55" : "#00000055";
    context.stroke(new Path2D(`M0 ${SIGN / 2}L${SIGN / 2} 0M0 ${SIGN}L${SIGN} 0M${SIGN / 2} ${SIGN}L${SIGN} ${SIGN / 2}`));
    return canvas;
  }
  if (line.kind === "turns") {
    context.lineWidth = 1.5;
    context.strokeStyle = dark ? "#e8e8e4" : "#22252a";
    context.stroke(new Path2D("M4 7l6-4 6 4v7l-6 4-6-4zM4 7l6 4 6-4M10 11v7"));
    return canvas;
  }
  if (line.kind === "ring") {
    context.lineWidth = 3;
    [0, 1, 2].forEach((part) => {
      context.beginPath();
      context.arc(SIGN / 2, SIGN / 2, SIGN / 2 - 3, (part * 2 * Math.PI) / 3 - 1.4, ((part + 1) * 2 * Math.PI) / 3 - 1.7);
      context.globalAlpha = part === 0 ? 1 : 0.3;
      context.strokeStyle = dark ? "#e8e8e4" : "#22252a";
      context.stroke();
    });
    return canvas;
  }
  if (isRing) {
    context.lineWidth = 3;
    context.strokeStyle = dark ? "#ffffff" : "#000000";
    context.stroke(new Path2D(`M3 ${SIGN / 2}a7 7 0 1 0 14 0a7 7 0 1 0-14 0`));
    return canvas;
  }
  const style = data.paints[line.look];
  const shade = dark ? style.dark : style.light;
  context.lineCap = "round";
  if (line.kind === "way") {
    context.lineWidth = 2;
    context.strokeStyle = dark ? "#e8e8e4" : "#22252a";
    context.stroke(new Path2D(`M2 ${SIGN / 2}H${SIGN - 2}M8 ${SIGN / 2 - 4}l4 4-4 4`));
  } else if (line.kind === "line") {
    context.lineWidth = 4;
    context.strokeStyle = shade.fill;
    if (style.kind === "bad") context.setLineDash([1, 5]);
    context.beginPath();
    context.moveTo(3, SIGN / 2);
    context.lineTo(SIGN - 3, SIGN / 2);
    context.stroke();
  } else {
    if (style.kind === "accent") {
      context.lineWidth = 5.5;
      context.strokeStyle = "#ffffff";
      context.strokeRect(3.5, 3.5, SIGN - 7, SIGN - 7);
    }
    context.lineWidth = 2.6;
    context.strokeStyle = shade.edge;
    context.strokeRect(3.5, 3.5, SIGN - 7, SIGN - 7);
  }
  return canvas;
}
