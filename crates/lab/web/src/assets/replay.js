// @ts-check
// A match as data, and the position at any turn of it. Turns are kept as changes; a
// whole position is kept now and then, so that no jump is far.

/**
 * How a role looks; colours are `#rrggbb`.
 * @typedef {{fill: string, line: string, ink: string, edge: string}} Shade
 * @typedef {{kind: string, number: number, pattern: string, glyph: string, light: Shade, dark: Shade}} Style
 * @typedef {{name: string, overlay: boolean, cells: number[][], lines?: number[][], outlines?: number[][], labels?: number[][], rings?: number[][], dims?: boolean}} LayerTrack
 * @typedef {{lattice: string, width: number, height: number, cells: number[], outlines?: number[]}} Picture
 * @typedef {{title: string, picture?: Picture, figures?: [string, string][], text?: [string, boolean][],
 *   bars?: [string, number, number, number][]}} Panel
 * @typedef {{layer: string, kind: string, look: number, text: string}} LegendLine
 * @typedef {{
 *   caption: string, scores?: number[], played?: [number, string][], told?: string[], notes?: [number, string, number][], log?: [number, string][],
 *   panels?: (Panel | null)[], slices?: number[],
 * }} Turn
 * @typedef {{seat: number, kind: string, detail: string, said?: string[]}} Fault
 * @typedef {{scores: number[], ending: string, truncated?: boolean, fault?: Fault, metrics?: Record<string, number>}} Outcome
 * @typedef {{
 *   format: number, record: string | null, game: string, scenario: string, seed: string,
 *   budget: string, players: string[], goal: string, contest: string, lattice: string,
 *   width: number, height: number, paints: Style[], looks: [number, string][],
 *   strokes: [number, number, number][], outlines?: [number[], number][], labels: [number, string][], rings?: [number, number[], number][],
 *   tracks: LayerTrack[], legend?: LegendLine[], turns: Turn[], outcome: Outcome | null, result?: string, figures?: [string, number][], decision?: string, left_out?: string[],
 * }} ReplayData
 * @typedef {{cells: Uint16Array, lines: Set<number>, outlines: Set<number>, labels: Set<number>, rings: Set<number>}} LayerState
 */

/** Turns between two positions that are kept whole. */
const KEPT_EVERY = 64;

/** A match, at one of its turns. */
export class Replay {
  /** @param {ReplayData} data */
  constructor(data) {
    this.data = data;
    this.last = data.turns.length - 1;
    this.turn = -1;
    const cells = data.width * data.height;
    /** The layers at this turn, from the bottom up. @type {LayerState[]} */
    this.drawn = data.tracks.map(() => ({ cells: new Uint16Array(cells), lines: new Set(), outlines: new Set(), labels: new Set(), rings: new Set() }));
    /** @type {Map<number, LayerState[]>} */
    this.kept = new Map();
    /** The scores at every turn. @type {number[][]} */
    this.scores = [];
    /** The panels beside the board at every turn. @type {Panel[][]} */
    this.panels = [];
    /** The slices of a box at every turn, if it is one. @type {(number[] | null)[]} */
    this.slices = [];
    /** The turn of which the ages are known, when somebody was last in each cell, and the turns since then. */
    this.aged = { turn: -1, seen: new Int32Array(0), ages: new Uint16Array(0) };
    for (const turn of data.turns) {
      this.scores.push(turn.scores ?? this.scores[this.scores.length - 1] ?? []);
      this.slices.push(turn.slices ?? this.slices[this.slices.length - 1] ?? null);
      const before = this.panels[this.panels.length - 1] ?? [];
      this.panels.push(turn.panels?.map((panel, place) => panel ?? before[place]) ?? before);
    }
    /** Where each player's head was at every turn, -1 where it was not seen. @type {Int32Array[]} */
    this.paths = findPaths(data);
    this.seek(0);
  }

  /** Goes to a turn. @param {number} wanted */
  seek(wanted) {
    const turn = Math.max(0, Math.min(this.last, wanted));
    let kept = turn - (turn % KEPT_EVERY);
    while (kept > 0 && !this.kept.has(kept)) kept -= KEPT_EVERY;
    if (turn < this.turn || this.turn < kept) {
      const whole = this.kept.get(kept);
      if (whole) {
        this.drawn = copyLayers(whole);
        this.turn = kept;
      } else {
        for (const layer of this.drawn) {
          layer.cells.fill(0);
          layer.lines.clear();
          layer.outlines.clear();
          layer.labels.clear();
          layer.rings.clear();
        }
        this.turn = -1;
      }
    }
    while (this.turn < turn) {
      this.step(this.turn + 1);
    }
  }

