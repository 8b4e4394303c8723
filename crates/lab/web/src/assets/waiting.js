// @ts-check
// A page that waits for something, as its main part says (data-waiting, in seconds): it is fetched
// again until nothing is, and its parts (data-part) are put in place of the old ones. Without script, a note
// on the page says that one has to load it again.

/** What the server said last in each part; the browser may show times in other words. @type {Map<string, string>} */
const known = new Map();
for (const part of document.querySelectorAll("[data-part]")) known.set(part.id, part.textContent ?? "");

/** @param {Document} fresh */
function renew(fresh) {
  for (const found of document.querySelectorAll("[data-part]")) {
    const part = /** @type {HTMLElement} */ (found);
    const other = fresh.getElementById(part.id);
    // Nobody loses what they are just filling in.
    const text = other?.textContent ?? "";
    if (!other || part.contains(document.activeElement) || known.get(part.id) === text) continue;
    known.set(part.id, text);
    const open = new Set([...part.querySelectorAll("details[open]")].map((details) => details.id));
    for (const details of other.querySelectorAll("details")) {
      if (open.has(details.id)) details.open = true;
    }
    part.replaceChildren(...other.childNodes);
    document.dispatchEvent(new Event("renewed"));
  }
}

/** How long to wait, in seconds; nothing, if the page waits no more. @param {Document} page */
const pauseOf = (page) => page.querySelector("main")?.dataset.waiting ?? "";

async function look() {
  let waiting = pauseOf(document);
  try {
    const answer = await fetch(location.href);
    if (answer.ok && !answer.redirected) {
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      renew(fresh);
      waiting = pauseOf(fresh);
    }
  } catch {
    // The server is away for a moment: it is asked again.
  }
  if (waiting) setTimeout(look, Number(waiting) * 1000);
}

if (pauseOf(document)) setTimeout(look, Number(pauseOf(document)) * 1000);
