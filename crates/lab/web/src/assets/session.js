// @ts-check
// A session: a match that a person plays. It knows no game: the server says what keys do, what
// may be done, and what pointing at a cell would mean.

import { Replay, figure } from "./replay.js";
import { Board, swatch } from "./board.js";
import { Zoom } from "./zoom.js";
import { Legend, Panels } from "./beside.js";
import { TextBoard } from "./text-board.js";
import { OwnModule } from "./own-module.js";
import { RivalModule } from "./rival-module.js";
import { keyOf, partsOn } from "./hint.js";
import { actionTools, markTools, movePad, nudgePad, paceChoice, touchHelp } from "./hands.js";
import { describeEnding, describeGivingUp, hasWon } from "./outcome.js";
import { ask, Refused, showKept } from "./server.js";
import { forget, keep } from "./kept-match.js";
import { Memory, stepOf } from "./memory.js";
import { describeJudgement, describeSolution, describeTask, evaluate, judge } from "./practise.js";
import { element, isCoarse, isDark, isTyping, letter, onSite, onTheme } from "./parts.js";

/**
 * @typedef {{help: string, marks: [string, string][], others: [string, string][]}} Pointing
 * @typedef {{help: string, keys: Record<string, string>, names: Record<string, string>, pointing: Pointing | null}} Controls
 * @typedef {{
 *   id: string, seat: number, turn: number, over: boolean, waiting: number[], can_undo: boolean, is_kept: boolean,
 *   replay: import("./replay.js").ReplayData, offered: string[], record: string | null, controls: Controls,
 * }} View
 * @typedef {{action: string, cells: [number, number][], refused: string | null, gain: number | null}} Meant
 * @typedef {{
 *   game: string, scenario: string, opponent: string, seat: number, think: number, name: string,
 *   seed?: number, actions?: string[],
 * }} NewMatchRequest what was asked for: enough to begin again
 * @typedef {import("./practise.js").Lesson} Lesson
 * @typedef {{
 *   begin: (request: NewMatchRequest) => void, neighbours: (opponent: string) => (string | null)[],
 *   practise: (lesson: Lesson) => void, practised: () => string, nextMistake: () => HTMLElement[],
 * }} Page what a session asks of the page that it is in: other matches, and mistakes to practise
 */

/** How many times larger a board is than what is seen of it for that to be shown large, and the cells around it. */
const SMALL_PART = 4;
const NEAR = 4;
/** The pixels of a cell below which a mark is easily overlooked, below which a finger misses it, and of one for a finger. */
const SMALL_CELL = 14;
const LEAST_FOR_FINGERS = 24;
const FOR_FINGERS = 30;
/** A window that is too low to show the board below what is above it. */
const LOW = "(max-height: 34rem)";
/** A window that is too narrow for anything beside the board. */
const NARROW = "(max-width: 52rem)";

/** What was seen of it. */
const SEEN = "seen";
/** What seats are called in the record that a module in the page plays. */
export const OUTSIDE = "human:outside";

/** Tells the server that nobody goes on with a match. @param {string} id */
export async function abandonSession(id) {
  // It may have been ended, or forgotten, already.
  await ask(`/api/play/${encodeURIComponent(id)}/end`, {}).catch(() => null);
}

/** A refusal with the cells that it names counted as the board's edge counts them, from 1. @param {string} text */
export function placesInWords(text) {
  return text.replace(/\((\d+), (\d+)\)/g, (_, row, column) => `row ${Number(row) + 1}, column ${Number(column) + 1}`);
}

/** What a person is called, without the mark of a record. @param {string} name */
export function called(name) {
  if (name === OUTSIDE) return "your module";
  return name.replace(/^human:/, "");
}

