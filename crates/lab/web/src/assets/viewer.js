// @ts-check
// The viewer: a replay on a board, with everything to go through it by pointer, finger or
// keyboard. The place is in the page's address (`#turn=12&show=territory`).

import { DRAWINGS, Replay, figure, isDrawing } from "./replay.js";
import { Board, swatch } from "./board.js";
import { Legend, Panels } from "./beside.js";
import { TextBoard } from "./text-board.js";
import { ScoreChart } from "./chart.js";
import { EventList, Story, actionsOf, eventsOf, linkTurns, notationOf } from "./story.js";
import { SPACE, Space } from "./space.js";
import { Zoom } from "./zoom.js";
import { shareLinks } from "./share.js";
import { element, isDark, isTyping, keepTold, letter, onSite, onTheme, wasTold, withNames } from "./parts.js";

/** Turns a second. */
const SPEEDS = [1, 2, 5, 10, 20, 50, 100];
/** Turns that a page key skips. */
const PAGE = 10;
/** The part of the board that must be in sight when a turn is chosen away from it. */
const IN_SIGHT = 0.6;
/** Number of players whose list is above everything else. */
const LEADING = 6;
/** Milliseconds that a step is shown in, and the greatest speed at which steps are. */
const GLIDE = 140;
const GLIDES = 10;
/** The switch of a chain in space, among overlays. */
const IN_SPACE = "in space";
/** Places on the slider at which an event is marked. */
const MARKS = 120;
/** Seats listed at once; a crowd is cut here. */
const LISTED = 40;

