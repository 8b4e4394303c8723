// @ts-check
// A match of the server's in the viewer.

import { Viewer } from "./viewer.js";
import { Analysis } from "./analysis.js";
import { Advice } from "./advice.js";

const root = /** @type {HTMLElement} */ (document.getElementById("viewer"));
root.setAttribute("aria-busy", "true");
const answer = await fetch(root.dataset.replay ?? "");
const data = await answer.json();
root.removeAttribute("aria-busy");
if (answer.ok) {
  const viewer = new Viewer(root, data);
  if (root.dataset.analysts) new Analysis(viewer, root.dataset.analysts.split(" "));
  if (root.dataset.analysts !== undefined) new Advice(viewer);
} else {
  root.textContent = data.error ?? "The match cannot be shown.";
}
