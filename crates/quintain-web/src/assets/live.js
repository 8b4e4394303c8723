// @ts-check
// A tournament's page while it is played: the server tells how far it is, and the part
// that changes is fetched anew.

import { prepare } from "./page.js";

const live = /** @type {HTMLElement} */ (document.getElementById("live"));
let played = "";
let isFetching = false;

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
      live.dataset.played = before;
    }
  } finally {
    isFetching = false;
  }
  if (before !== played) fetchPart();
}

const events = new EventSource(live.dataset.events ?? "");
events.addEventListener("progress", (event) => {
  const news = JSON.parse(event.data);
  const first = played === "";
  played = String(news.played);
  // The page itself is as new as the first word of it, or nearly so.
  const shown = live.querySelector("progress")?.value;
  if (!first || shown !== news.played) fetchPart();
});
