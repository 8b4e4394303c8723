// @ts-check
// A page for the projector: a match of those at the top is played through on a large board, then the
// page is fetched again and the next one is shown. The browser never leaves the page, since that
// would end the full screen.

import { swatch } from "./board.js";
import { LiveBoard } from "./live-board.js";
import { element, isDark, isTyping, onTheme } from "./parts.js";
import { figure } from "./replay.js";

/** Milliseconds between two positions, after the end of a match, and before the server is asked again if it has none. */
const PACE = 250;
const REST = 6000;
const PAUSE = 15000;
/** Positions that are shown of a match, and players that are listed. */
const POSITIONS = 120;
const LISTED = 6;

const isCalm = matchMedia("(prefers-reduced-motion: reduce)");
/** @type {{live: LiveBoard, list: HTMLElement} | null} */
let match = null;
let shown = "";

/** The match that the page has, to be played. */
function findMatch() {
  return /** @type {HTMLElement | null} */ (document.getElementById("show-board"));
}

/** Fetches and mounts the match; returns whether there is one. */
async function mount() {
  const place = findMatch();
  const address = place?.dataset.replay ?? "";
  if (!place || !address) return false;
  const answer = await fetch(address).catch(() => null);
  if (!answer?.ok) return false;
  const live = new LiveBoard(await answer.json(), POSITIONS);
  const { width, height } = live.board.extent();
  place.style.setProperty("--ratio", String(width / height));
  const list = element("ul", { class: "show-players" });
  place.replaceChildren(live.canvas);
  place.after(list);
  match = { live, list };
  shown = address;
  draw(isCalm.matches);
  return true;
}

/** Shows the next position, or the last one. @param {boolean} [toEnd] */
function draw(toEnd) {
  if (!match) return;
  match.live.step(toEnd);
  listPlayers();
}

/** Lists who plays, with the sign on the board and the score so far. */
function listPlayers() {
  if (!match) return;
  const { replay } = match.live;
  const rows = replay.data.players.slice(0, LISTED).map((name, seat) =>
    element("li", {}, swatch(replay, seat, isDark()), element("span", { class: "name" }, name),
      element("span", { class: "points" }, figure(replay.scores[replay.turn][seat] ?? 0))));
  match.list.replaceChildren(...rows);
}

function play() {
  if (!match) return;
  if (!document.hidden) draw(isCalm.matches);
  if (match.live.isOver) setTimeout(renew, REST);
  else setTimeout(play, PACE);
}

/** Takes over what the server shows now; the match that is on the board stays as long as there is no other. */
async function renew() {
  const answer = await fetch(location.href).catch(() => null);
  const fresh = answer?.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
  const next = fresh?.getElementById("show");
  const now = document.getElementById("show");
  if (!next || !now) {
    setTimeout(renew, PAUSE);
    return;
  }
  const address = next.querySelector("#show-board")?.getAttribute("data-replay") ?? "";
  if (address === shown && match) {
    for (const id of ["standings", "show-title"]) {
      const [old, other] = [document.getElementById(id), fresh?.getElementById(id)];
      if (old && other) old.replaceWith(other);
    }
    document.dispatchEvent(new Event("renewed"));
    // Until there is another one, it is played again.
    match.live.replay.seek(0);
    play();
    return;
  }
  now.replaceWith(next);
  match = null;
  document.dispatchEvent(new Event("renewed"));
  await begin();
}

async function begin() {
  // When the final is over, the page stays as it is.
  if (document.getElementById("show")?.dataset.over !== undefined) return;
  if (await mount()) play();
  else setTimeout(renew, PAUSE);
}

function toggleFullScreen() {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen?.();
}

if (document.fullscreenEnabled) {
  const button = element("button", { type: "button", id: "full-screen", title: "F or Esc ends it" }, "full screen (F)");
  button.addEventListener("click", toggleFullScreen);
  document.querySelector(".site")?.append(button);
}
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "f" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event)) toggleFullScreen();
});
const redraw = () => {
  if (!match) return;
  match.live.board.dark = isDark();
  match.live.board.draw();
  listPlayers();
};
addEventListener("resize", redraw);
onTheme(redraw);

void begin();
