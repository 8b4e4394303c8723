// @ts-check
// The part of the play page in which a module of the visitor's plays the other seats. The server tells
// what each seat sees, and checks what it does; the module stays in the page.

import { Module } from "./module.js";
import { element, letter } from "./parts.js";

/** The file that was chosen in this page; a rematch has it again. @type {{name: string, bytes: Uint8Array<ArrayBuffer>} | null} */
let opponent = null;

export class RivalModule {
  /**
   * @param {(seat: number) => Promise<import("./module.js").Question>} question
   * @param {() => void} ready called when a file was chosen
   */
  constructor(question, ready) {
    this.question = question;
    this.ready = ready;
    /** The instance at each seat. @type {Map<number, Module>} */
    this.modules = new Map();
    const file = element("input", { type: "file", accept: ".wasm" });
    file.addEventListener("change", () => this.choose(file.files?.[0]));
    this.message = element("p", { class: "lines", role: "status" }, opponent ? `${opponent.name} is ready.` : "Choose your opponent's file.");
    this.element = element("section", { class: "own rival", "aria-label": "Your opponent" }, element("p", { class: "note" }, "Your opponent is a player as a .wasm file. It runs only in this page, within the given time, and is not sent to the server."), element("label", {}, "opponent's file ", file), this.message);
  }

  close() {
    for (const module of this.modules.values()) module.close();
    this.modules.clear();
  }

  /** @param {File | undefined} file */
  async choose(file) {
    this.close();
    opponent = null;
    if (!file) return;
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      // Reports at once what is wrong with it.
      new Module(file.name, bytes);
      opponent = { name: file.name, bytes };
      this.message.textContent = `${file.name} is ready.`;
      this.ready();
    } catch (error) {
      this.message.textContent = `${file.name}: ${/** @type {Error} */ (error).message}`;
    }
  }

  /** What it does at these seats; none if there is no module or it fails, which is reported. @param {number[]} seats @returns {Promise<[number, string][] | null>} */
  async moves(seats) {
    if (!opponent) return null;
    try {
      /** @type {[number, string][]} */
      const moves = [];
      for (const seat of seats) {
        const module = this.modules.get(seat) ?? new Module(opponent.name, opponent.bytes);
        this.modules.set(seat, module);
        const { action, notes } = await module.ask(await this.question(seat));
        moves.push([seat, action]);
        const figures = notes.map(([name, value]) => `${name} ${value}`).join(", ");
        this.message.textContent = `${letter(seat)} ${opponent.name} has chosen${figures && ` (${figures})`}.`;
      }
      return moves;
    } catch (error) {
      this.message.textContent = `${/** @type {Error} */ (error).message}. Repeat your move to ask it again, or choose another file.`;
      return null;
    }
  }
}
