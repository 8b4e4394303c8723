// @ts-check
// The part of the play page in which a person uses their own module: as an adviser, or playing in
// the person's place. How a module is run is `module.js`'s.

import { Module } from "./module.js";
import { element } from "./parts.js";

/**
 * @typedef {{
 *   question: () => Promise<import("./module.js").Question>, play: (action: string) => Promise<boolean>,
 *   turn: () => number, isOver: () => boolean,
 * }} Match what is asked of the match
 */

/** Milliseconds between two moves, so that they can be watched. */
const PACE = 150;

/** The module that was chosen in this page; a rematch has it again. @type {Module | null} */
let chosen = null;

export class OwnModule {
  /** @param {Match} match */
  constructor(match) {
    this.match = match;
    this.isPlaying = false;
    this.isAsking = false;
    const file = element("input", { type: "file", accept: ".wasm" });
    file.addEventListener("change", () => this.choose(file.files?.[0]));
    this.hint = element("button", { type: "button", class: "ask" }, "ask it");
    this.hint.addEventListener("click", () => this.ask());
    this.play = element("button", { type: "button", class: "let", "aria-pressed": "false" }, "let it play");
    this.play.addEventListener("click", () => (this.isPlaying ? this.stop() : this.playOn()));
    this.message = element("p", { class: "lines", role: "status" });
    this.element = element(
      "details", { class: "own" }, element("summary", {}, "A module of your own"),
      element("p", { class: "note" }, "A player as a .wasm file. It runs only in this page and is not sent to the server. The record of the match is not kept."),
      element("label", {}, "file ", file), element("p", {}, this.hint, " ", this.play), this.message,
    );
    if (chosen) /** @type {HTMLDetailsElement} */ (this.element).open = true;
    this.show();
  }

  /** Ends what it does: the match is no longer shown. */
  close() {
    this.stop();
    chosen?.close();
  }

  stop() {
    this.isPlaying = false;
    this.play.setAttribute("aria-pressed", "false");
  }

  show() {
    const isOff = !chosen || this.match.isOver();
    this.hint.disabled = isOff;
    this.play.disabled = isOff;
    if (chosen && !this.message.textContent) this.tell(`${chosen.name} is ready.`);
  }

  /** @param {string} text */
  tell(text) {
    this.message.textContent = text;
  }

  /** @param {File | undefined} file */
  async choose(file) {
    this.close();
    chosen = null;
    this.tell("");
    if (file) {
      try {
        chosen = new Module(file.name, new Uint8Array(await file.arrayBuffer()));
      } catch (error) {
        this.tell(`${file.name}: ${/** @type {Error} */ (error).message}`);
      }
    }
    this.show();
  }

  /** What it would do here; none if it fails, which is reported. */
  async ask() {
    const module = chosen;
    if (!module || this.isAsking || this.match.isOver()) return null;
    this.isAsking = true;
    this.tell(`${module.name} thinks …`);
    try {
      const turn = this.match.turn();
      const { action, notes } = await module.ask(await this.match.question());
      const figures = notes.map(([name, value]) => `${name} ${value}`).join(", ");
      this.tell(`${module.name}: ${action}${figures && ` (${figures})`}`);
      return { action, turn };
    } catch (error) {
      this.tell(/** @type {Error} */ (error).message);
      return null;
    } finally {
      this.isAsking = false;
    }
  }

  /** It moves in the person's place, until it is over, fails or is stopped. */
  async playOn() {
    this.isPlaying = true;
    this.play.setAttribute("aria-pressed", "true");
    while (this.isPlaying && !this.match.isOver()) {
      const advice = await this.ask();
      if (!advice || !this.isPlaying) break;
      // Where the person was faster, it is asked about what there is now.
      if (advice.turn === this.match.turn() && !(await this.match.play(advice.action))) break;
      await new Promise((resolve) => setTimeout(resolve, PACE));
    }
    this.stop();
    this.show();
  }
}
