// @ts-check
// The buttons beside a board that is played on: for fingers as the keys lie, for a preview that is
// moved and placed, and for what has a key but no place on the board.

import { element, keyHint } from "./parts.js";

/** @typedef {import("./session.js").Controls} Controls */

/** Keys as they lie around the fingers, with their labels here. */
const PAD = [
  ["Home", "↖"], ["ArrowUp", "↑"], ["PageUp", "↗"],
  ["ArrowLeft", "←"], [".", "·"], ["ArrowRight", "→"],
  ["End", "↙"], ["ArrowDown", "↓"], ["PageDown", "↘"],
];
/** Milliseconds between moves, where a person drives without pause. */
const PACES = [["0", "waits for you"], ["700", "slow"], ["350", "brisk"], ["180", "fast"]];

/** A button that does something. @param {Record<string, string>} attributes @param {() => void} press @param {...(string | Node)} inside */
function press(attributes, press, ...inside) {
  const made = element("button", { type: "button", ...attributes }, ...inside);
  made.addEventListener("click", press);
  return made;
}

/** Buttons for fingers, as the keys lie. @param {Controls} controls @param {(action: string) => void} act */
export function movePad(controls, act) {
  const pad = element("div", { class: "pad", role: "group", "aria-label": "Moves" });
  const isNamed = Object.keys(controls.names).length > 0;
  const used = PAD.filter(([key]) => (isNamed ? controls.names[key] : controls.keys[key]));
  pad.hidden = used.length < 2;
  for (const [key, sign] of PAD) {
    const action = controls.keys[key];
    if (!used.some(([known]) => known === key)) {
      pad.append(element("span"));
      continue;
    }
    const name = controls.names[key] ?? action;
    pad.append(press({ title: `${name} (${key})` }, () => act(action), sign, element("span", { class: "what" }, name)));
  }
  return pad;
}

/** Buttons that turn a piece, that choose which mark a click makes, and that take all marks away. @param {[string, string][]} marks @param {() => void} turn @param {(key: string | null) => void} choose @param {() => void} clear */
export function markTools(marks, turn, choose, clear) {
  if (marks.length === 0) return [];
  /** @type {string | null} */
  let chosen = null;
  const buttons = marks.map(([key, name]) => press({ "aria-pressed": "false" }, () => {
    chosen = chosen === key ? null : key;
    buttons.forEach((button, place) => button.setAttribute("aria-pressed", String(marks[place][0] === chosen)));
    choose(chosen);
  }, `mark ${name}`, keyHint(key)));
  return [press({}, turn, "turn", keyHint("t")), ...buttons, press({}, clear, "clear marks", keyHint("Esc"))];
}

/** Buttons of actions that have a key, but neither an arrow nor a place on the board. @param {Controls} controls @param {(action: string) => void} act */
export function actionTools({ keys, names, pointing }, act) {
  const others = (pointing?.others ?? []).map(([key, name]) => press({}, () => act(keys[key] ?? name), name, keyHint(key)));
  // Moves by letters, such as those of a chain into the third dimension: only where they are offered.
  const letters = Object.entries(names).filter(([key]) => !PAD.some(([known]) => known === key));
  return [...others, ...letters.map(([key, name]) => press({ "data-key": key }, () => act(keys[key]), name, keyHint(key)))];
}

/** The choice of how fast the match goes on by itself. @param {(every: number) => void} choose milliseconds; 0 waits */
export function paceChoice(choose) {
  const pace = element("select", { "aria-label": "Pace" });
  for (const [value, text] of PACES) pace.append(element("option", { value }, text));
  pace.addEventListener("change", () => choose(Number(pace.value)));
  return element("label", {}, "pace ", pace);
}

/** Buttons for fingers that move the preview by a cell, and place it. @param {(right: number, down: number) => void} moveBy @param {() => void} placeIt */
export function nudgePad(moveBy, placeIt) {
  /** @type {[string, string, number, number][]} */
  const arrows = [["←", "left", -1, 0], ["↑", "up", 0, -1], ["↓", "down", 0, 1], ["→", "right", 1, 0]];
  const [left, up, down, right] = arrows.map(([sign, name, columns, rows]) => press({ "aria-label": `a cell ${name}` }, () => moveBy(columns, rows), sign));
  const place = press({ class: "play" }, placeIt, "place");
  return { place, buttons: [left, up, place, down, right] };
}

/** How it is played without keys. @param {Controls} controls */
export function touchHelp({ pointing }) {
  if (!pointing) return "The buttons below the board make moves. Two fingers, or +, enlarge the board.";
  const before = pointing.marks.length > 0 ? "Turn the piece, or mark cells, with the buttons. " : "";
  return `${before}Tap a cell: the board shows what the move would do. Tap it again, or press “place”, to make the move; the buttons with arrows shift it. Two fingers, or +, enlarge the board.`;
}
