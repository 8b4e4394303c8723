// @ts-check
// A page in one file, opened from disk: the replay is in the page, packed.

import { Viewer } from "./viewer.js";
import { recallTheme, themeButton, unpack } from "./parts.js";

async function open() {
  recallTheme();
  document.querySelector("header")?.append(themeButton());
  const data = JSON.parse(new TextDecoder().decode(await unpack("replay")));
  new Viewer(/** @type {HTMLElement} */ (document.getElementById("viewer")), data);
}

open();
