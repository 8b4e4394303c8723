// @ts-check
// The latest match of the best, played through on a small board beside the ladder; then the next one.

import { LiveBoard, PACE } from "./live-board.js";
import { element, onSite } from "./parts.js";

const place = /** @type {HTMLElement} */ (document.getElementById("live-match"));
const isCalm = matchMedia("(prefers-reduced-motion: reduce)");
/** Milliseconds after the end of a match, and before the server is asked again. */
const REST = 3000;
const PAUSE = 8000;

/** @type {LiveBoard | null} */
let board = null;
let shown = "";

/** @param {string} address */
async function ask(address) {
  const answer = await fetch(address).catch(() => null);
  return answer?.ok ? answer.json() : null;
}

async function showNext() {
  const latest = await ask(place.dataset.live ?? "");
  if (!latest?.record || latest.record === shown) {
    setTimeout(showNext, PAUSE);
    return;
  }
  const data = await ask(onSite(`/api/matches/${latest.record}/replay`));
  if (!data) {
    setTimeout(showNext, PAUSE);
    return;
  }
  shown = latest.record;
  board = new LiveBoard(data);
  const link = element("a", { href: onSite(`/matches/${latest.record}`) }, latest.title);
  place.replaceChildren(element("h2", {}, "The latest match"), board.canvas, element("p", {}, link));
  board.step(isCalm.matches);
  play();
}

function play() {
  if (!board) return;
  if (!document.hidden) board.step(isCalm.matches);
  setTimeout(board.isOver ? showNext : play, board.isOver ? REST : PACE);
}

showNext();
