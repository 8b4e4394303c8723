// @ts-check
// NAME, a player for quintain. `choose` is yours to change; the rest speaks the protocol.

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

/**
 * A generator that can be seeded, which Math.random cannot (mulberry32).
 * @param {number} seed
 */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @param {object} message */
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

/** @type {Start} */
let match;
let random = generator(0);
require("readline").createInterface({ input: process.stdin }).on("line", (/** @type {string} */ line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    say({ type: "ready", name: "NAME", games: ["GAME"], protocol: 2 });
  } else if (message.type === "start") {
    match = message;
    random = generator(match.seed);
  } else if (message.type === "turn") {
    const action = choose(message.observation, message.actions, match, random);
    say({ type: "action", action });
    // Standard output belongs to the protocol; for debugging, print to standard error:
    // console.error(action);
  } else if (message.type === "bye") {
    process.exit(0);
  }
});
