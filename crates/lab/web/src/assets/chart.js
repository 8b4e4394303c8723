// @ts-check
// A chart of the match under its slider: the scores, territory as shares of a bar, or what
// players noted, turn by turn, with axes; pointing tells the values, a click goes to the turn.

import { element, letter } from "./parts.js";
import { shadeOfSeat } from "./board.js";
/** @typedef {import("./replay.js").Replay} Replay */

const WIDTH = 600;
const HEIGHT = 90;
/** The colours of seats, and of how many seats lines are drawn: nobody could tell more apart. */
const SEATS = 8;
const DRAWN_SEATS = 16;
const TERRITORY = "share of territory, %";
const SCORE = "score";
/** Maximum number of turning points that are listed. */
const MAX_LISTED = 4;
/** The share of a line's range that makes a leap worth listing. */
const LEAP = 0.2;
/** The lead in shares of territory, in percent, below which nobody is ahead: nearly all may be contested. */
const CLEAR = 5;
/** Letters of what an axis counts. */
const UNIT = 14;
const DASHES = ["", "7 4", "2 3", "10 3 2 3", "4 2", "1 4", "12 4", "6 2 1 2"];

/** A chart of what happened. */
export class ScoreChart {
  /** @param {Replay} replay @param {(turn: number) => void} go */
  constructor(replay, go) {
    this.replay = replay;
    const { found, standing, held } = series(replay);
    this.held = held;
    this.series = found;
    /** Names of what shows who is ahead. */
    this.standing = standing;
    /** Turns that are marked in the chart of this name. @type {{name: string, turns: number[]}} */
    this.marked = { name: "", turns: [] };
    /** Key moments: turning points, and marked turns. @type {{turn: number, isMistake: boolean}[]} */
    this.points = [];
    /** Called when they have changed. */
    this.onPoints = () => {};
    /** The scale of all turns. @type {{least: number, most: number, isFlat: boolean, isStacked: boolean} | null} */
    this.whole = null;
    this.element = element("div", { class: "chart" });
    this.element.hidden = this.series.size === 0;
    this.choice = element("select", { "aria-label": "What the chart shows" });
    for (const name of this.series.keys()) this.choice.append(element("option", { value: name }, name));
    this.choice.addEventListener("change", () => this.draw());
    const sheet = () => svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    this.svg = sheet();
    // What moves with the turn lies over the lines: they need not be painted again.
    this.over = sheet();
    this.over.classList.add("over");
    const turnAt = (/** @type {MouseEvent} */ event) => {
      const box = /** @type {SVGElement} */ (this.over).getBoundingClientRect();
      const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
      return Math.round(share * replay.last);
    };
    this.over.addEventListener("click", (event) => go(turnAt(event)));
    this.over.addEventListener("pointermove", (event) => this.tell(turnAt(event)));
    this.over.addEventListener("pointerleave", () => this.tell(this.replay.turn));
    this.cursor = svg("line", { class: "now", y1: 0, y2: HEIGHT });
    /** What lies over turns that are not told yet, and the last one that is. */
    this.veil = svg("rect", { class: "veil", y: 0, height: HEIGHT });
    this.told = replay.last;
    this.over.append(this.veil, this.cursor);
    /** Of the lines that are drawn, the least and the greatest value up to each turn. @type {[number, number][]} */
    this.extents = [];
    this.lines = svg("g", {});
    this.values = element("span", { class: "values" });
    this.most = element("span");
    this.least = element("span");
    this.unit = element("span", { class: "axis-unit" });
    this.turning = element("ol", { class: "turning", "aria-label": "Turning points" });
    this.rest = element("p", { class: "note", hidden: true }, "The rest is drawn as the match goes on; “tell the result” shows it now.");
    this.go = go;
    const first = element("span", {}, "turn 0");
    const last = element("span", {}, `turn ${replay.last}`);
    this.element.append(
      element("div", { class: "chart-words" }, this.choice, this.values),
      element(
        "div",
        { class: "plot", "aria-hidden": "true" },
        element("div", { class: "axis-y" }, this.most, this.unit, this.least),
        element("div", { class: "sheets" }, this.svg, this.over),
        element("div", { class: "axis-x" }, first, last),
      ),
      this.turning,
      this.rest,
    );
    this.draw();
  }