  /** Applies the changes of the turn after this one. @param {number} turn */
  step(turn) {
    this.data.tracks.forEach((track, index) => {
      const layer = this.drawn[index];
      const runs = track.cells[turn] ?? [];
      for (let at = 0; at < runs.length; at += 3) {
        layer.cells.fill(runs[at + 2], runs[at], runs[at] + runs[at + 1]);
      }
      change(layer.lines, track.lines?.[turn]);
      change(layer.outlines, track.outlines?.[turn]);
      change(layer.labels, track.labels?.[turn]);
      change(layer.rings, track.rings?.[turn]);
    });
    this.turn = turn;
    if (turn % KEPT_EVERY === 0 && !this.kept.has(turn)) {
      this.kept.set(turn, copyLayers(this.drawn));
    }
  }

  /** What is known of this turn. @returns {Turn} */
  now() {
    return this.data.turns[this.turn];
  }

  /** For each cell, the turns since somebody was there. @returns {Uint16Array} */
  ages() {
    if (this.aged.turn === this.turn) return this.aged.ages;
    const cells = this.data.width * this.data.height;
    const isLater = this.aged.turn >= 0 && this.aged.turn < this.turn;
    const seen = isLater ? this.aged.seen : new Int32Array(cells).fill(-1);
    for (let turn = isLater ? this.aged.turn + 1 : 0; turn <= this.turn; turn++) {
      for (const way of this.paths) if (way[turn] >= 0) seen[way[turn]] = turn;
    }
    const ages = new Uint16Array(cells);
    seen.forEach((turn, cell) => (ages[cell] = turn < 0 ? 0xffff : Math.min(0xffff, this.turn - turn)));
    this.aged = { turn: this.turn, seen, ages };
    return ages;
  }

  /** The names of layers that are shown when asked for, first what programs drew. @returns {string[]} */
  overlays() {
    const names = this.data.tracks.filter((track) => track.overlay).map((track) => track.name);
    return [...names.filter(isDrawing), ...names.filter((name) => !isDrawing(name))];
  }

  /** What the marks of an overlay mean, in a line. @param {string} name @returns {string} */
  meaning(name) {
    const meanings = (this.data.legend ?? []).filter(({ layer }) => layer === name).map(({ text }) => text);
    return meanings.length > 0 ? `${name}: ${meanings.join("; ")}` : name;
  }
}

/** What programs drew, all of them. */
export const DRAWINGS = "drawings";

/** Whether programs drew an overlay, and not the game. @param {string} name */
export function isDrawing(name) {
  return name === DRAWINGS || name.startsWith(`${DRAWINGS} of `);
}

/** Players whose paths are kept; of a crowd there are none. */
const MAX_PATHS = 16;

/**
 * Where the heads of several players went, on squares.
 * @param {ReplayData} data @returns {Int32Array[]}
 */
function findPaths(data) {
  const seats = data.players.length;
  if (seats < 2 || seats > MAX_PATHS || data.lattice === "hex" || data.turns.length < 2) return [];
  // Whose head a look is; -1 for looks that are nobody's.
  const heads = [-1, ...data.looks.map(([paint]) => (data.paints[paint].kind === "head" ? data.paints[paint].number : -1))];
  const tracks = data.tracks.filter((track) => !track.overlay);
  const cells = tracks.map(() => new Uint16Array(data.width * data.height));
  const at = new Int32Array(seats).fill(-1);
  const found = Array.from({ length: seats }, () => new Int32Array(data.turns.length).fill(-1));
  data.turns.forEach((_, turn) => {
    tracks.forEach((track, layer) => {
      const runs = track.cells[turn] ?? [];
      for (let run = 0; run < runs.length; run += 3) {
        for (let cell = runs[run]; cell < runs[run] + runs[run + 1]; cell++) {
          const before = heads[cells[layer][cell]];
          if (before >= 0 && at[before] === cell) at[before] = -1;
          cells[layer][cell] = runs[run + 2];
        }
      }
      for (let run = 0; run < runs.length; run += 3) {
        const seat = heads[runs[run + 2]];
        if (seat >= 0 && seat < seats) at[seat] = runs[run] + runs[run + 1] - 1;
      }
    });
    found.forEach((way, seat) => (way[turn] = at[seat]));
  });
  return found.some((way) => way.some((cell) => cell >= 0)) ? found : [];
}

/** @param {LayerState[]} layers @returns {LayerState[]} */
function copyLayers(layers) {
  return layers.map((layer) => ({
    cells: layer.cells.slice(), lines: new Set(layer.lines), outlines: new Set(layer.outlines), labels: new Set(layer.labels),
    rings: new Set(layer.rings),
  }));
}

/** @param {Set<number>} numbers @param {number[] | undefined} changes */
function change(numbers, changes) {
  for (const number of changes ?? []) {
    if (number < 0) numbers.delete(~number);
    else numbers.add(number);
  }
}

/** A number without needless digits. @param {number} value @returns {string} */
export function figure(value) {
  return String(Math.round(value * 1000) / 1000);
}
