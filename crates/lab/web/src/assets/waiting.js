// @ts-check
// A page that waits for something, as its main part says (data-waiting): it is fetched again
// until nothing is, and its parts (data-part) are put in place of the old ones. Without script, a note
// on the page says that one has to load it again.

const PAUSE = 1500;

/** @param {Document} fresh */
function renew(fresh) {
  for (const found of document.querySelectorAll("[data-part]")) {
    const part = /** @type {HTMLElement} */ (found);
    const other = fresh.getElementById(part.id);
    // Nobody loses what they are just filling in.
    if (!other || part.contains(document.activeElement) || part.textContent === other.textContent) continue;
    const open = new Set([...part.querySelectorAll("details[open]")].map((details) => details.id));
    for (const details of other.querySelectorAll("details")) {
      if (open.has(details.id)) details.open = true;
    }
    part.replaceChildren(...other.childNodes);
  }
}

async function look() {
  let waiting = "1";
  try {
    const answer = await fetch(location.href);
    if (answer.ok && !answer.redirected) {
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      renew(fresh);
      waiting = fresh.querySelector("main")?.dataset.waiting ?? "";
    }
  } catch {
    // The server is away for a moment: it is asked again.
  }
  if (waiting) setTimeout(look, PAUSE);
}

if (document.querySelector("main")?.dataset.waiting) setTimeout(look, PAUSE);
