// @ts-check
// A match of the server's in the viewer.

import { Viewer } from "./viewer.js";
import { Analysis } from "./analysis.js";
import { Advice } from "./advice.js";

/** Milliseconds after which somebody who waits is told so. */
const PATIENCE = 500;

const root = /** @type {HTMLElement} */ (document.getElementById("viewer"));
/** Fetches the match; what cannot be had is said in a sentence. @returns {Promise<{data?: import("./replay.js").ReplayData, error?: string}>} */
async function fetchMatch() {
  try {
    const answer = await fetch(root.dataset.replay ?? "");
    const said = await answer.json();
    return answer.ok ? { data: said } : { error: said.error ?? "The match cannot be shown." };
  } catch {
    return { error: "The match could not be loaded: the server does not answer. Load the page again." };
  }
}

root.setAttribute("aria-busy", "true");
// A match that is drawn at once shows no such line.
const waiting = setTimeout(() => (root.textContent = "The match is being drawn; a long one takes some seconds …"), PATIENCE);
const { data, error } = await fetchMatch();
clearTimeout(waiting);
root.removeAttribute("aria-busy");
if (data) {
  root.textContent = "";
  const viewer = new Viewer(root, data);
  if (root.dataset.analysts) new Analysis(viewer, root.dataset.analysts.split(" "));
  if (root.dataset.analysts !== undefined) new Advice(viewer);
} else {
  root.textContent = error ?? "";
}
