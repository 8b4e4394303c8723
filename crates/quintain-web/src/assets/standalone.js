// @ts-check
// A page of its own, opened from disk: the replay is in the page, packed.

import { Viewer } from "./viewer.js";
import { recallTheme, themeButton } from "./parts.js";

async function open() {
  recallTheme();
  document.querySelector("header")?.append(themeButton());
  const packed = document.getElementById("replay")?.textContent ?? "";
  const bytes = Uint8Array.from(atob(packed.trim()), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = JSON.parse(await new Response(unpacked).text());
  new Viewer(/** @type {HTMLElement} */ (document.getElementById("viewer")), data);
}

open();
