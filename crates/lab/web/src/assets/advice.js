// @ts-check
// The part of a replay's page in which a module of the visitor's says what it would have done, on the
// turn that is shown. The server tells what the seat was asked; the module runs in the page alone.

import { Module } from "./module.js";
import { element, letter, onSite } from "./parts.js";

/** @typedef {import("./viewer.js").Viewer} Viewer */

export class Advice {
  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    /** @type {Module | null} */
    this.module = null;
    /** The turn and seat of the last question: an instance goes on only to later turns of the same seat. */
    this.last = { turn: -1, seat: -1 };
    this.begun = 0;
    this.isAsking = false;
    const file = element("input", { type: "file", accept: ".wasm" });
    file.addEventListener("change", () => this.choose(file.files?.[0]));
    this.seat = element("select", { "aria-label": "The player that it replaces" });
    viewer.replay.data.players.forEach((name, seat) => this.seat.append(element("option", { value: seat }, `${letter(seat)} ${name}`)));
    this.seat.addEventListener("change", () => this.follow());
    this.button = element("button", { type: "button", class: "ask" }, "ask it");
    this.button.addEventListener("click", () => this.ask());
    this.always = element("input", { type: "checkbox" });
    this.always.addEventListener("change", () => this.follow());
    this.message = element("p", { class: "lines", role: "status" });
    this.element = element(
      "details", { class: "own" }, element("summary", {}, "A module of your own"),
      element("p", { class: "note" }, "What would your player have done? Choose it as a .wasm file: it runs only in this page and is not sent to the server. Here its limit is time, not fuel."),
      element("label", {}, "file ", file), element("p", {}, "in place of ", this.seat),
      element("p", {}, this.button, " ", element("label", {}, this.always, " on every turn that is shown")), this.message,
    );
    viewer.root.querySelector(".beside")?.append(this.element);
    viewer.onDraw.push(() => this.follow());
    this.show();
  }

  show() {
    this.button.disabled = this.always.disabled = !this.module;
  }

  /** @param {File | undefined} file */
  async choose(file) {
    this.module?.close();
    this.module = null;
    this.last = { turn: -1, seat: -1 };
    this.message.textContent = "";
    if (file) {
      try {
        this.module = new Module(file.name, new Uint8Array(await file.arrayBuffer()));
        this.message.textContent = `${file.name} is ready.`;
      } catch (error) {
        this.message.textContent = `${file.name}: ${/** @type {Error} */ (error).message}`;
      }
    }
    this.show();
    this.follow();
  }

  /** Asks it where it is to say something on every turn. */
  follow() {
    if (this.always.checked) this.ask();
  }

  /** What it would do on the turn that is shown. */
  async ask() {
    const { module, viewer } = this;
    if (!module || this.isAsking) return;
    const { turn, data } = viewer.replay;
    const seat = Number(this.seat.value);
    const played = data.turns[turn + 1]?.played?.find(([who]) => who === seat)?.[1];
    this.isAsking = true;
    try {
      this.message.textContent = await this.answer(module, turn, seat, played);
    } catch (error) {
      this.message.textContent = /** @type {Error} */ (error).message;
    }
    this.isAsking = false;
    // What was shown or chosen meanwhile is asked next.
    if (viewer.replay.turn !== turn || Number(this.seat.value) !== seat) this.follow();
  }

  /** @param {Module} module @param {number} turn @param {number} seat @param {string | undefined} played */
  async answer(module, turn, seat, played) {
    const answer = await fetch(onSite(`/api/matches/${this.viewer.replay.data.record}/question?turn=${turn}&seat=${seat}`));
    const question = await answer.json();
    if (!answer.ok) return String(question.error ?? "the server does not answer");
    if (seat !== this.last.seat || turn < this.last.turn) this.begun++;
    this.last = { turn, seat };
    const { action, notes } = await module.ask({ ...question, match: `${question.match} ${this.begun}` });
    const figures = notes.map(([name, value]) => `${name} ${value}`).join(", ");
    const same = played === undefined ? "" : played === action ? ", as in the match" : `; in the match: ${played}`;
    return `turn ${turn}: ${module.name} at ${letter(seat)}: ${action}${figures && ` (${figures})`}${same}`;
  }
}
