// @ts-check
// What can be taken away from a match: the picture that is shown, and at a server the record, a
// page in one file, an animation, and the code that shows the match in another page.

import { element, onSite } from "./parts.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */

/** @param {Viewer} viewer */
export function shareLinks(viewer) {
  const { record, game } = viewer.replay.data;
  const list = element("div", { class: "share", role: "group", "aria-label": "Take it away" });
  const picture = element("button", { type: "button", title: "The board of this turn, as it is shown" }, "picture");
  picture.addEventListener("click", () => {
    viewer.canvas.toBlob((blob) => {
      if (!blob) return;
      const link = element("a", { href: URL.createObjectURL(blob), download: `${game}-turn-${viewer.replay.turn}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  });
  list.append(picture);
  if (!record || viewer.root.dataset.replay === undefined) return list;
  const file = (/** @type {string} */ path, /** @type {string} */ name, /** @type {string} */ word, /** @type {string} */ title) =>
    element("a", { href: path, download: `${game}-${record.slice(0, 8)}.${name}`, title }, word);
  const { embed } = viewer.root.dataset;
  list.append(
    copyButton("copy link", "Copy the address of this match and turn", () => String(new URL(onSite(`/matches/${record}#turn=${viewer.replay.turn}`), location.href))),
    file(onSite(`/api/matches/${record}`), "json", "record", "The match as a program reads it"),
    file(onSite(`/matches/${record}/page.html`), "html", "one-file page", "A page that shows the match without a server"),
    file(onSite(`/matches/${record}/match.gif`), "gif", "GIF", "The match as a short loop"),
  );
  if (embed !== undefined) list.append(copyButton("embed", "Copy the code that shows this match in another page", () => embedCode(record, viewer)));
  return list;
}

/** The code that shows a match, from this turn, in another page. @param {string} record @param {Viewer} viewer */
function embedCode(record, viewer) {
  const address = new URL(onSite(`/embed/${record}#turn=${viewer.replay.turn}`), location.href);
  return `<iframe src="${address}" width="640" height="560" title="A match of ${viewer.replay.data.game}"></iframe>`;
}

/** A button that copies a text, or shows it where nothing may be copied. @param {string} word @param {string} title @param {() => string} text */
function copyButton(word, title, text) {
  const button = element("button", { type: "button", title }, word);
  const said = element("span", { role: "status", class: "note" });
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      said.textContent = "copied";
    } catch {
      said.textContent = text();
    }
  });
  return element("span", {}, button, " ", said);
}
