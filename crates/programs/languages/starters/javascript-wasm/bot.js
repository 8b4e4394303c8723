// @ts-check
// NAME, a player for quintain. `choose` is yours to change; build.js puts it into bot.wasm, together
// with QuickJS, which runs it. You have JavaScript (ES2023) and `console`, but nothing of a browser or
// of Node.js, and neither `import` nor `require`.

/**
 * @typedef {{ seat: number, seats: number, scenario: string, seed: number,
 *   setting: import("./observation").Setting, [more: string]: unknown }} Start
 */

/**
 * Returns one of `actions`, or another action of the game.
 * @param {import("./observation").Observation} observation what this seat sees
 * @param {string[]} actions the actions that the game offers
 * @param {Start} match the message that began the match
 * @param {() => number} random returns numbers from 0 up to 1, the same ones for the same match
 * @returns {import("./observation").Action | string}
 */
function choose(observation, actions, match, random) {
  return actions[Math.floor(random() * actions.length)];
}
