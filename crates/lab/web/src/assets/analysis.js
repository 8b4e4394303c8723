// @ts-check
// What a strong player makes of the match: asked of the server, which works on it meanwhile. The
// values go into the chart; the move of the turn and the mistakes stand below it.

import { element, isTyping, letter, onSite } from "./parts.js";
import { figure } from "./replay.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */

/**
 * @typedef {{seat: number, played: string, best: string, words?: {played: string, best: string}, cost?: number, cells?: {column: number, row: number}[]}} Move
 * @typedef {{turn: number, values: number[], moves?: Move[]}} TurnReview
 * @typedef {{player: string, complete: boolean, turns: TurnReview[], mistakes: (Move & {turn: number, cost: number})[]}} Review
 * @typedef {{state: string, player: string, ahead: number, progress: {looked_at: number, positions: number} | null, review: Review | null, lesson?: Lesson, error: string | null}} Answer
 * @typedef {{size: string | null, turns: number, opponent: string | null, lesson: {files?: string[][], sentence: string, mistakes: string[], better: string[], verified: {exact: boolean}, origin?: {turn: number}}}} Lesson
 */

/** Milliseconds between two questions. */
const POLL_INTERVAL = 1000;
/** Lines of the chart. */
const LINES = 8;
/** Letters of a move in a list. */
const LETTERS = 32;

/** What a simultaneous turn does that no move of it does alone. */
const TOGETHER = "Neither is a mistake by itself; both at once changed the outlook";
/** By how much the outlook of a seat changes, of a win, for that to be said. */
const SURPRISE = 0.25;

/**
 * Whether the outlook changed on a turn on which nobody made a mistake: by what several players did at once.
 * @param {Move[]} moves @param {number[]} [before] the values of all seats @param {number[]} [after]
 */
export function isBySurprise(moves, before, after) {
  if (moves.length < 2 || !before || !after) return false;
  const isSound = moves.every((move) => move.played === move.best || move.cost === 0);
  return isSound && before.some((value, seat) => Math.abs(value - after[seat]) >= SURPRISE && value <= 1 && value >= 0);
}

/** The analysis of the match that a viewer shows. */
export class Analysis {
  /** @param {Viewer} viewer @param {string[]} players */
  constructor(viewer, players) {
    this.viewer = viewer;
    /** @type {Review | null} */
    this.review = null;
    /** @type {Map<number, TurnReview>} */
    this.turns = new Map();
    this.choice = element("select", { "aria-label": "The player that analyses the match" });
    for (const name of players) this.choice.append(element("option", { value: name }, name));
    this.button = element("button", { type: "button", title: "What would this player have done? The server analyses the match" }, "analyse");
    this.button.addEventListener("click", () => this.begin());
    this.status = element("span", { class: "analysis-state", role: "status" });
    this.best = element("p", { class: "best" });
    this.list = element("ol", { class: "mistakes" });
    this.list.hidden = true;
    this.next = element("button", { type: "button" });
    this.next.addEventListener("click", () => this.goToMistake(true));
    this.later = element("p", { class: "to-come" }, this.next);
    this.later.hidden = true;
    this.told = viewer.told;
    this.help = element("p", { class: "help" }, "keys m and M: next mistake, previous mistake");
    this.help.hidden = true;
    this.lesson = element("div", { class: "lesson-hint" });
    this.lesson.hidden = true;
    this.element = element(
      "section", { class: "analysis", "aria-label": "Analysis" },
      element("div", { class: "analysis-words" }, this.button, element("span", {}, "with"), this.choice, this.status), this.best, this.list, this.later, this.lesson, this.help,
    );
    const beside = viewer.root.querySelector(".beside");
    if (beside?.contains(viewer.words)) viewer.words.after(this.element);
    else beside?.prepend(this.element);
    viewer.onDraw.push(() => this.tell());
    viewer.onReveal.push((told) => this.reveal(told));
    addEventListener("keydown", (event) => this.key(event));
    // A link may ask for the analysis.
    if (new URLSearchParams(location.hash.slice(1)).has("analyse")) this.begin();
    else this.recall();
  }

  /** Shows what is known already. */
  async recall() {
    const answer = await this.ask(this.choice.value, false).catch(() => null);
    if (answer?.state === "done") this.take(answer);
    else if (answer?.state === "running" || answer?.state === "waiting") this.begin();
  }

  /** Asks until the analysis is done. */
  async begin() {
    const player = this.choice.value;
    this.button.disabled = this.choice.disabled = true;
    this.status.textContent = "asking …";
    try {
      let answer = await this.ask(player, true);
      for (;;) {
        this.take(answer);
        if (answer.state === "done" || answer.state === "failed") break;
        await new Promise((done) => setTimeout(done, POLL_INTERVAL));
        answer = await this.ask(player, false);
      }
    } catch (error) {
      this.status.textContent = error instanceof TypeError ? "The server does not answer." : String(error instanceof Error ? error.message : error);
    }
    this.button.disabled = this.choice.disabled = false;
  }

