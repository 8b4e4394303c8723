// The code between the module's exports and `choose`; QuickJS evaluates it before bot.js.

/** A generator that can be seeded, which Math.random cannot (mulberry32). */
const generator = (seed) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
};

const show = (what) => (typeof what === "string" ? what : (JSON.stringify(what) ?? String(what)));
const print = (...all) => writeError(all.map(show).join(" ") + "\n");
globalThis.console = { log: print, info: print, warn: print, error: print, debug: print };

let match, random;
globalThis.onStart = (text) => {
  match = JSON.parse(text);
  random = generator(match.seed);
};
globalThis.onTurn = (text) => {
  const { observation, actions } = JSON.parse(text);
  return JSON.stringify({ type: "action", action: choose(observation, actions, match, random) });
};