/** Shows a match in a part of the page. */
export class Viewer {
  /** @param {HTMLElement} root @param {import("./replay.js").ReplayData} data */
  constructor(root, data) {
    this.root = root;
    this.replay = new Replay(data);
    this.events = eventsOf(this.replay);
    this.isPlaying = false;
    /** Whether what players were asked is unfolded. */
    this.showsAsked = false;
    /** Called whenever a turn was drawn. @type {(() => void)[]} */
    this.onDraw = [];
    /** Called whenever more, or less, of the match is told: up to which turn. @type {((told: number) => void)[]} */
    this.onReveal = [];
    this.told = 0;
    this.speed = data.turns.length > 300 ? 20 : 5;
    this.canvas = element("canvas", { role: "img", tabindex: "0" });
    this.stage = element("section", { class: "stage", "aria-label": "Board" });
    this.board = new Board(this.canvas);
    this.board.dark = isDark();
    this.board.show(this.replay);
    this.caption = element("p", { class: "caption" });
    // Said after every step, also where the line about the position stays the same.
    this.said = element("p", { class: "hidden", role: "status" });
    this.played = element("p", { class: "played" });
    this.notation = element("code");
    this.raw = element("details", { class: "notation" }, element("summary", {}, "in notation"), this.notation);
    this.words = element("div", { class: "words" }, this.caption, this.played, this.raw, this.said);
    this.buttons = {
      first: button("|◀", "First turn (Home)", () => this.go(0)),
      back: button("◀", "One turn back (left arrow)", () => this.go(this.replay.turn - 1)),
      play: button("▶ play", "Play or pause (space)", () => this.toggle()),
      forth: button("▶", "One turn forward (right arrow)", () => this.go(this.replay.turn + 1)),
      last: button("▶|", "Last turn (End)", () => this.go(this.replay.last)),
    };
    this.buttons.play.classList.add("play");
    this.slider = element("input", { type: "range", min: 0, max: this.replay.last, step: 1, "aria-label": "Turn" });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value), false, false));
    this.moments = element("div", { class: "moments", "aria-hidden": "true" });
    this.track = element("div", { class: "track" }, this.slider, this.moments);
    this.zoom = new Zoom(this.board, () => this.board.draw());
    this.space = data.turns.some((turn) => turn.slices) ? new Space(this.board) : null;
    this.zoom.instead = (dx, dy) => this.turnInSpace(dx, dy);
    this.banner = element("p", { class: "banner", hidden: true }, forfeit(data));
    this.result = document.querySelector("h1 .told");
    this.who = this.result?.textContent ?? "";
    /** Where the match was played, in words. */
    this.where = placeInWords(this.result, data);
    this.tell = button("tell the result", "Tell the result before the end", () => this.telling(this.tell.getAttribute("aria-pressed") !== "true"));
    this.tell.classList.add("tell");
    this.tell.hidden = !data.result || data.turns.length < 2;
    this.place = element("span", { class: "place" });
    this.rate = element("select", { "aria-label": "Turns a second", title: "Speed (up and down arrow)" });
    for (const speed of SPEEDS) this.rate.append(element("option", { value: speed }, `${speed} ${speed === 1 ? "turn" : "turns"}/s`));
    this.rate.addEventListener("change", () => (this.speed = Number(this.rate.value)));
    this.chart = new ScoreChart(this.replay, (turn) => this.visit(turn));
    this.chart.onPoints = () => this.drawMoments();
    this.story = new Story(this.replay, (turn) => this.visit(turn));
    this.happened = new EventList(this.events, (turn) => this.visit(turn));
    this.panels = new Panels();
    this.legend = new Legend();
    this.asText = new TextBoard(this.board);
    this.rows = this.players();
    this.end = this.ending();
    this.layers = this.overlays();
    this.layOut();
    this.narrow = matchMedia("(max-width: 52rem), (max-height: 34rem)");
    this.narrow.addEventListener("change", () => this.arrange());
    this.arrange();
    // A board of few cells is not blown up; one of many has the whole width.
    const { width, height } = this.board.extent();
    this.stage.style.setProperty("--natural", `${Math.round(width * 2.4)}px`);
    this.stage.style.setProperty("--ratio", String(width / height));
    this.drawMoments();
    this.telling(wasTold());
    this.listen();
    this.swatches();
    this.recall();
    // For measuring how long it takes until something is visible.
    performance.mark("drawn");
    // An opened match is played, unless the address names a turn, nothing should
    // move, or the page is not looked at.
    if (!location.hash && !isStill() && this.replay.last > 0) this.toggle();
  }

  /** Puts the parts into the page. */
  layOut() {
    const { buttons } = this;
    this.stage.append(
      element("div", { class: "canvas" }, element("div", { class: "on-board" }, this.canvas, this.banner)),
      element(
        "div",
        { class: "controls", role: "group", "aria-label": "Go through the match" },
        buttons.first, buttons.back, buttons.play, buttons.forth, buttons.last, this.rate, this.place, this.zoom.element,
      ),
      this.track,
      this.legend.element,
      this.asText.element,
    );
    this.root.replaceChildren(
      this.stage,
      this.chart.element,
      element("aside", { class: "beside" }, this.end, this.story.element, this.happened.element, this.tell, this.playFrom(), shareLinks(this), help()),
    );
  }

  /** Follows keys, the address, the theme and the size. */
  listen() {
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => this.recall());
    onTheme(() => {
      this.board.dark = isDark();
      this.swatches();
      this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  /**
   * The action and the score are at the top of the column beside the board; where there is one
   * column only, right below the controls.
   */
  arrange() {
    const { rows, words, panels, replay } = this;
    const isNarrow = this.narrow.matches;
    const first = isNarrow ? this.layers : this.chart.element;
    if (isNarrow) this.legend.element.before(words, panels.element, this.layers);
    else {
      this.end.parentElement?.prepend(words, this.layers);
      this.end.before(panels.element);
    }
    // A long list must not push everything else away.
    if (replay.data.players.length > LEADING) this.end.before(rows.table);
    else first.before(rows.table);
  }

  /** Goes to a turn; a single step is shown on its way. @param {number} turn */
  go(turn, keepPlaying = false, isShownOnItsWay = true) {
    if (!keepPlaying) this.stop();
    const before = this.replay.turn;
    const glides = isShownOnItsWay && turn === before + 1 && turn <= this.replay.last && !isStill() && !(this.isPlaying && this.speed > GLIDES);
    if (glides) this.board.keep();
    this.replay.seek(turn);
    const watched = this.board.watched();
    if (this.board.view.scale > 1 && watched >= 0) this.zoom.reveal(watched);
    this.board.progress = glides ? 0 : 1;
    this.draw();
    if (glides) this.glide();
    this.address();
  }

  /** Goes to a turn that was chosen away from the board, and brings the board into sight. @param {number} turn */
  visit(turn) {
    this.go(turn);
    const { top, height } = this.canvas.getBoundingClientRect();
    const seen = Math.min(top + height, innerHeight) - Math.max(top, 0);
    if (seen < Math.min(height, innerHeight) * IN_SIGHT) this.stage.scrollIntoView({ block: "start", behavior: isStill() ? "auto" : "smooth" });
  }

  /** Shows a step on its way. */
  glide() {
    const { turn } = this.replay;
    const begun = performance.now();
    const lasts = this.isPlaying ? Math.min(GLIDE, 800 / this.speed) : GLIDE;
    const frame = (/** @type {number} */ now) => {
      if (this.replay.turn !== turn || this.board.progress >= 1) return;
      this.board.progress = Math.min(1, Math.max(0, now - begun) / lasts);
      this.board.draw();
      if (this.board.progress < 1) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  /** Turns a chain in space, if one is shown. @param {number} dx @param {number} dy */
  turnInSpace(dx, dy) {
    if (!this.board.space) return false;
    this.board.space.turn(dx, dy);
    this.board.draw();
    return true;
  }

  /** Shows a chain in space, or its slices. @param {boolean} on */
  showSpace(on) {
    if (!this.space) return;
    this.board.space = on ? this.space : null;
    this.zoom.reset();
    const { width, height } = on ? SPACE : this.board.extent();
    this.canvas.style.aspectRatio = `${width} / ${height}`;
    this.stage.style.setProperty("--ratio", String(width / height));
    this.stage.style.setProperty("--natural", on ? "100%" : `${Math.round(width * 2.4)}px`);
    this.canvas.classList.toggle("turned", on);
    this.pressed();
  }

  /** Tells the result before the end, or only there. @param {boolean} on */
  telling(on) {
    this.tell.setAttribute("aria-pressed", String(on));
    keepTold(on);
    if (this.rows) this.tellResult();
  }

  /** The result belongs to the last turn, unless somebody wants to know it before. */
  tellResult() {
    const { data, turn, last } = this.replay;
    const isOver = turn === last;
    const told = isOver || this.tell.getAttribute("aria-pressed") === "true";
    if (this.result && data.result) this.result.replaceChildren(...withNames(told ? data.result : this.who, data.players));
    for (const verdict of this.rows.table.querySelectorAll(".verdict")) /** @type {HTMLElement} */ (verdict).hidden = !told;
    this.end.hidden = !isOver;
    this.banner.hidden = !isOver || this.banner.textContent === "";
    this.told = told || !data.outcome ? last : turn;
    this.reveal(this.told);
  }

  /** Shows what is known up to a turn: the chart, key moments, events. @param {number} told */
  reveal(told) {
    this.chart.reveal(told);
    this.happened.reveal(told);
    for (const reveal of this.onReveal) reveal(told);
    for (const made of /** @type {HTMLCollectionOf<HTMLElement>} */ (this.moments.children)) made.hidden = Number(made.dataset.turn) > told;
  }

  /** Marks key moments on the slider. */
  drawMoments() {
    const { last, data } = this.replay;
    const mark = (/** @type {number} */ turn, /** @type {string} */ kind) => {
      const made = element("i", { class: kind, "data-turn": turn });
      made.style.setProperty("--at", String(turn / Math.max(1, last)));
      return made;
    };
    const points = this.chart.points.map(({ turn, isMistake }) => mark(turn, isMistake ? "mistake" : "turn"));
    // More marks than these could not be told apart.
    const places = new Map(this.events.map((event) => [Math.round((event.turn / Math.max(1, last)) * MARKS), event]));
    const marks = [...places.values()].map(({ turn, words }) => {
      const made = mark(turn, "event");
      made.title = `turn ${turn}: ${words}`;
      made.addEventListener("click", () => this.go(turn));
      return made;
    });
    this.moments.replaceChildren(...points, ...marks, ...(data.outcome?.fault ? [mark(last, "forfeit")] : []));
    if (this.rows) this.tellResult();
  }

  toggle() {
    if (this.isPlaying) {
      this.stop();
      return;
    }
    if (this.replay.turn === this.replay.last) this.replay.seek(0);
    this.isPlaying = true;
    this.buttons.play.textContent = "▮▮ pause";
    let due = performance.now() + 1000 / this.speed;
    const frame = (/** @type {number} */ now) => {
      if (!this.isPlaying) return;
      let turn = this.replay.turn;
      while (due <= now && turn < this.replay.last) {
        turn++;
        due += 1000 / this.speed;
      }
      if (turn !== this.replay.turn) this.go(turn, true);
      if (this.replay.turn === this.replay.last) this.stop();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  stop() {
    this.isPlaying = false;
    this.buttons.play.textContent = "▶ play";
    this.say();
  }

  /** Has a screen reader announce the turn, but not every turn while the match plays. */
  say() {
    if (this.isPlaying) return;
    const { turn } = this.replay;
    this.said.textContent = [`turn ${turn}`, this.played.textContent, this.replay.now().caption].filter(Boolean).join("; ");
  }

  draw() {
    const { replay } = this;
    const now = replay.now();
    this.board.draw();
    this.panels.draw(replay, this.board.dark);
    this.legend.draw(replay, this.board.shown, this.board.dark, this.board.space !== null);
    this.slider.value = String(replay.turn);
    this.slider.setAttribute("aria-valuetext", `turn ${replay.turn} of ${replay.last}`);
    this.place.textContent = `turn ${replay.turn} of ${replay.last}`;
    this.rate.value = String(this.speed);
    const words = now.caption || `turn ${replay.turn}`;
    if (this.caption.textContent !== words) this.caption.replaceChildren(...linkTurns(words, replay.last, (turn) => this.visit(turn)));
    this.canvas.setAttribute("aria-label", `The board after turn ${replay.turn} of ${replay.last}: ${now.caption}`);
    this.played.textContent = actionsOf(replay, replay.turn, LISTED);
    this.notation.textContent = notationOf(replay, replay.turn, LISTED);
    this.raw.hidden = this.notation.textContent === "";
    this.say();
    this.rows.cells.forEach((row, seat) => {
      const { score, notes } = row;
      // What stays is not written again: the page would be laid out again.
      const points = figure(replay.scores[replay.turn][seat] ?? 0);
      if (score.textContent !== points) score.textContent = points;
      const noted = (now.notes ?? []).filter(([who]) => who === seat);
      const figures = noted.map(([, name, value]) => `${name} ${value === null ? "–" : Number(value.toPrecision(6))}`).join("  ");
      const lines = (now.log ?? []).filter(([who]) => who === seat).map(([, line]) => line);
      const all = [figures, ...lines].filter((line) => line !== "");
      const text = all.join("\n");
      if (text !== row.noted) notes.replaceChildren(...this.noted(all));
      row.noted = text;
    });
    this.asText.draw(`turn ${replay.turn} of ${replay.last}: ${now.caption}`);
    this.tellResult();
    this.chart.mark(replay.turn);
    this.story.draw();
    this.buttons.first.disabled = this.buttons.back.disabled = replay.turn === 0;
    this.buttons.last.disabled = this.buttons.forth.disabled = replay.turn === replay.last;
    for (const call of this.onDraw) call();
  }

  /**
   * What a player noted and said, line by line. What it was asked, with > before its lines, is folded up: a question may be
   * long, and its board needs letters of one width.
   * @param {string[]} lines
   */
  noted(lines) {
    /** @type {(string | HTMLElement)[]} */
    const parts = [];
    for (let at = 0; at < lines.length; ) {
      const isAsked = lines[at].startsWith(">");
      let end = at;
      while (end < lines.length && lines[end].startsWith(">") === isAsked) end++;
      const text = lines.slice(at, end);
      at = end;
      if (!isAsked) {
        parts.push(text.join("\n"));
        continue;
      }
      const asked = text.map((line) => line.replace(/^> ?/, ""));
      const words = element("div", { tabindex: "0", class: "words" }, ...wordsAndBoards(asked));
      const title = element("summary", {}, `asked, ${asked.length === 1 ? "1 line" : `${asked.length} lines`}`);
      const folded = element("details", { class: "asked" }, title, words);
      folded.toggleAttribute("open", this.showsAsked);
      title.addEventListener("click", () => {
        // It is about to be changed.
        this.showsAsked = !folded.hasAttribute("open");
      });
      parts.push(folded);
    }
    return parts;
  }

  /** A link to play on from here, where the server lets people play. */
  playFrom() {
    const { record, game } = this.replay.data;
    const link = element("a", { href: "#" }, "play from here");
    link.addEventListener("click", () => {
      link.href = onSite(`/play/${game}#from=${record}&turn=${this.replay.turn}`);
    });
    const part = element("p", { class: "play-from" }, link);
    part.hidden = !record || this.root.dataset.play === undefined;
    return part;
  }

  /** The list of players, and the cells in it that change. */
  players() {
    const { players } = this.replay.data;
    const body = element("tbody");
    const cells = players.slice(0, LISTED).map((name, seat) => {
      const look = element("td");
      const score = element("td", { class: "number" });
      const notes = element("td", { class: "notes" });
      const who = element("th", { scope: "row" }, element("span", { class: "name" }, players.length > 1 ? `${letter(seat)} ${name}` : name), this.verdict(seat));
      look.hidden = players.length === 1;
      body.append(element("tr", {}, look, who, score), element("tr", { class: "more" }, element("td", { hidden: players.length === 1 }), notes));
      notes.setAttribute("colspan", "2");
      return { look, score, notes, noted: "" };
    });
    if (players.length > LISTED) {
      body.append(element("tr", {}, element("td"), element("td", { colspan: 2 }, `and ${players.length - LISTED} more`)));
    }
    const head = element(
      "tr", {}, element("th", { scope: "col", "aria-label": "colour", hidden: players.length === 1 }),
      element("th", { scope: "col" }, "player"), element("th", { scope: "col", class: "number" }, "score"),
    );
    return { table: element("table", { class: "players" }, element("thead", {}, head), body), cells };
  }

  swatches() {
    this.chart.colour(this.board.dark);
    this.rows.cells.forEach(({ look }, seat) => look.replaceChildren(swatch(this.replay, seat, this.board.dark)));
  }

  /** A word on how a seat came out of it. @param {number} seat */
  verdict(seat) {
    const { outcome, contest, goal } = this.replay.data;
    if (!outcome || contest !== "versus" || outcome.scores.length < 2) return "";
    // Who forfeits loses to everybody, whatever the scores say.
    const gains = outcome.scores.map((score, other) =>
      other === outcome.fault?.seat ? -Infinity : goal === "lowest" ? -score : score);
    const best = Math.max(...gains);
    const word = gains[seat] !== best ? "lost" : gains.filter((gain) => gain === best).length > 1 ? "drew" : "won";
    return element("span", { class: `verdict ${word}` }, word);
  }

  overlays() {
    const names = this.replay.overlays();
    const list = element("div", { class: "overlays", role: "group", "aria-label": "Overlays" });
    names.forEach((name, number) => {
      const key = number < 9 ? ` (key ${number + 1})` : "";
      const chip = button(name, `Show or hide ${this.replay.meaning(name)}${key}`, () => this.switch(name));
      chip.dataset.overlay = name;
      chip.setAttribute("aria-pressed", "false");
      list.append(chip);
    });
    if (this.space) {
      const chip = button(IN_SPACE, "Show the chain in space, to be turned by dragging, or as slices", () => {
        this.showSpace(!this.board.space);
        this.draw();
        this.address();
      });
      chip.dataset.space = "";
      list.prepend(chip);
    }
    const left = this.replay.data.left_out ?? [];
    if (left.length > 0) {
      const what = left.length === 1 ? `${left[0]} is` : `${left.length} overlays are`;
      list.append(element("span", { class: "left-out", title: left.join(", ") }, `${what} left out: the match is too long for more`));
    }
    list.hidden = list.childElementCount === 0;
    return list;
  }

  /** Shows an overlay, or hides it. @param {string} name */
  switch(name) {
    if (!this.board.shown.delete(name)) this.board.shown.add(name);
    this.pressed();
    this.draw();
    this.address();
  }

  pressed() {
    for (const chip of this.layers.querySelectorAll("button")) {
      const { overlay } = chip.dataset;
      chip.setAttribute("aria-pressed", String(overlay === undefined ? this.board.space !== null : this.board.shown.has(overlay)));
    }
  }

  /** How it ended. */
  ending() {
    const { outcome, players, decision } = this.replay.data;
    const box = element("div", { class: "ending" });
    if (!outcome) return box;
    if (decision) box.append(element("p", { class: "decision" }, ...linkTurns(`${decision}.`, this.replay.last, (turn) => this.visit(turn))));
    const { figures = [] } = this.replay.data;
    const cut = outcome.truncated ? " (cut off by a limit)" : "";
    box.append(element("p", {}, `${outcome.ending} after ${this.replay.last} ${this.replay.last === 1 ? "turn" : "turns"}${cut}`));
    if (figures.length > 0) {
      const rows = figures.map(([name, value]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "number" }, figure(value))));
      box.append(element("table", { class: "metrics" }, element("tbody", {}, ...rows)));
    }
    const { fault } = outcome;
    if (fault) {
      box.append(element("p", { class: "fault" }, `${letter(fault.seat)} (${players[fault.seat] ?? ""}) forfeits: ${fault.kind}: ${fault.detail}`));
      if (fault.said?.length) box.append(element("pre", { class: "fault" }, fault.said.join("\n")));
    }
    return box;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const slides = event.target === this.slider;
    if (isTyping(event) && !slides) return;
    // A key that presses the button in focus is the button's.
    if (event.target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter")) return;
    const { replay } = this;
    /** @type {Record<string, () => void>} */
    const does = {
      " ": () => this.toggle(),
      ArrowRight: () => this.go(replay.turn + 1),
      ArrowLeft: () => this.go(replay.turn - 1),
      PageDown: () => this.go(replay.turn + PAGE),
      PageUp: () => this.go(replay.turn - PAGE),
      Home: () => this.go(0),
      End: () => this.go(replay.last),
      ArrowUp: () => this.faster(1),
      ArrowDown: () => this.faster(-1),
    };
    if (this.board.space && event.shiftKey && ARROWS.has(event.key)) {
      const [dx, dy] = /** @type {[number, number]} */ (ARROWS.get(event.key));
      this.turnInSpace(20 * dx, 20 * dy);
      event.preventDefault();
      return;
    }
    if (!slides && this.zoom.key(event.key)) return;
    const overlay = replay.overlays()[Number(event.key) - 1];
    const act = does[event.key] ?? (event.key >= "1" && event.key <= "9" && overlay ? () => this.switch(overlay) : null);
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** @param {number} by */
  faster(by) {
    const at = SPEEDS.indexOf(this.speed) + by;
    this.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at))];
    this.rate.value = String(this.speed);
  }

  /** Puts the place into the address, when it has come to rest. */
  address() {
    clearTimeout(this.later);
    this.later = setTimeout(() => history.replaceState(null, "", `#${this.placeShown()}`), 200);
  }

  /** The turn and what is shown on the board, as the address has them. */
  placeShown() {
    const place = new URLSearchParams({ turn: String(this.replay.turn) });
    if (this.board.shown.size > 0) place.set("show", [...this.board.shown].join(","));
    if (this.space && !this.board.space) place.set("view", "slices");
    return place.toString();
  }

  /** Goes to the place in the address. */
  recall() {
    const place = new URLSearchParams(location.hash.slice(1));
    const shown = (place.get("show") ?? "").split(",");
    const isShown = (/** @type {string} */ name) => shown.includes(name) || (isDrawing(name) && shown.includes(DRAWINGS));
    this.board.shown = new Set(this.replay.overlays().filter(isShown));
    this.showSpace(place.get("view") !== "slices");
    this.pressed();
    this.stop();
    this.replay.seek(Number(place.get("turn")) || 0);
    this.draw();
  }
}

/** @param {string} text @param {string} title @param {() => void} press */
function button(text, title, press) {
  const made = element("button", { type: "button", title, "aria-label": title }, text);
  made.addEventListener("click", press);
  return made;
}

/** Where a match was played: as the heading says it, without who played. @param {Element | null} told @param {import("./replay.js").ReplayData} data */
function placeInWords(told, data) {
  const heading = told?.closest("h1")?.textContent ?? "";
  const place = heading.slice(0, Math.max(0, heading.length - (told?.textContent ?? "").length)).trim().replace(/:$/, "");
  return place || `${data.game}, ${data.scenario}`;
}

/** How far each arrow turns a chain. @type {Map<string, [number, number]>} */
const ARROWS = new Map([["ArrowLeft", [-1, 0]], ["ArrowRight", [1, 0]], ["ArrowUp", [0, -1]], ["ArrowDown", [0, 1]]]);

/** Whether nothing should move. */
function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
}

/** Who forfeited and why, in a line. @param {import("./replay.js").ReplayData} data */
function forfeit({ outcome, players }) {
  const fault = outcome?.fault;
  if (!fault) return "";
  const who = players.length > 1 ? `${letter(fault.seat)} forfeits` : "forfeit";
  return `${who}: ${fault.kind}`;
}

function help() {
  const keys = "space plays · ← → step · PgUp PgDn ten turns · Home End · ↑ ↓ speed · 1–9 overlays · + − 0 zoom; the wheel zooms once the board was clicked";
  const taps = "the slider goes through the match · two fingers, or +, enlarge the board · two taps show all of it · a tap on a line below goes to its turn";
  return element("div", { class: "help" }, element("p", { class: "for-keys" }, keys), element("p", { class: "for-fingers" }, taps));
}

/**
 * A text in which boards are drawn, in frames: its lines break where there is no more room, those of boards do not.
 * @param {string[]} lines
 */
function wordsAndBoards(lines) {
  const isBoard = (/** @type {string} */ line) => /^[|+].*[|+]$/.test(line);
  const parts = [];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end < lines.length && isBoard(lines[end]) === isBoard(lines[at])) end++;
    parts.push(element("pre", { class: isBoard(lines[at]) ? "" : "prose" }, lines.slice(at, end).join("\n")));
    at = end;
  }
  return parts;
}