/** A match under way. */
export class Session {
  /** @param {Page} page @param {HTMLElement} root @param {View} view @param {NewMatchRequest} request @param {Lesson | null} lesson */
  constructor(page, root, view, request, lesson) {
    this.page = page;
    this.view = view;
    this.request = request;
    this.lesson = lesson;
    this.hasGivenUp = false;
    this.memory = new Memory();
    this.replay = new Replay(view.replay);
    this.isAsking = false;
    this.turns = 0;
    this.cell = -1;
    /** What is marked at each cell. @type {Map<number, string>} */
    this.marks = new Map();
    /** The mark that a click makes. @type {string | null} */
    this.tool = null;
    /** @type {Meant | null} */
    this.meant = null;
    /** The judgement on a practice. @type {HTMLElement | null} */
    this.verdict = null;
    this.lookedAt = "";
    this.lastAction = "";
    /** The action that led to the position that is shown next. */
    this.step = "";
    const { controls } = view;
    this.canvas = element("canvas", { role: "img", tabindex: "0" });
    this.board = new Board(this.canvas);
    this.board.dark = isDark();
    this.zoom = new Zoom(this.board, () => this.board.draw());
    // A second tap acts, however soon it comes.
    this.zoom.isResetByTwo = !controls.pointing;
    this.caption = element("p", { class: "caption", role: "status" });
    this.message = element("p", { class: "said", role: "alert" });
    this.score = element("p", { class: "summary" });
    this.result = element("p", { class: "result", role: "status" });
    this.result.hidden = true;
    this.overlays = element("div", { class: "overlays", role: "group", "aria-label": "Overlays" });
    this.panels = new Panels();
    this.legend = new Legend();
    this.asText = new TextBoard(this.board);
    /** How each seat looks. @type {HTMLElement[]} */
    this.looks = [];
    this.moves = movePad(controls, (action) => this.act(action));
    this.hasMoves = !this.moves.hidden;
    this.tools = this.toolbar(controls);
    this.nudge = this.nudges(controls);
    this.undo = element("button", { type: "button" }, "take back");
    this.undo.addEventListener("click", () => this.takeBack());
    this.hint = element("button", { type: "button" }, "hint");
    this.hint.addEventListener("click", () => this.advise());
    /** Whether it was said what help costs. */
    this.isWarned = false;
    /** Whether it was said what giving up means. */
    this.isLeaving = false;
    this.giveUp = element("button", { type: "button" }, "give up");
    this.giveUp.addEventListener("click", () => this.end());
    this.tools.append(this.undo, this.hint, this.giveUp);
    this.practice = element("div", { class: "practice" });
    if (lesson) this.practise(lesson);
    this.own = new OwnModule({
      question: () => ask(`/api/play/${this.view.id}/question`, {}),
      play: (action) => this.act(action),
      turn: () => this.view.turn,
      isOver: () => this.view.over,
    });
    this.rival = view.replay.players.includes(OUTSIDE)
      ? new RivalModule((seat) => ask(`/api/play/${this.view.id}/question`, { seat }), () => { this.tell("", ""); this.goOn(); }) : null;
    this.layOut(root);
    root.dataset.id = view.id;
    this.board.show(this.replay);
    const { width, height } = this.board.extent();
    const place = /** @type {HTMLElement} */ (this.canvas.parentElement);
    place.style.setProperty("--natural", `${Math.round(width * 2.4)}px`);
    place.style.setProperty("--ratio", String(width / height));
    this.closed = new AbortController();
    this.listen(this.closed.signal);
    this.show(view);
    this.lookNear();
    // For keys; a finger needs no frame around the board.
    if (!isCoarse()) this.canvas.focus({ preventScroll: true });
    if (matchMedia(LOW).matches) root.scrollIntoView();
  }

