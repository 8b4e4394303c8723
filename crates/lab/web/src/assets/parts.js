// @ts-check
// Small things that every page needs: elements, light and dark.

/**
 * A new element. Text is set as text, never as markup: names come from outside.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean>} [attributes] a value that is `false` leaves the attribute out
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

/** An address of the site, which may be below a path. @param {string} address */
export function onSite(address) {
  return (document.documentElement.dataset.base ?? "") + address;
}

/** The bytes that a page of one file has inside, packed. @param {string} id */
export async function unpack(id) {
  const packed = document.getElementById(id)?.textContent ?? "";
  const bytes = Uint8Array.from(atob(packed.trim()), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
}

/** Starts a worker whose script is inside a page of one file, otherwise at the server. @param {string} name */
export function startWorker(name) {
  const inside = document.getElementById(name);
  if (!inside) return new Worker(onSite(`/assets/${name}.js`), { type: "module" });
  // All in one, it is no module: browsers start none for a page that comes from disk.
  const script = new Blob(['"use strict";\n', inside.textContent ?? ""], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(script));
}

/** The name under which is kept that somebody wants to know results before the end. */
const TELL = "result";

/** Whether somebody wanted to know results before the end. */
export function wasTold() {
  try {
    return localStorage.getItem(TELL) === "told";
  } catch {
    // A page from disk may not keep anything.
    return false;
  }
}

/** Keeps whether somebody wants to know results before the end. @param {boolean} on */
export function keepTold(on) {
  try {
    localStorage.setItem(TELL, on ? "told" : "");
  } catch {
    // As above.
  }
}

/** Whether the page is dark now. */
export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Calls back when the page turns light or dark. @param {() => void} call */
export function onTheme(call) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", call);
  new MutationObserver(call).observe(document.documentElement, { attributeFilter: ["data-theme"] });
}

/** A button that turns the page light or dark; the choice is kept where that is possible. */
export function themeButton() {
  const button = element("button", { type: "button", class: "theme", title: "Light or dark" });
  const show = () => {
    button.textContent = isDark() ? "☀ light" : "☾ dark";
  };
  button.addEventListener("click", () => {
    const chosen = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = chosen;
    try {
      localStorage.setItem("theme", chosen);
    } catch {
      // A page from disk may not keep anything.
    }
  });
  onTheme(show);
  show();
  return button;
}

/** Takes up the choice that was kept. */
export function recallTheme() {
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // As above.
  }
}

/** Whether the page is used with fingers. */
export function isCoarse() {
  return matchMedia("(pointer: coarse)").matches;
}

/** The key that does what a button does, for those who have keys. @param {string} key */
export function keyHint(key) {
  return element("span", { class: "for-keys" }, ` (${key})`);
}

/** Whether keys belong to a field that has the focus. @param {KeyboardEvent} event */
export function isTyping(event) {
  const at = event.target;
  return at instanceof HTMLElement && (at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName));
}

/**
 * A sentence in which these names occur, each of which stays on one line if it fits there.
 * @param {string} text @param {string[]} names @returns {(string | HTMLElement)[]}
 */
export function withNames(text, names) {
  const known = [...new Set(names)].filter(Boolean).sort((a, b) => b.length - a.length);
  if (known.length === 0) return [text];
  const escaped = known.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const parts = text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join("|")})(?![\\p{L}\\p{N}])`, "u"));
  return parts.map((part, at) => (at % 2 === 1 ? element("span", { class: "name" }, part) : part)).filter((part) => part !== "");
}

/** What a seat is called: A, B and so on, and from 27 on by number. @param {number} seat */
export function letter(seat) {
  return seat < 26 ? String.fromCharCode(65 + seat) : `player ${seat + 1}`;
}