  /**
   * Draws lines that came to be known later, with marks on turns, in place of others that did.
   * @param {string} name @param {(number | null)[][]} lines @param {number[]} marks
   */
  add(name, lines, marks) {
    if (!this.choice) return;
    if (!this.series.has(name)) {
      if (this.series.delete(this.marked.name)) this.choice.querySelector(`option[value="${CSS.escape(this.marked.name)}"]`)?.remove();
      this.choice.append(element("option", { value: name }, name));
      this.choice.value = name;
    }
    this.series.set(name, lines);
    this.standing.add(name);
    this.marked = { name, turns: marks };
    this.element.hidden = false;
    this.draw();
  }

  draw() {
    if (!this.svg || !this.choice || !this.most || !this.least || !this.unit) return;
    const name = this.choice.value;
    const lines = this.series.get(name) ?? [];
    const stacked = name === TERRITORY;
    const [least, most] = stacked ? [0, 100] : range(lines);
    const flat = most === least;
    this.lines = svg("g", {});
    this.whole = { least, most, isFlat: flat, isStacked: stacked };
    this.extents = stacked ? [] : extentsOf(lines);
    this.svg.replaceChildren(this.lines);
    if (stacked) this.lines.append(...shares(lines, this.replay.last));
    else lines.forEach((line, seat) => {
      let path = "";
      thinned(line).forEach((turn) => {
        const value = line[turn];
        if (value === null) return;
        const x = (turn / Math.max(1, this.replay.last)) * WIDTH;
        const y = HEIGHT - 6 - (flat ? 0.5 : (value - least) / (most - least)) * (HEIGHT - 12);
        path += `${path ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
      });
      const shape = svg("path", { class: `line seat-${seat % SEATS}`, d: path, "stroke-dasharray": DASHES[(seat + 3 * Math.floor(seat / SEATS)) % DASHES.length] });
      this.lines?.append(shape);
    });
    if (this.choice.value === this.marked.name) for (const turn of this.marked.turns) {
      const x = ((turn / Math.max(1, this.replay.last)) * WIDTH).toFixed(1);
      this.svg.append(svg("path", { class: "mistake", d: `M${x} ${HEIGHT}V${HEIGHT - 12}` }));
    }
    // Where nobody is ahead of anybody, the mistakes of an analysis say all.
    const tells = this.standing.has(name) && (name !== this.marked.name || this.replay.data.contest === "versus");
    const points = withDecision(tells ? this.turningPoints(name, lines) : [], this.replay.data, this.replay.last);
    for (const { turn } of points) {
      const x = ((turn / Math.max(1, this.replay.last)) * WIDTH).toFixed(1);
      this.svg.append(svg("path", { class: "turning-point", d: `M${x} 0V${HEIGHT}` }));
    }
    this.list(points);
    const marked = this.marked.turns.map((turn) => ({ turn, isMistake: true }));
    this.points = [...points.map(({ turn }) => ({ turn, isMistake: false })), ...marked];
    this.onPoints();
    this.unit.textContent = stacked ? "%" : name === this.marked.name ? SCORE : axisWords(name, name === this.held);
    this.reveal(this.told ?? this.replay.last);
    this.tell(this.replay.turn);
  }

  /**
   * Shows the chart up to a turn: neither lines nor turning points beyond it, and the scale of the part that is seen.
   * @param {number} told
   */
  reveal(told) {
    const { veil, rest, whole, lines, turning, most, least } = this;
    if (!veil || !rest || !whole || !lines || !turning || !most || !least) return;
    this.told = told;
    const { last } = this.replay;
    const isWhole = told >= last;
    const x = (told / Math.max(1, last)) * WIDTH;
    veil.setAttribute("x", x.toFixed(1));
    veil.setAttribute("width", (WIDTH - x).toFixed(1));
    rest.hidden = isWhole;
    turning.querySelectorAll("li").forEach((item) => (item.hidden = Number(item.dataset.turn) > told));
    if (whole.isStacked) {
      most.textContent = "100";
      least.textContent = "0";
      return;
    }
    const [low, high] = isWhole ? [whole.least, whole.most] : (this.extents?.[told] ?? [whole.least, whole.most]);
    most.textContent = high === low ? "" : round(high);
    least.textContent = Number.isFinite(low) ? round(low) : "";
    // The lines are drawn on the scale of all turns; what is seen of them fills the chart.
    const all = whole.most - whole.least;
    const room = HEIGHT - 12;
    const scale = high > low && all > 0 ? all / (high - low) : 1;
    const middle = whole.isFlat || !Number.isFinite(low) ? 0.5 : ((low + high) / 2 - whole.least) / all;
    const y = HEIGHT - 6 - middle * room;
    lines.setAttribute("transform", isWhole || whole.isFlat ? "" : `translate(0 ${(HEIGHT / 2 - scale * y).toFixed(2)}) scale(1 ${scale.toFixed(4)})`);
  }

  /** Gives the lines the colours of their seats on the board. @param {boolean} dark */
  colour(dark) {
    for (let seat = 0; seat < SEATS; seat++) {
      const shade = shadeOfSeat(this.replay, seat, dark);
      if (shade) this.element.style.setProperty(`--seat-${seat}`, shade.fill);
    }
  }

  /**
   * Where a match turned: of rivals who leads from then on, otherwise the greatest leaps.
   * @param {string} name @param {(number | null)[][]} lines @returns {TurningPoint[]}
   */
  turningPoints(name, lines) {
    const { contest, goal } = this.replay.data;
    if (contest !== "versus" || lines.length < 2) return leaps(lines);
    // Whatever is not a score is the better the more there is of it.
    const isScore = name === SCORE || name === this.marked.name;
    return changesOfLead(lines, isScore && goal === "lowest", name === TERRITORY ? CLEAR : 0);
  }

  /** Lists where it turned; a press goes there. @param {TurningPoint[]} points */
  list(points) {
    if (!this.turning || !this.go) return;
    const { go } = this;
    this.turning.hidden = points.length === 0;
    this.turning.replaceChildren(...points.map(({ turn, text }) => {
      const jump = element("button", { type: "button" }, `turn ${turn}: ${text}`);
      jump.addEventListener("click", () => go(turn));
      return element("li", { "data-turn": turn }, jump);
    }));
  }

  /** Tells the values of a turn in words. @param {number} turn */
  tell(turn) {
    if (!this.values || !this.choice) return;
    if (turn > (this.told ?? turn)) {
      this.values.replaceChildren(`turn ${turn}: not told yet`);
      return;
    }
    const lines = this.series.get(this.choice.value) ?? [];
    /** @type {(string | Node)[]} */
    const known = [];
    lines.forEach((line, seat) => {
      const value = line[turn] ?? null;
      if (value === null) return;
      if (lines.length === 1) {
        known.push(round(value));
        return;
      }
      const dot = element("i", { class: `dot seat-${seat % SEATS}`, "aria-hidden": "true" });
      known.push(element("span", { class: "value" }, dot, `${letter(seat)} ${round(value)}`));
    });
    const claimed = lines.reduce((sum, line) => sum + (line[turn] ?? 0), 0);
    if (this.choice.value === TERRITORY && known.length > 0 && claimed < 99.95) known.push(element("span", { class: "value" }, ` contested ${round(100 - claimed)}`));
    this.values.replaceChildren(`turn ${turn}: `, ...(known.length > 0 ? known : ["–"]));
  }

  /** Moves the mark. @param {number} turn */
  mark(turn) {
    const x = String((turn / Math.max(1, this.replay.last)) * WIDTH);
    this.cursor?.setAttribute("x1", x);
    this.cursor?.setAttribute("x2", x);
    this.tell(turn);
  }
}

/** Parts of a chart of which a line has no more than four points each: nobody could see more. */
const PARTS = 300;

/** The turns whose values draw a line: all, or of each part of it the first, the last, the least and the greatest. @param {(number | null)[]} line @returns {number[]} */
export function thinned(line) {
  if (line.length <= 4 * PARTS) return [...line.keys()];
  const long = line.length / PARTS;
  /** @type {Set<number>} */
  const kept = new Set();
  for (let part = 0; part < PARTS; part++) {
    const [from, to] = [Math.floor(part * long), Math.floor((part + 1) * long)];
    const known = Array.from({ length: to - from }, (_, at) => from + at).filter((turn) => line[turn] !== null);
    if (known.length === 0) continue;
    const value = (/** @type {number} */ turn) => /** @type {number} */ (line[turn]);
    const least = known.reduce((best, turn) => (value(turn) < value(best) ? turn : best));
    const most = known.reduce((best, turn) => (value(turn) > value(best) ? turn : best));
    [known[0], least, most, known[known.length - 1]].sort((a, b) => a - b).forEach((turn) => kept.add(turn));
  }
  return [...kept];
}

/** Shares of a whole, one above the other. @param {(number | null)[][]} lines @param {number} last */
function shares(lines, last) {
  const below = new Array(last + 1).fill(0);
  return lines.map((line, seat) => {
    let share = 0;
    /** @type {string[][]} */
    const [lower, upper] = [[], []];
    const every = Math.max(1, Math.floor(last / (4 * PARTS)));
    for (let turn = 0; turn <= last; turn++) {
      // At the end nobody has anything before them: what was last known stays.
      share = line[turn] ?? share;
      if (turn % every !== 0 && turn < last) continue;
      const x = ((turn / Math.max(1, last)) * WIDTH).toFixed(1);
      const y = (/** @type {number} */ value) => (HEIGHT * (1 - value / 100)).toFixed(1);
      lower.unshift(`${x} ${y(below[turn])}`);
      below[turn] += share;
      upper.push(`${x} ${y(below[turn])}`);
    }
    return svg("path", { class: `area seat-${seat % SEATS}`, d: `M${upper.join("L")}L${lower.join("L")}Z` });
  });
}

/** The least and the greatest value of lines up to each turn. @param {(number | null)[][]} lines @returns {[number, number][]} */
export function extentsOf(lines) {
  /** @type {[number, number][]} */
  const extents = [];
  let [least, most] = [Infinity, -Infinity];
  for (let turn = 0; turn < (lines[0]?.length ?? 0); turn++) {
    for (const line of lines) {
      const value = line[turn];
      if (value === null || value === undefined) continue;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    extents.push([least, most]);
  }
  return extents;
}

/** @typedef {{turn: number, text: string}} TurningPoint */

/**
 * Turning points with the turns that the sentence about the whole match names: whatever the lines show, these are
 * moments to look at. The end is none.
 * @param {TurningPoint[]} points @param {{contest: string, decision?: string | null}} data @param {number} last
 */
export function withDecision(points, { contest, decision }, last) {
  if (contest !== "versus") return points;
  const named = [...(decision ?? "").matchAll(/([^;,.:]+?) on turn (\d+)\b/g)].map(([, text, turn]) => ({ turn: Number(turn), text: text.trim() }));
  const added = named.filter(({ turn }) => turn < last);
  const others = points.filter((point) => added.every(({ turn }) => turn !== point.turn));
  return [...others, ...added].sort((one, other) => one.turn - other.turn);
}

/**
 * The least and the greatest value that a chart shows. A last value far from all others, as after a
 * dead end, would leave no room to them: the line leads out of the chart there.
 * @param {(number | null)[][]} lines @returns {[number, number]}
 */
function range(lines) {
  const extent = (/** @type {(number | null)[]} */ values) => {
    const known = values.filter((value) => value !== null);
    return /** @type {[number, number]} */ ([Math.min(...known), Math.max(...known)]);
  };
  const [least, most] = extent(lines.flat());
  const [low, high] = extent(lines.flatMap((line) => line.slice(0, -1)));
  const room = 1.5 * (high - low);
  return room > 0 && (least < low - room || most > high + room) ? [low, high] : [least, most];
}

/** @param {(number | null)[][]} lines @param {boolean} isLowestBest @param {number} clear the smallest lead that counts @returns {TurningPoint[]} */
export function changesOfLead(lines, isLowestBest, clear) {
  const turns = lines[0].length;
  /** @type {{turn: number, seat: number, lasts: number}[]} */
  const leads = [];
  for (let turn = 0; turn < turns; turn++) {
    // Whoever looks equal in the figures beside the chart does not lead.
    const gains = lines.map((line) => Number(round(line[turn] ?? NaN)) * (isLowestBest ? -1 : 1));
    const best = Math.max(...gains);
    const seat = gains.indexOf(best);
    const before = leads[leads.length - 1];
    // The leader stays the leader until another seat leads alone.
    const isAhead = gains.every((gain, other) => other === seat || !(gain > best - clear));
    const isNew = seat >= 0 && gains.lastIndexOf(best) === seat && isAhead && before?.seat !== seat;
    if (isNew) leads.push({ turn, seat, lasts: 1 });
    else if (before) before.lasts++;
  }
  const last = leads[leads.length - 1];
  const listed = [...leads].sort((a, b) => b.lasts - a.lasts).slice(0, MAX_LISTED);
  // The last one decides, however long it lasts. Between two that are listed, the lead changed hands.
  const kept = leads.filter((lead) => lead === last || (listed.includes(lead) && lead.lasts > Math.max(2, turns / 20)));
  const changes = kept.filter((lead, at) => kept[at - 1]?.seat !== lead.seat);
  return changes.map(({ turn, seat }) => ({ turn, text: `${letter(seat)} ${turn === 0 ? "leads" : "takes the lead"}` }));
}

/** @param {(number | null)[][]} lines @returns {TurningPoint[]} */
function leaps(lines) {
  const known = lines.flat().filter((value) => value !== null);
  const enough = LEAP * (Math.max(...known) - Math.min(...known));
  /** Who leaps how far at once, by turn and distance. @type {Map<string, {turn: number, by: number, seats: number[]}>} */
  const found = new Map();
  lines.forEach((line, seat) => line.forEach((value, turn) => {
    const by = (value ?? NaN) - (line[turn - 1] ?? NaN);
    if (by === 0 || !(Math.abs(by) >= enough)) return;
    const leap = found.get(`${turn} ${by}`) ?? { turn, by, seats: [] };
    leap.seats.push(seat);
    found.set(`${turn} ${by}`, leap);
  }));
  const listed = [...found.values()].sort((a, b) => Math.abs(b.by) * b.seats.length - Math.abs(a.by) * a.seats.length);
  return listed.slice(0, MAX_LISTED).sort((a, b) => a.turn - b.turn).map(({ turn, by, seats }) => {
    const who = lines.length > 1 ? `${seats.map(letter).join(", ")} ` : "";
    return { turn, text: `${who}${by > 0 ? "up" : "down"} by ${round(Math.abs(by))}` };
  });
}

/** What an axis counts, in a few words; who holds which units, in units. @param {string} name @param {boolean} isHeld */
function axisWords(name, isHeld) {
  if (isHeld) return name.slice(name.lastIndexOf(" ") + 1);
  return name.length > UNIT ? name.slice(0, UNIT).replace(/\s+\S*$/, "") : name;
}

/** @param {number} value */
function round(value) {
  return String(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4)));
}

/**
 * What can be drawn: for each name a line a seat, with `null` where nothing is known. The
 * first is shown first: territory, where scores are known only at the end. And the names of what
 * shows who is ahead.
 * @param {Replay} replay @returns {{found: Map<string, (number | null)[][]>, standing: Set<string>, held: string}}
 */
function series(replay) {
  /** @type {Map<string, (number | null)[][]>} */
  const found = new Map();
  const seats = Math.min(DRAWN_SEATS, replay.data.players.length);
  const scores = Array.from({ length: seats }, (_, seat) => replay.scores.map((now) => now[seat] ?? null));
  const changes = replay.scores.filter((now, turn) => now.some((own, seat) => own !== replay.scores[0][seat]) && turn < replay.last);
  const land = territory(replay, seats);
  // Where all have the same score, what they hold says more.
  const alike = seats > 1 && replay.scores.every((now) => now.every((own) => own === now[0]));
  const [title, parts] = held(replay, seats);
  if (parts && alike) found.set(title, parts);
  if (land && changes.length === 0) found.set(TERRITORY, land);
  if (scores.some((line) => line.some((value) => value !== line[0]))) found.set(SCORE, scores);
  if (land) found.set(TERRITORY, land);
  const standing = new Set(found.keys());
  replay.data.turns.forEach((turn, at) => {
    for (const [seat, name, value] of turn.notes ?? []) {
      if (seat >= seats || value === null) continue;
      let lines = found.get(name);
      if (!lines) {
        lines = Array.from({ length: seats }, () => new Array(replay.data.turns.length).fill(null));
        found.set(name, lines);
      }
      lines[seat][at] = value;
    }
  });
  return { found, standing, held: title };
}

/**
 * A panel with a line for each seat that begins with its letter: what it counts, turn by turn.
 * @param {Replay} replay @param {number} seats @returns {[string, number[][] | null]}
 */
function held(replay, seats) {
  const place = (replay.panels[0] ?? []).findIndex((panel) => panel.figures?.[0]?.[0] === letter(0) && panel.figures.length >= seats);
  if (place < 0) return ["", null];
  const count = (/** @type {string} */ text) => Number(/(\d+) of/.exec(text)?.[1] ?? 0);
  const lines = Array.from({ length: seats }, (_, seat) => replay.panels.map((now) => count(now[place]?.figures?.[seat]?.[1] ?? "")));
  return [replay.panels[0][place].title, lines];
}

/**
 * Of the cells that anybody can reach, the share of each seat, in percent; what is missing from 100 is
 * reached by several at once. Null for games without territory.
 * @param {Replay} replay @param {number} seats @returns {(number | null)[][] | null}
 */
export function territory(replay, seats) {
  const { data } = replay;
  const track = data.tracks.find((one) => one.name === "territory");
  if (!track) return null;
  // Whose a look is: a seat's, that of all who get there at once, or -1 for looks that are nobody's.
  const contested = data.players.length;
  const owner = (/** @type {import("./replay.js").Style} */ { kind, number }) => (kind === "claim" ? number : kind === "heat" ? contested : -1);
  const owners = [-1, ...data.looks.map(([paint]) => owner(data.paints[paint]))];
  const cells = new Uint16Array(data.width * data.height);
  const held = new Array(data.players.length + 1).fill(0);
  return data.turns.reduce((lines, _, turn) => {
    const runs = track.cells[turn] ?? [];
    for (let at = 0; at < runs.length; at += 3) {
      for (let cell = runs[at]; cell < runs[at] + runs[at + 1]; cell++) {
        const [before, after] = [owners[cells[cell]], owners[runs[at + 2]]];
        if (before >= 0) held[before]--;
        if (after >= 0) held[after]++;
        cells[cell] = runs[at + 2];
      }
    }
    const all = held.reduce((sum, own) => sum + own, 0);
    lines.forEach((line, seat) => line.push(all > 0 ? (100 * held[seat]) / all : null));
    return lines;
  }, Array.from({ length: seats }, () => /** @type {(number | null)[]} */ ([])));
}

/** @param {string} tag @param {Record<string, string | number>} attributes @returns {SVGElement} */
function svg(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}
