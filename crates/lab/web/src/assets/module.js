// @ts-check
// A person's own module of WebAssembly at a match in the page: its worker, the time that it is given,
// and what it says. The module never leaves the page, and can reach nothing outside its worker.

import { withLimits } from "./module-limits.js";
import { startWorker } from "./parts.js";

/**
 * @typedef {{match: string, hello: string, start: string, turn: string, time_ms: number}} Question lines of the protocol
 * @typedef {{action: string, notes: [string, string][]}} Advice
 */

/** The inbox of a module that reads lines: the length of the next one, its time, and where it begins. */
export const LENGTH = 0;
export const TIME = 1;
export const LINE = 8;
const INBOX = 4 << 20;
/** Milliseconds until it has begun, and how much longer an answer may take than the module is allowed. */
const START = 10_000;
const GRACE = 1000;
/** Notes that are shown, and letters of one. */
const NOTES = 6;
const NOTE = 60;

export class Module {
  /** @param {string} name @param {Uint8Array<ArrayBuffer>} file */
  constructor(name, file) {
    this.name = name;
    this.file = withLimits(file);
    /** @type {Worker | null} */
    this.worker = null;
    /** The match that its instance plays. */
    this.match = "";
    /** @type {SharedArrayBuffer | null} */
    this.inbox = null;
    this.isCalled = false;
  }

  /** What it would do. One that fails or takes too long is ended, and restarted when it is asked again. @param {Question} question @returns {Promise<Advice>} */
  async ask(question) {
    try {
      if (this.match !== question.match) await this.begin(question);
      return this.read(await this.tell(question.turn, "turn", question.time_ms));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Ends its instance, whatever it is doing. */
  close() {
    this.worker?.terminate();
    this.worker = null;
    this.match = "";
  }

  /** @param {Question} question */
  async begin({ match, hello, start }) {
    this.close();
    this.worker = startWorker("module-worker");
    this.inbox = crossOriginIsolated ? new SharedArrayBuffer(LINE + INBOX) : null;
    const begun = await this.answer(START, "to begin", (worker) => worker.postMessage({ file: this.file, inbox: this.inbox }));
    this.isCalled = begun.begin === "calls";
    if (!this.isCalled) await this.tell(hello, "hello", START);
    await this.tell(start, "start", START);
    this.match = match;
  }

  /**
   * Gives it a message, and returns what it says to that.
   * @param {string} text @param {"hello" | "start" | "turn"} kind @param {number} ms the time that it is allowed
   * @returns {Promise<string>}
   */
  async tell(text, kind, ms) {
    const patience = kind === "turn" ? ms + GRACE : ms;
    const { said } = await this.answer(patience, kind === "turn" ? "to answer" : "to begin", (worker) => {
      if (this.isCalled) worker.postMessage({ text, kind, ms });
      else this.deliver(`${text}\n`, ms);
    });
    return said;
  }

  /** Puts a line into the inbox, or sends it where there is none. @param {string} line @param {number} ms */
  deliver(line, ms) {
    const { inbox } = this;
    const bytes = new TextEncoder().encode(line);
    if (bytes.length > INBOX) throw new Error(`the question to ${this.name} is longer than ${INBOX >> 20} MB`);
    if (!inbox) {
      this.worker?.postMessage({ line: bytes, ms });
      return;
    }
    new Uint8Array(inbox).set(bytes, LINE);
    const control = new Int32Array(inbox, 0, LINE / 4);
    Atomics.store(control, TIME, ms);
    Atomics.store(control, LENGTH, bytes.length);
    Atomics.notify(control, LENGTH);
  }

  /**
   * What the worker answers to what is done to it.
   * @param {number} patience @param {string} what it was to do @param {(worker: Worker) => void} work
   * @returns {Promise<any>}
   */
  answer(patience, what, work) {
    const { name, worker } = this;
    return new Promise((resolve, reject) => {
      if (!worker) throw new Error(`${name} was stopped`);
      const late = () => reject(new Error(`${name} took longer than ${patience / 1000} s ${what}, and was stopped`));
      const timer = setTimeout(late, patience);
      worker.onmessage = ({ data }) => {
        clearTimeout(timer);
        if (data.problem === undefined) {
          resolve(data);
          return;
        }
        // It may also fail when nobody waits for it: the next question restarts it.
        this.close();
        reject(new Error([`${name}: ${data.problem}`, data.errors.trim()].filter(Boolean).join("\n")));
      };
      worker.onerror = () => {
        clearTimeout(timer);
        reject(new Error(`${name}: its worker cannot be started`));
      };
      work(worker);
    });
  }

  /** Reads its answer to a turn: the protocol's message, or of a module that is called the action alone. @param {string} answer @returns {Advice} */
  read(answer) {
    const text = answer.trim();
    if (this.isCalled && text && !text.startsWith("{")) return { action: text, notes: [] };
    let message = null;
    try {
      message = JSON.parse(text);
    } catch {
      // What follows says what was expected.
    }
    const { type, action, notes = {} } = message ?? {};
    if (type !== "action" || typeof action !== "string") {
      throw new Error(`${this.name}: expected {"type":"action","action":"…"}, got ${text.slice(0, 200) || "nothing"}`);
    }
    const shown = Object.entries(notes).slice(0, NOTES);
    return { action, notes: shown.map(([name, note]) => [name.slice(0, NOTE), String(note).slice(0, NOTE)]) };
  }
}
