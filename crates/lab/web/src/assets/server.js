// @ts-check
// Whom the play page asks: the server that it is from, or what takes that one's place in a page of one
// file.

import { element, onSite } from "./parts.js";

/**
 * @typedef {{
 *   send: (address: string, body?: object) => Promise<{status: number, said: any}>,
 *   showKept: (view: import("./session.js").View) => HTMLElement,
 * }} Server how it is asked, and what it has of a match that is over
 */

/** What is refused. */
export class Refused extends Error {
  /** @param {string} text @param {number} status */
  constructor(text, status) {
    super(text);
    this.status = status;
  }
}

/** @type {Server} */
const overHttp = {
  async send(address, body) {
    const answer = await fetch(onSite(address), body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).catch(() => {
      throw new Error("The server cannot be reached. The match is kept for half an hour, and goes on once the server is back.");
    });
    const said = answer.status === 204 ? null : await answer.json().catch(() => null);
    return { status: answer.status, said };
  },
  showKept({ record }) {
    if (record) {
      const match = onSite(`/matches/${record}`);
      return element("span", {}, element("a", { href: match }, "watch it again"), " · ", element("a", { href: `${match}#analyse` }, "find the mistakes"));
    }
    return element("span", {}, "It is not kept in the store, because it continued another match, or a hint or a module was used.");
  },
};

let server = overHttp;

/** Asks another one from now on. @param {Server} other */
export function askInstead(other) {
  server = other;
}

/** @param {string} address @param {object} [body] */
export async function ask(address, body) {
  const { status, said } = await server.send(address, body);
  if (status < 200 || status > 299) throw new Refused(said?.error ?? `the server answers ${status}`, status);
  return said;
}

/** Where the record of a match that is over can be had, or why it cannot. @param {import("./session.js").View} view */
export function showKept(view) {
  return server.showKept(view);
}
