// @ts-check
// The rules inside a page of one file, which is opened from disk: they answer as a server would.

import { startWorker, unpack } from "./parts.js";

/** The rules in their worker. They are asked one question after the other. */
export class Rules {
  constructor() {
    this.worker = startWorker("rules-worker");
    this.begun = unpack("rules").then((file) => this.worker.postMessage({ file }));
    /** @type {Promise<any>} */
    this.last = this.begun;
  }

  /** @param {string} address @param {object} [body] @returns {Promise<{status: number, said: any}>} */
  ask(address, body) {
    const next = this.last.then(() => new Promise((resolve, reject) => {
      this.worker.onmessage = ({ data }) => resolve(JSON.parse(data));
      this.worker.onerror = () => reject(new Error("This browser cannot run the rules of this page, which need WebAssembly and workers."));
      this.worker.postMessage({ question: JSON.stringify({ address, body: body ?? null }) });
    }));
    this.last = next.catch(() => null);
    return next;
  }
}
