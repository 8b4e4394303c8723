// @ts-check
// The first page while a tournament is played: it is fetched again now and then, and once after the
// end.

import { prepare } from "./page.js";

/** Milliseconds between two looks. */
const EVERY = 5000;

async function refresh() {
  const main = document.querySelector("main");
  const answer = await fetch(location.href).catch(() => null);
  if (main && answer?.ok) {
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    if (fresh) main.replaceChildren(...fresh.childNodes);
    prepare(main);
  }
  follow();
}

function follow() {
  if (document.getElementById("running")) setTimeout(() => (document.hidden ? follow() : refresh()), EVERY);
}

follow();