  /** Puts the parts into the page. @param {HTMLElement} root */
  layOut(root) {
    const { controls } = this.view;
    const byKeys = [controls.help, controls.pointing?.help].filter(Boolean).join("; ");
    // The caption says what is asked for; what stands beside the board is far below it on a phone.
    const isNarrow = matchMedia(NARROW).matches;
    if (!isNarrow) this.tools.append(this.zoom.element);
    const help = [element("p", { class: "note for-keys" }, byKeys), element("p", { class: "note for-fingers" }, touchHelp(controls))];
    root.replaceChildren(
      // Shows the result of a move, and of the match, next to the board: on a phone the rest is far below.
      element(
        "section", { class: "stage playing", "aria-label": "Board" },
        element("div", { class: "canvas" }, element("div", { class: "on-board" }, this.canvas, ...(isNarrow ? [this.zoom.element] : []))),
        ...(isNarrow ? [this.caption] : []), this.practice, this.result, this.message, element("div", { class: "hands" }, this.moves, this.nudge, this.tools),
      ),
      element("aside", { class: "beside" }, this.panels.element, ...(isNarrow ? [] : [this.caption]), ...(this.rival ? [this.rival.element] : []), this.score, this.players(), this.legend.element, this.overlays, this.asText.element, ...help, this.own.element),
    );
  }