  /**
   * What is known by now; `begins` has the server begin.
   * @param {string} player @param {boolean} begins @returns {Promise<Answer>}
   */
  async ask(player, begins) {
    const path = onSite(`/api/matches/${this.viewer.replay.data.record}/analysis`);
    const headers = { "content-type": "application/json" };
    const answer = begins ? await fetch(path, { method: "POST", headers, body: JSON.stringify({ player }) })
      : await fetch(`${path}?player=${encodeURIComponent(player)}`);
    const data = await answer.json();
    if (!answer.ok) throw new Error(data.error ?? "There is no analysis.");
    return data;
  }

  /** @param {Answer} answer */
  take(answer) {
    const { state, ahead, progress, error } = answer;
    const review = answer.review && this.ownFirst(answer.review);
    if (state === "failed") this.status.textContent = error ?? "";
    else if (state === "waiting") this.status.textContent = `waiting: ${ahead} ahead of this one`;
    else if (state === "running") this.status.textContent = progress ? `${review?.complete ? "looking closer, so costs may still change: " : ""}${progress.looked_at} of ${progress.positions} turns …` : "thinking …";
    else this.status.textContent = review ? this.extent(review) : "";
    if (!review) return;
    this.review = review;
    this.turns = new Map(review.turns.map((turn) => [turn.turn, turn]));
    const { players } = this.viewer.replay.data;
    const lines = Array.from({ length: Math.min(LINES, players.length) }, (_, seat) => {
      /** @type {(number | null)[]} */
      const line = new Array(this.viewer.replay.last + 1).fill(null);
      for (const turn of review.turns) line[turn.turn] = turn.values[seat] ?? null;
      return line;
    });
    this.viewer.chart.add(`final score if ${review.player} plays on`, lines, review.mistakes.map((mistake) => mistake.turn));
    this.help.hidden = review.mistakes.length === 0;
    const [worst] = review.mistakes;
    if (worst) this.offerLesson(worst.seat);
    this.list.replaceChildren(...review.mistakes.map((mistake, at) => {
      const text = `turn ${mistake.turn + 1}: ${this.words(mistake)}`;
      const jump = element("button", { type: "button", title: text }, text);
      jump.addEventListener("click", () => this.viewer.visit(mistake.turn));
      const { game, record } = this.viewer.replay.data;
      // Who practises plays for one side.
      const rest = review.mistakes.slice(at + 1).filter(({ seat }) => seat === mistake.seat).map((later) => `${later.turn}.${later.seat}`).join(",");
      const practise = element("a", { href: onSite(`/play/${game}#from=${record}&turn=${mistake.turn}&seat=${mistake.seat}&by=${encodeURIComponent(review.player)}&next=${rest}`) }, "practise");
      practise.setAttribute("aria-label", `practise turn ${mistake.turn + 1}`);
      return element("li", {}, jump, " ", practise);
    }));
    this.reveal(this.told);
    this.tell();
  }

  /** The same review with the mistakes of a person first: whoever plays here wants to learn from those. @param {Review} review @returns {Review} */
  ownFirst(review) {
    const { players } = this.viewer.replay.data;
    const isOwn = (/** @type {{seat: number}} */ { seat }) => Number((players[seat] ?? "").startsWith("human:"));
    return { ...review, mistakes: [...review.mistakes].sort((one, other) => isOwn(other) - isOwn(one)) };
  }

  /** Shows the mistakes up to a turn: the list would tell of later ones. @param {number} told */
  reveal(told) {
    this.told = told;
    const mistakes = this.review?.mistakes ?? [];
    const isTold = mistakes.map(({ turn }) => turn <= told);
    Array.from(this.list.children).forEach((item, at) => (/** @type {HTMLElement} */ (item).hidden = !isTold[at]));
    const later = isTold.filter((own) => !own).length;
    this.list.hidden = later === mistakes.length;
    this.later.hidden = later === 0;
    this.next.textContent = later === 1 ? "go to the mistake to come" : `go to the next of ${later} mistakes to come`;
    // The costliest mistake is the lesson.
    this.lesson.hidden = !isTold[0];
  }

  /** Offers a lesson for a seat's player: made here, unless it is a program, or by a command. @param {number} seat */
  offerLesson(seat) {
    const command = this.lessonCommand(seat);
    if ((this.viewer.replay.data.players[seat] ?? "").includes(":")) {
      if (command.length > 0) this.lesson.replaceChildren("A lesson of it, where the program is: ", ...command);
      return;
    }
    const name = this.viewer.replay.data.players.length > 1 ? `make a lesson for ${letter(seat)}` : "make a lesson";
    const begin = element("button", { type: "button", title: "The server looks for the smallest board on which the player repeats its mistake" }, name);
    const status = element("div", { role: "status" });
    begin.addEventListener("click", async () => {
      begin.disabled = true;
      status.textContent = "thinking …";
      try {
        status.replaceChildren(...this.card(await this.askLesson(seat)));
      } catch (error) {
        status.textContent = error instanceof TypeError ? "The server does not answer." : String(error instanceof Error ? error.message : error);
        begin.disabled = false;
      }
    });
    this.lesson.replaceChildren(begin, ...(command.length > 0 ? [" or ", ...command] : []), status);
  }

