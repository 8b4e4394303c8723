// @ts-check
// The rules of games, compiled to WebAssembly, in their own worker: so players may think without the
// page standing still. A question is written where `alloc` says; `ask` returns where the answer is.

/**
 * @typedef {{memory: WebAssembly.Memory, alloc: (length: number) => number, ask: (length: number) => bigint}} Exports
 */

/** @type {WebAssembly.Module | null} */
let compiled = null;
/** @type {Exports | null} */
let exports = null;

/** @param {string} question @returns {string} */
function answer(question) {
  if (!compiled) throw new Error("the rules have not been loaded yet");
  exports ??= /** @type {Exports} */ (/** @type {unknown} */ (new WebAssembly.Instance(compiled).exports));
  const bytes = new TextEncoder().encode(question);
  const place = exports.alloc(bytes.length) >>> 0;
  new Uint8Array(exports.memory.buffer).set(bytes, place);
  const packed = BigInt.asUintN(64, exports.ask(bytes.length));
  const [at, length] = [Number(packed >> 32n), Number(packed & 0xffff_ffffn)];
  return new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at, length));
}

addEventListener("message", ({ data }) => {
  if (data.file) {
    compiled = new WebAssembly.Module(data.file);
    return;
  }
  try {
    postMessage(answer(data.question));
  } catch (error) {
    // What failed in the middle of its work is not asked again: the next question starts again.
    exports = null;
    const said = { error: `this is a bug in quintain, please report it: ${error}` };
    postMessage(JSON.stringify({ status: 500, said }));
  }
});