  /** Follows keys, the pointer, the theme and the size. @param {AbortSignal} signal */
  listen(signal) {
    addEventListener("keydown", (event) => this.key(event), { signal });
    // A finger that moves scrolls, or drags the board; it points when it taps.
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "touch") this.point(this.board.cellAt(event.clientX, event.clientY));
    }, { signal });
    this.canvas.addEventListener("click", (event) => this.tap(event), { signal });
    this.canvas.addEventListener("contextmenu", (event) => { event.preventDefault(); this.turn(); }, { signal });
    onTheme(() => { this.board.dark = isDark(); this.draw(); });
    new ResizeObserver(() => this.board.draw()).observe(this.canvas);
  }

  /** Where only a small part of a large board is seen, shows that part. */
  lookNear() {
    const { paints } = this.board.composed(this.replay);
    const seen = [...paints.keys()].filter((cell) => paints[cell] > 0);
    if (seen.length > 0 && seen.length * SMALL_PART < paints.length) this.zoom.around(seen, NEAR);
  }

  close() {
    this.closed.abort();
    this.own.close();
    this.rival?.close();
    clearInterval(this.clock);
  }

  /** @param {View} view */
  show(view) {
    this.view = view;
    this.isLeaving = false;
    this.replay = new Replay(view.replay);
    this.board.replay = this.replay;
    this.meant = null;
    this.lookedAt = "";
    this.board.ghost = { cells: [], ok: true };
    // The finger is no longer where it was.
    if (isCoarse()) this.cell = this.board.cursor = -1;
    this.remember();
    this.switches();
    this.draw();
    const now = this.replay.now();
    const piece = matchMedia(NARROW).matches ? this.panels.piece(this.replay, this.board.dark) : null;
    this.caption.replaceChildren(...(piece ? [piece] : []), element("span", {}, `turn ${view.turn}: ${now.caption}`));
    this.caption.classList.toggle("of-piece", piece !== null);
    this.canvas.setAttribute("aria-label", `The board, turn ${view.turn}: ${now.caption}`);
    const scores = this.replay.scores[0];
    this.score.textContent = `your score ${figure(scores[view.seat] ?? 0)}`;
    // Of rivals the score says only at the end who won.
    this.score.hidden = this.replay.data.contest === "versus" && this.replay.data.players.length > 1;
    this.moves.hidden = view.over || !this.hasMoves;
    this.nudge.hidden = view.over;
    this.showPlace();
    for (const tool of this.tools.children) {
      const { key } = /** @type {HTMLElement} */ (tool).dataset;
      // What is over can still be enlarged.
      if (tool !== this.zoom.element) /** @type {HTMLElement} */ (tool).hidden = view.over || (key !== undefined && !view.offered.includes(view.controls.keys[key]));
    }
    // It keeps its place: what comes and goes would push others under the finger.
    // Rivals take nothing back.
    this.undo.hidden = view.over || view.replay.players.length > 1;
    this.undo.disabled = !view.can_undo;
    this.result.hidden = !view.over;
    this.own.show();
    if (!this.hasGivenUp) keep(this.request, view);
    if (view.over) {
      this.result.replaceChildren(`${this.ending()} `, ...this.afterwards());
      clearInterval(this.clock);
    } else if (this.cell >= 0) {
      this.point(this.cell);
    }
    this.goOn();
  }

  /** Takes up what is seen of a board of which something is out of sight. */
  remember() {
    const { memory, view } = this;
    const seen = this.board.composed(this.replay);
    const step = stepOf(view.controls.keys, this.step);
    this.step = "";
    if (!seen.paints.includes(0)) return;
    try {
      if (memory.looks.size === 0) memory.read(sessionStorage.getItem(SEEN), view.id, view.turn);
    } catch {
      // A page from disk may not keep anything.
    }
    memory.see(this.replay, seen, step);
    try {
      sessionStorage.setItem(SEEN, memory.write(view.id, view.turn));
    } catch {
      // As above.
    }
    this.board.remembered = memory.looks;
  }

  /** Where only others move, they do so: those that a module in the page plays, or the rest of what takes the server long. */
  goOn() {
    const { over, waiting, seat } = this.view;
    if (!over && !waiting.includes(seat) && (this.rival || waiting.length === 0)) setTimeout(() => this.move({}));
  }

  /** What can be done once it is over. @returns {Node[]} */
  afterwards() {
    const { replay } = this.view;
    const { seed: _, actions: __, ...request } = this.request;
    const again = element("button", { type: "button" }, "rematch");
    again.addEventListener("click", () => this.page.begin(request));
    const kept = this.hasGivenUp ? element("span", {}, "Nothing of it is kept.") : showKept(this.view);
    /** @type {(Node | string)[]} */
    const buttons = [kept, element("br"), again];
    const [easier, harder] = replay.players.length > 1 ? this.page.neighbours(request.opponent) : [null, null];
    for (const opponent of this.hasWon() ? [harder] : [easier, harder]) {
      if (opponent === null) continue;
      const isNext = opponent === (this.hasWon() ? harder : easier);
      const next = element("button", { type: "button", class: isNext ? "play" : "" }, `play against ${opponent} (${opponent === easier ? "easier" : "harder"})`);
      next.addEventListener("click", () => this.page.begin({ ...request, opponent }));
      buttons.push(" ", next);
    }
    if (replay.players.length === 2) {
      const swap = element("button", { type: "button" }, "swap sides");
      swap.addEventListener("click", () => this.page.begin({ ...request, seat: 1 - request.seat }));
      buttons.push(" ", swap);
    }
    return buttons.map((part) => (typeof part === "string" ? document.createTextNode(part) : part));
  }

  /** Whether help may be given: the first time it is asked for, it says what that costs. */
  mayHelp() {
    if (!this.view.is_kept || this.isWarned) return true;
    this.isWarned = true;
    const help = this.undo.hidden ? "With a hint" : "With a hint, or a move taken back";
    this.tell(`${help}, this match will not be kept among the matches. Press again for it.`, "");
    return false;
  }

  takeBack() {
    if (this.mayHelp()) this.send("undo", {});
  }

  /** Asks a strong player what it would do here. */
  async advise() {
    if (this.isAsking || !this.mayHelp()) return;
    this.tell("…", "");
    try {
      /** @type {import("./hint.js").Hint} */
      const hint = await ask(`/api/play/${this.view.id}/hint`, {});
      const { action, by, cells, told } = hint;
      this.showMove(cells);
      const parts = this.view.controls.pointing ? hint.parts : [];
      this.board.ghost.parts = partsOn(parts, this.replay.data.width);
      this.board.draw();
      this.tell(told ? `${by} recommends: ${told} ` : `Recommended: ${by} would play ${this.describe(action, cells)} `, "gain");
      if (parts.length > 0) this.message.append(...keyOf(parts, isDark()), " ");
      // Some moves take many taps.
      const play = element("button", { type: "button" }, "play it");
      play.addEventListener("click", () => this.act(action));
      this.message.append(play);
    } catch (error) {
      this.tell(String(/** @type {Error} */ (error).message), "refused");
    }
  }

  /** Ends the match: the board stays, but nothing is kept at the server. */
  async end() {
    if (this.hasGivenUp || this.view.over) return;
    if (this.view.turn > 0 && !this.isLeaving) {
      this.isLeaving = true;
      this.tell("This ends the match, and nothing of it is kept. Press again to give up.", "");
      return;
    }
    this.hasGivenUp = true;
    await abandonSession(this.view.id);
    this.close();
    forget();
    this.tell("", "");
    this.show({ ...this.view, over: true, waiting: [], can_undo: false });
    this.result.scrollIntoView({ block: "nearest" });
  }

  /** What an action is called, where its key has a name. @param {string} action */
  name(action) {
    const { keys, names, pointing } = this.view.controls;
    const key = Object.keys(names).find((name) => keys[name] === action);
    const other = pointing?.others.find(([key]) => keys[key] === action)?.[1];
    return key ? names[key] : (other ?? action);
  }

  /** A move in words: where it is made on the board, if it is made by pointing. @param {string} action @param {{column: number, row: number}[]} cells */
  describe(action, cells) {
    const name = this.name(action);
    if (name !== action || cells.length === 0) return name;
    if (!this.view.controls.pointing) return `${name}, as marked`;
    const middle = (/** @type {number[]} */ all) => Math.round((Math.min(...all) + Math.max(...all)) / 2) + 1;
    const [column, row] = [middle(cells.map((at) => at.column)), middle(cells.map((at) => at.row))];
    return `here, as marked: ${cells.length} ${cells.length === 1 ? "cell" : "cells"} around row ${row}, column ${column}`;
  }

  /** Marks the cells of a move that somebody else would make, and shows them large where they are small. @param {{column: number, row: number}[]} cells */
  showMove(cells) {
    const { board } = this;
    const marked = cells.map(({ column, row }) => row * this.replay.data.width + column);
    board.ghost = { cells: marked, ok: true };
    if (marked.length > 0 && (board.view.scale > 1 || board.onScreen() < SMALL_CELL)) this.zoom.around(marked, NEAR);
    board.draw();
  }

  /** Shows what is to be practised, with everything that can be done about it. @param {Lesson} lesson */
  practise(lesson) {
    const task = describeTask(lesson, (action) => this.name(action));
    const verdict = element("p", { class: "said", role: "status" });
    const button = (/** @type {string} */ text, /** @type {() => void} */ press) => {
      const made = element("button", { type: "button" }, text);
      made.addEventListener("click", press);
      return made;
    };
    const buttons = [button("try again", () => this.page.practise(lesson))];
    if (lesson.best !== null) buttons.push(button("solution", () => this.solve(lesson)));
    const match = element("a", { href: onSite(`/matches/${this.page.practised()}#turn=${lesson.turn}`) }, "back to the match");
    this.practice.replaceChildren(element("p", {}, task), verdict, element("p", { class: "tools" }, ...buttons, ...this.page.nextMistake(), match));
    this.verdict = verdict;
  }

  /** Judges the first move of a practice. @param {string} action */
  judge(action) {
    const { lesson, verdict } = this;
    if (!lesson || !verdict || verdict.textContent !== "") return;
    const kind = judge(lesson, action);
    const say = (/** @type {import("./practise.js").Evaluation | null | undefined} */ found) => {
      verdict.textContent = describeJudgement(lesson, action, (own) => this.name(own), found);
      const gain = found?.gain ?? 0;
      const isGain = kind === "better" || (kind === "other" && gain > 0);
      verdict.className = `said ${isGain ? "gain" : kind === "same" || gain < 0 ? "refused" : ""}`;
    };
    say(undefined);
    if (kind === "other") evaluate(this.page.practised(), lesson, action).then(say);
  }

  /** Tells what would have been better. @param {Lesson} lesson */
  solve(lesson) {
    if (this.view.turn === lesson.turn) this.showMove(lesson.cells);
    this.tell(describeSolution(lesson, (action) => this.name(action)), "gain");
  }

  draw() {
    this.board.marks = this.marks;
    this.board.draw();
    this.panels.draw(this.replay, this.board.dark);
    this.legend.draw(this.replay, this.board.shown, this.board.dark);
    this.asText.draw(`turn ${this.view.turn}: ${this.replay.now().caption}`);
    // On an empty board nobody looks like anything yet.
    this.looks.forEach((look, seat) => look.replaceChildren(swatch(this.replay, seat, this.board.dark)));
  }

  /** Whether nobody did better, where others played. */
  hasWon() {
    return !this.hasGivenUp && hasWon(this.replay.data, this.view.seat);
  }

  /** How it ended for the person. */
  ending() {
    const { seat, turn } = this.view;
    if (this.hasGivenUp) return describeGivingUp(this.replay.data, turn, this.replay.scores[0][seat]);
    return describeEnding(this.replay.data, seat);
  }

  players() {
    const list = element("table", { class: "players" });
    this.replay.data.players.slice(0, 12).forEach((name, seat) => {
      const look = element("td");
      this.looks.push(look);
      const you = seat === this.view.seat ? element("span", { class: "verdict won" }, "you") : "";
      look.hidden = this.replay.data.players.length === 1;
      list.append(element("tr", {}, look, element("th", { scope: "row" }, element("span", { class: "name" }, this.replay.data.players.length > 1 ? `${letter(seat)} ${called(name)}` : called(name)), you)));
    });
    return list;
  }

  switches() {
    // What shows nothing now is no choice.
    const { data, drawn } = this.replay;
    const shows = data.tracks.filter((_, layer) => drawn[layer].cells.some((look) => look > 0) || drawn[layer].lines.size > 0);
    const names = this.replay.overlays().filter((name) => this.board.shown.has(name) || shows.some((track) => track.name === name));
    this.overlays.hidden = names.length === 0;
    this.overlays.replaceChildren(...names.map((name) => {
      const chip = element("button", { type: "button", "aria-pressed": String(this.board.shown.has(name)), title: this.replay.meaning(name) }, name);
      chip.addEventListener("click", () => {
        if (!this.board.shown.delete(name)) this.board.shown.add(name);
        chip.setAttribute("aria-pressed", String(this.board.shown.has(name)));
        this.draw();
      });
      return chip;
    }));
  }

  /** @param {Controls} controls */
  toolbar(controls) {
    const marks = controls.pointing?.marks ?? [];
    const tools = element("div", { class: "tools", role: "group", "aria-label": "Tools" });
    tools.append(...markTools(marks, () => this.turn(), (key) => { this.tool = key; }, () => this.clearMarks()), ...actionTools(controls, (action) => this.act(action)));
    if (this.replay.data.players.length > 1 && controls.keys.ArrowUp) tools.append(paceChoice((every) => this.pace(every)));
    return tools;
  }

  /** Buttons that move the preview, where moves are made by pointing. @param {Controls} controls */
  nudges(controls) {
    const pad = element("div", { class: "pad nudge", role: "group", "aria-label": "Place" });
    if (!controls.pointing) return pad;
    const { place, buttons } = nudgePad((right, down) => this.moveBy(right, down), () => {
      if (this.meant && !this.meant.refused) this.act(this.meant.action);
    });
    this.place = place;
    pad.append(...buttons);
    return pad;
  }

  /** Whether what is shown can be placed. */
  showPlace() {
    if (this.place) this.place.disabled = this.meant === null || this.meant.refused !== null;
  }

  /** Points at the next cell in a direction. @param {number} right @param {number} down */
  moveBy(right, down) {
    const { width, height } = this.replay.data;
    const from = this.cell < 0 ? Math.floor(height / 2) * width + Math.floor(width / 2) : this.cell;
    const column = Math.max(0, Math.min(width - 1, (from % width) + right));
    const row = Math.max(0, Math.min(height - 1, Math.floor(from / width) + down));
    this.board.cursor = row * width + column;
    this.zoom.reveal(this.board.cursor);
    this.point(this.board.cursor);
  }

  /** Goes on by itself in the last direction. @param {number} every milliseconds; 0 waits */
  pace(every) {
    clearInterval(this.clock);
    if (every > 0) {
      this.clock = setInterval(() => {
        if (this.lastAction && !this.view.over && !this.isAsking) this.act(this.lastAction);
      }, every);
    }
  }

  turn() {
    this.turns = (this.turns + 1) % 4;
    this.lookedAt = "";
    if (this.cell < 0) this.tell("turned: tap the board to see it", "");
    this.point(this.cell);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    if (event.target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter")) return;
    const { controls, over } = this.view;
    const { pointing } = controls;
    const action = controls.keys[event.key];
    /** @type {Record<string, [number, number]>} */
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const arrow = arrows[event.key];
    if (event.key === "Backspace" && this.view.can_undo) this.takeBack();
    else if (action && !over) this.act(action);
    else if (pointing && arrow) {
      this.moveBy(...arrow);
    } else if (pointing && event.key === "Enter") this.click(this.cell);
    else if (event.key === "Escape" && this.clearMarks()) this.tell("", "");
    else if (pointing && event.key === "t") this.turn();
    else if (pointing?.marks.some(([key]) => key === event.key)) this.mark(this.cell, event.key);
    else return;
    event.preventDefault();
  }

  /** Marks a cell, or takes its mark away. @param {number} cell @param {string} key */
  mark(cell, key) {
    if (cell < 0) return;
    if (this.marks.get(cell) === key) this.marks.delete(cell);
    else this.marks.set(cell, key);
    this.draw();
    this.lookedAt = "";
    this.point(cell);
  }

  /** Takes away marks on cells where none can be: what pointing means leaves them out. @param {Meant} meant */
  dropRefusedMarks({ cells }) {
    const { width } = this.replay.data;
    const taken = new Set(cells.map(([row, column]) => row * width + column));
    const refused = [...this.marks.keys()].filter((cell) => !taken.has(cell));
    if (refused.length === 0) return;
    for (const cell of refused) this.marks.delete(cell);
    this.tell("That cell is taken: it cannot be marked.", "refused");
    this.draw();
  }

  /** Takes all marks away; whether there were any. */
  clearMarks() {
    if (this.marks.size === 0) return false;
    this.marks.clear();
    this.lookedAt = "";
    this.draw();
    this.point(this.cell);
    return true;
  }

  /** A cell, how the piece is turned, and what is marked, as the server is asked about them. @param {number} cell */
  question(cell) {
    const { width } = this.replay.data;
    const place = (/** @type {number} */ at) => [Math.floor(at / width), at % width];
    const [row, column] = place(cell);
    const marks = [...this.marks].map(([at, key]) => [key, ...place(at)]);
    return { row, column, turns: this.turns, marks };
  }

  /**
   * What acting at a cell would mean, which is then the meaning shown.
   * @param {number} cell @returns {Promise<Meant | null>}
   */
  async meaning(cell) {
    const question = this.question(cell);
    const key = JSON.stringify(question);
    if (key === this.lookedAt) return this.meant;
    const { view } = this;
    /** @type {Meant | null} */
    let meant = null;
    try {
      meant = await ask(`/api/play/${view.id}/point`, question);
    } catch (error) {
      this.tell(String(/** @type {Error} */ (error).message), "refused");
    }
    if (view !== this.view) return null;
    this.meant = meant;
    this.lookedAt = key;
    return meant;
  }

  /** Shows what pointing at a cell would mean. @param {number} cell */
  async point(cell) {
    this.cell = cell;
    if (!this.view.controls.pointing || this.view.over || cell < 0 || this.isPointing) return;
    if (JSON.stringify(this.question(cell)) === this.lookedAt) return;
    // One question at a time: what was pointed at meanwhile is asked next.
    this.isPointing = true;
    const meant = await this.meaning(cell);
    this.isPointing = false;
    if (meant) this.showMeaning(meant);
    if (this.cell !== cell) this.point(this.cell);
  }

  /** @param {Meant} meant */
  showMeaning(meant) {
    const { width, height } = this.replay.data;
    const inside = meant.cells.filter(([r, c]) => r >= 0 && c >= 0 && c < width && r < height);
    this.board.ghost = { cells: inside.map(([r, c]) => r * width + c), ok: !meant.refused };
    // A piece that is larger than the cell that was tapped may reach out of sight.
    if (isCoarse()) this.zoom.revealAll(this.board.ghost.cells);
    this.showPlace();
    if (meant.refused) this.tell(placesInWords(meant.refused), "refused");
    else {
      const gain = meant.gain === null ? "" : `${meant.gain >= 0 ? "+" : ""}${figure(meant.gain)} points`;
      const next = isCoarse() ? "tap again, or press “place”" : "";
      this.tell([gain, next].filter(Boolean).join(": "), "gain");
    }
    this.dropRefusedMarks(meant);
    this.board.draw();
  }

  /** A press on the board; where cells are too small for a finger, its first tap enlarges them. @param {MouseEvent} event */
  tap(event) {
    const { board, zoom } = this;
    if (isCoarse() && this.view.controls.pointing && board.onScreen() < LEAST_FOR_FINGERS) {
      zoom.by(FOR_FINGERS / board.onScreen(), zoom.at(event.clientX, event.clientY));
    }
    const cell = board.cellAt(event.clientX, event.clientY);
    // A finger hits no cell exactly: all of what is shown stands for its cell.
    const isOfIt = isCoarse() && !this.tool && this.meant !== null && !this.meant.refused && board.ghost.cells.includes(cell);
    board.cursor = -1;
    return this.click(isOfIt ? this.cell : cell);
  }

  /** @param {number} cell */
  async click(cell) {
    if (!this.view.controls.pointing || this.view.over || cell < 0) return;
    if (this.tool) {
      this.mark(cell, this.tool);
      return;
    }
    this.cell = cell;
    const isShown = JSON.stringify(this.question(cell)) === this.lookedAt;
    // What is meant is the cell that was clicked, wherever the pointer was asked about last.
    const meant = await this.meaning(cell);
    if (!meant) return;
    this.showMeaning(meant);
    // A finger has not hovered: its first touch shows, its second one builds.
    if (!meant.refused && (isShown || !isCoarse())) this.act(meant.action);
  }

  /** @param {string} action */
  async act(action) {
    this.lastAction = this.step = action;
    const isPlayed = await this.move({ action });
    if (isPlayed) this.judge(action);
    return isPlayed;
  }

  /** Moves, together with those whom a module in the page plays. @param {{action?: string}} own */
  async move(own) {
    // A key or a click may come just after the move that ended the match.
    if (this.view.over) return false;
    const others = this.view.waiting.filter((seat) => seat !== this.view.seat);
    if (!this.rival || others.length === 0) return this.send("move", own);
    if (this.isAsking) return false;
    this.isAsking = true;
    this.canvas.setAttribute("aria-busy", "true");
    const moves = await this.rival.moves(others);
    this.canvas.removeAttribute("aria-busy");
    this.isAsking = false;
    if (moves) return this.send("move", { ...own, others: moves });
    this.tell("Your opponent has not moved.", "refused");
    return false;
  }

  /** Asks for a change of the match; whether it was made. @param {string} what @param {object} body */
  async send(what, body) {
    if (this.isAsking) return false;
    this.isAsking = true;
    this.canvas.setAttribute("aria-busy", "true");
    try {
      const view = await ask(`/api/play/${this.view.id}/${what}`, what === "move" ? { turn: this.view.turn, ...body } : body);
      this.marks.clear();
      this.tell("", "");
      this.show(view);
      return true;
    } catch (error) {
      // Another page went on with the match.
      if (error instanceof Refused && error.status === 409) this.show(await ask(`/api/play/${this.view.id}`));
      this.tell(String(/** @type {Error} */ (error).message), "refused");
      return false;
    } finally {
      this.isAsking = false;
      this.canvas.removeAttribute("aria-busy");
    }
  }

  /** @param {string} text @param {string} kind */
  tell(text, kind) {
    this.message.textContent = text;
    this.message.className = `said ${kind}`;
  }
}