  /** Asks until the lesson is made. @param {number} seat @returns {Promise<Lesson>} */
  async askLesson(seat) {
    const path = onSite(`/api/matches/${this.viewer.replay.data.record}/lesson`);
    const headers = { "content-type": "application/json" };
    let answer = await fetch(path, { method: "POST", headers, body: JSON.stringify({ seat }) });
    for (;;) {
      /** @type {Answer} */
      const data = await answer.json();
      if (!answer.ok || data.state === "failed") throw new Error(data.error ?? "There is no lesson.");
      if (data.lesson) return data.lesson;
      await new Promise((done) => setTimeout(done, POLL_INTERVAL));
      answer = await fetch(`${path}?seat=${seat}`);
    }
  }

  /** What there is to learn. @param {Lesson} taught */
  card({ size, turns, opponent, lesson }) {
    const end = turns === 1 ? "1 turn" : `${turns} turns`;
    const head = size ? `A ${size} board, ${end} before the end:` : `The whole board, ${end} before the end:`;
    // In the file, seats are numbers; the sentence calls them by letters.
    const board = (lesson.files?.[0] ?? []).join("\n").replace(/[1-4]/g, (seat) => letter(Number(seat) - 1));
    const parts = [element("span", {}, head)];
    if (size) parts.push(element("pre", { "aria-label": "The board of the lesson" }, board));
    else if (lesson.origin) {
      const { turn } = lesson.origin;
      const jump = element("button", { type: "button" }, `turn ${turn + 1}`);
      jump.addEventListener("click", () => this.viewer.visit(turn));
      parts.push(element("span", {}, " ", jump, " "));
    }
    const proof = lesson.verified.exact ? " Proved by exact values." : "";
    const rival = opponent ? ` ${opponent} is enough to punish it.` : "";
    parts.push(element("span", {}, `${lesson.sentence}${proof}${rival}`));
    return parts;
  }

  /** The command that makes a lesson of this match for a seat's player, if there is one. @param {number} seat @returns {HTMLElement[]} */
  lessonCommand(seat) {
    const command = JSON.parse(this.viewer.root.dataset.lessons ?? "[]")[seat];
    return command ? [element("code", {}, command)] : [];
  }

  /** How much of the match was looked at. @param {Review} review */
  extent({ complete, turns }) {
    if (complete) return "looked at every turn";
    const positions = this.viewer.replay.last + 1;
    return turns.length < positions ? `looked at ${turns.length} of ${positions} turns; all would take too long`
      : "looked at every turn; evaluating every move would take too long";
  }

  /** A move in words. @param {Move} move */
  words({ seat, played, best, words, cost }) {
    const who = this.viewer.replay.data.players.length > 1 ? `${letter(seat)} ` : "";
    const [own, other] = words ? [words.played, words.best] : [short(played), `plays ${short(best)}`];
    if (played === best) return `${who}${own}, as ${this.review?.player} does`;
    const loss = cost === undefined ? "not evaluated" : cost > 0 ? `costs ${figure(cost)}` : "no worse";
    return `${who}${own} (${loss}); ${this.review?.player} ${other}`;
  }

  /** Tells what is known of the turn that is shown. */
  tell() {
    if (!this.review) return;
    const { turn } = this.viewer.replay;
    const moves = this.turns.get(turn)?.moves ?? [];
    const { board, replay } = this.viewer;
    const marked = moves.filter((move) => move.played !== move.best && move.cost !== 0).flatMap((move) => move.cells ?? []);
    board.ghost = { cells: marked.map(({ column, row }) => row * replay.data.width + column), ok: true, isOutlined: true };
    board.draw();
    const sign = marked.length > 0 ? " (outlined on the board)" : "";
    const together = isBySurprise(moves, this.turns.get(turn)?.values, this.turns.get(turn + 1)?.values) ? `. ${TOGETHER}` : "";
    this.best.textContent = moves.length > 0 ? `turn ${turn + 1}: ${moves.slice(0, LINES).map((move) => this.words(move)).join(". ")}${sign}${together}`
      : turn === this.viewer.replay.last ? "" : "this turn was not looked at";
    const places = this.review.mistakes.map((mistake) => mistake.turn === turn);
    this.list.querySelectorAll("button").forEach((jump, place) => {
      if (places[place]) jump.setAttribute("aria-current", "true");
      else jump.removeAttribute("aria-current");
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || !this.review) return;
    if (event.key !== "m" && event.key !== "M") return;
    if (this.goToMistake(event.key === "m")) event.preventDefault();
  }

  /** Goes to the next mistake, or to the one before; returns whether there is one. @param {boolean} forward */
  goToMistake(forward) {
    const { turn } = this.viewer.replay;
    const turns = (this.review?.mistakes ?? []).map((mistake) => mistake.turn).sort((a, b) => a - b);
    const to = forward ? turns.find((own) => own > turn) : turns.reverse().find((own) => own < turn);
    if (to !== undefined) this.viewer.visit(to);
    return to !== undefined;
  }
}

/** @param {string} text */
function short(text) {
  return text.length > LETTERS ? `${text.slice(0, LETTERS)}…` : text;
}
