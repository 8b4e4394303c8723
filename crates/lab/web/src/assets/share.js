// @ts-check
// What can be taken away from a match: the picture that is shown, and at a server the record, a
// page in one file, an animation, and the code that shows the match in another page.

import { element, letter, onSite } from "./parts.js";
import { shadeOfSeat } from "./board.js";
import { figure } from "./replay.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */

/** @param {Viewer} viewer */
export function shareLinks(viewer) {
  const { record, game } = viewer.replay.data;
  const list = element("div", { class: "share", role: "group", "aria-label": "Take it away" });
  const picture = element("button", { type: "button", title: "The board of this turn, as it is shown, with the players' names" }, "picture");
  picture.addEventListener("click", () => {
    drawPicture(viewer).toBlob((blob) => {
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
    copyButton("copy link", "Copy the address of this match, this turn and what is shown on the board", () => String(new URL(onSite(`/matches/${record}#${viewer.placeShown()}`), location.href))),
    file(onSite(`/api/matches/${record}`), "json", "record", "The match as a program reads it"),
    file(onSite(`/matches/${record}/page.html`), "html", "one-file page", "A page that shows the match without a server; with #turn=12 behind its address it opens on turn 12"),
    drawnFile(file(onSite(`/matches/${record}/match.gif`), "gif", "GIF", "The match as a short loop")),
  );
  if (embed !== undefined) list.append(copyButton("embed", "Copy the code that shows this match in another page", () => embedCode(record, viewer)));
  return list;
}

/** A link to a file that the server draws first: says so meanwhile, and why if it does not. @param {HTMLAnchorElement} link */
function drawnFile(link) {
  const said = element("span", { role: "status", class: "note" });
  link.addEventListener("click", async (event) => {
    // The second press takes what is drawn.
    if (link.href.startsWith("blob:")) return;
    event.preventDefault();
    said.textContent = "drawing …";
    try {
      const answer = await fetch(link.href);
      if (!answer.ok) throw new Error((await answer.json().catch(() => null))?.error ?? "It cannot be drawn.");
      link.href = URL.createObjectURL(await answer.blob());
      link.click();
      said.textContent = "";
    } catch (error) {
      said.textContent = error instanceof TypeError ? "The server does not answer." : String(/** @type {Error} */ (error).message);
    }
  });
  return element("span", {}, link, " ", said);
}

/** Seats that are named below a picture. */
const NAMED = 8;

/**
 * The words below a picture: who plays with how many points, where, and after the end how it came out.
 * @param {Viewer} viewer @returns {{seat: number, text: string}[]} with the seat whose colour belongs to it, or -1
 */
export function pictureLines({ replay, where }) {
  const { data, turn, last } = replay;
  const seats = data.players.slice(0, NAMED).map((name, seat) => {
    const who = data.players.length > 1 ? `${letter(seat)} ${name}` : name;
    return { seat: data.players.length > 1 ? seat : -1, text: `${who}: ${figure(replay.scores[turn][seat] ?? 0)}` };
  });
  const lines = [...seats];
  if (data.players.length > NAMED) lines.push({ seat: -1, text: `and ${data.players.length - NAMED} more` });
  lines.push({ seat: -1, text: `${where}, turn ${turn} of ${last}` });
  if (turn === last && data.outcome) lines.push({ seat: -1, text: `${data.result ? `${data.result}: ` : ""}${data.outcome.ending}` });
  return lines;
}

/** The board as it is shown, with what belongs to it below. @param {Viewer} viewer @returns {HTMLCanvasElement} */
function drawPicture(viewer) {
  const board = viewer.canvas;
  const dense = window.devicePixelRatio || 1;
  const lines = pictureLines(viewer);
  const [line, margin] = [24 * dense, 10 * dense];
  const made = element("canvas", { width: Math.max(board.width, 320 * dense), height: board.height + lines.length * line + 2 * margin });
  const context = /** @type {CanvasRenderingContext2D} */ (made.getContext("2d"));
  const page = getComputedStyle(document.body);
  context.fillStyle = page.backgroundColor;
  context.fillRect(0, 0, made.width, made.height);
  context.drawImage(board, (made.width - board.width) / 2, 0);
  context.font = `${16 * dense}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  lines.forEach(({ seat, text }, number) => {
    const middle = board.height + margin + (number + 0.5) * line;
    const shade = seat < 0 ? null : shadeOfSeat(viewer.replay, seat, viewer.board.dark);
    if (shade) {
      context.fillStyle = shade.fill;
      context.fillRect(margin, middle - 8 * dense, 16 * dense, 16 * dense);
    }
    context.fillStyle = page.color;
    const left = margin + (shade ? 24 * dense : 0);
    context.fillText(text, left, middle, made.width - left - margin);
  });
  return made;
}

/** The code that shows a match, from this turn, in another page. @param {string} record @param {Viewer} viewer */
function embedCode(record, viewer) {
  const address = new URL(onSite(`/embed/${record}#${viewer.placeShown()}`), location.href);
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
