// @ts-check
// A tournament's page while it is played: the server tells how far it is, and the part
// that changes is fetched again. The boards of the newest matches are played through.

import { LiveBoard, PACE } from "./live-board.js";
import { prepare } from "./page.js";
import { onSite, wasTold } from "./parts.js";

const live = /** @type {HTMLElement} */ (document.getElementById("live"));
let played = "";
let isFetching = false;

/** Milliseconds until a part that is behind the news is fetched again. */
const AGAIN = 2000;
/** Turns of a match that is played through. */
const TURNS = 2000;

/** The boards by the addresses of their matches; none while a match is fetched. @type {Map<string, LiveBoard | null>} */
const boards = new Map();

/** Puts boards in place of the pictures of the newest matches, unless nothing should move. */
function showBoards() {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const cards = new Map([...live.querySelectorAll(".live-boards .card")].map((card) => [card.getAttribute("href") ?? "", card]));
  for (const address of boards.keys()) if (!cards.has(address)) boards.delete(address);
  for (const [address, card] of cards) {
    const board = boards.get(address);
    if (board) card.querySelector("img")?.replaceWith(board.canvas);
    else if (board === undefined && Number(/** @type {HTMLElement} */ (card).dataset.turns) <= TURNS) fetchBoard(address);
  }
}

/** @param {string} address */
async function fetchBoard(address) {
  boards.set(address, null);
  // Where there is no answer, its picture stays.
  const answer = await fetch(onSite(`/api${address.slice(onSite("").length)}/replay`)).catch(() => null);
  if (!answer?.ok || !boards.has(address)) return;
  boards.set(address, new LiveBoard(await answer.json()));
  showBoards();
}

showBoards();
setInterval(() => {
  if (!document.hidden) for (const board of boards.values()) board?.step();
}, PACE);

async function fetchPart() {
  if (isFetching) return;
  isFetching = true;
  const before = played;
  try {
    const answer = await fetch(live.dataset.part ?? "");
    if (answer.ok) {
      const open = [...live.querySelectorAll("details")].map((part) => part.open);
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      fresh.querySelectorAll("details").forEach((part, number) => {
        if (number in open) part.open = open[number];
      });
      live.replaceChildren(...fresh.body.childNodes);
      prepare(live);
      showBoards();
      live.dataset.played = before;
    }
  } finally {
    isFetching = false;
  }
  if (before !== played) fetchPart();
  // Where standings take long, the part may be older than the news, which may be the last.
  else if (isBehind()) setTimeout(fetchPart, AGAIN);
}

/** Whether the part that is shown has fewer matches than were told. */
function isBehind() {
  const shown = live.querySelector("progress")?.value;
  return shown !== undefined && shown < Number(played);
}

// Who wants to know results before the end is told them here, too.
if (wasTold()) for (const part of /** @type {NodeListOf<HTMLDetailsElement>} */ (live.querySelectorAll(".untold"))) part.open = true;

const events = new EventSource(live.dataset.events ?? "");
events.addEventListener("progress", (event) => {
  const news = JSON.parse(event.data);
  const first = played === "";
  played = String(news.played);
  // The page itself is as new as the first word of it, or nearly so.
  const shown = live.querySelector("progress")?.value;
  if (!first || shown !== news.played) fetchPart();
});
