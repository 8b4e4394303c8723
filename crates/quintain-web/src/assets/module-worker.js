// @ts-check
// One instance of a module of WebAssembly, in a worker of its own that knows nothing else: it is given
// the module, then the messages of the protocol, and says what the module answers. `docs/wasm.md`
// describes both interfaces. Time is bounded from outside: whoever asks ends the worker.

import { LENGTH, LINE, TIME } from "./module.js";
import { Ended, Wasi } from "./wasi.js";

/**
 * @typedef {{file: Uint8Array<ArrayBuffer>, inbox: SharedArrayBuffer | null}} Load
 * @typedef {{text: string, kind: "start" | "turn", ms: number}} Tell a message to a module that is called
 * @typedef {{begin: "calls" | "lines"}} Loaded
 * @typedef {{said: string}} Said
 * @typedef {{problem: string, errors: string}} Failed
 */

/** @param {Loaded | Said | Failed} message */
function post(message) {
  postMessage(message);
}

/** What a module failed of, in words. @param {unknown} error @returns {string} */
function explain(error) {
  if (error instanceof RangeError) return "its calls were too deep: no stack was left";
  return error instanceof Error ? error.message : String(error);
}

/** @param {Wasi} wasi @param {unknown} error */
function fail(wasi, error) {
  post({ problem: explain(error), errors: wasi.errors });
}

/** A module that reads lines: it is started, and waits where it reads and there is nothing to read. */
class Lines {
  /** @param {SharedArrayBuffer} inbox */
  constructor(inbox) {
    this.control = new Int32Array(inbox, 0, LINE / 4);
    this.bytes = new Uint8Array(inbox, LINE);
    this.wasi = new Wasi((most) => this.read(most));
    this.line = new Uint8Array();
    this.isAsked = false;
  }

  /** @param {number} most */
  read(most) {
    if (this.line.length === 0) {
      if (this.isAsked) post({ said: this.wasi.takeOutput() });
      Atomics.wait(this.control, LENGTH, 0);
      this.isAsked = true;
      this.line = this.bytes.slice(0, Atomics.load(this.control, LENGTH));
      this.wasi.deadline = performance.now() + Atomics.load(this.control, TIME);
      Atomics.store(this.control, LENGTH, 0);
      // The seed is in the message that tells of the match.
      if (this.wasi.seed === 0) this.wasi.seed = findSeed(new TextDecoder().decode(this.line));
    }
    const taken = this.line.subarray(0, most);
    this.line = this.line.subarray(taken.length);
    return taken;
  }

  /** @param {WebAssembly.Instance} instance */
  run(instance) {
    post({ begin: "lines" });
    call(instance, "_start")();
    throw new Ended("it ended by itself, with status 0");
  }
}

/** A module that is called. */
class Calls {
  /** @param {WebAssembly.Instance} instance @param {Wasi} wasi */
  constructor(instance, wasi) {
    this.instance = instance;
    this.wasi = wasi;
    if (!wasi.memory) throw new Error("it exports no memory");
    if (instance.exports._initialize) call(instance, "_initialize")();
  }

  /** @param {Tell} message */
  tell({ text, kind, ms }) {
    this.wasi.deadline = performance.now() + ms;
    if (kind === "start") {
      this.wasi.seed = findSeed(text);
      if (this.instance.exports.init) call(this.instance, "init")(...this.put(text));
      return "";
    }
    const reply = BigInt.asUintN(64, BigInt(call(this.instance, "decide")(...this.put(text))));
    const [place, length] = [Number(reply >> 32n), Number(reply & 0xffff_ffffn)];
    const { buffer } = /** @type {WebAssembly.Memory} */ (this.wasi.memory);
    if (place + length > buffer.byteLength) throw new Error(`decide returned ${length} bytes at ${place}, outside its memory`);
    return new TextDecoder().decode(new Uint8Array(buffer, place, length));
  }

  /** Puts a message where `alloc` says. @param {string} text @returns {[number, number]} */
  put(text) {
    const bytes = new TextEncoder().encode(text);
    const place = call(this.instance, "alloc")(bytes.length) >>> 0;
    const { buffer } = /** @type {WebAssembly.Memory} */ (this.wasi.memory);
    if (place + bytes.length > buffer.byteLength) throw new Error(`alloc returned ${place} for ${bytes.length} bytes, outside its memory`);
    new Uint8Array(buffer).set(bytes, place);
    return [place, bytes.length];
  }
}

/** An exported function. @param {WebAssembly.Instance} instance @param {string} name @returns {(...values: number[]) => any} */
function call(instance, name) {
  const found = instance.exports[name];
  if (typeof found !== "function") throw new Error(`it exports no function ${name}`);
  return /** @type {any} */ (found);
}

/** The seed of a message that tells of a match; 0 for others. @param {string} message */
function findSeed(message) {
  const { seed = 0 } = JSON.parse(message);
  return Number(seed) | 0;
}

/** @param {Load} load */
async function begin({ file, inbox }) {
  const lines = inbox && new Lines(inbox);
  const wasi = lines ? lines.wasi : new Wasi(() => new Uint8Array());
  try {
    const module = await WebAssembly.compile(file);
    const names = WebAssembly.Module.exports(module).map((one) => one.name);
    const isCalled = names.includes("decide");
    if (!isCalled && !names.includes("_start")) throw new Error("it exports neither `decide` nor `_start`");
    if (!isCalled && !lines) throw new Error("it reads lines, which pages can play only at localhost or over https; one that exports `decide` is played everywhere");
    const instance = await WebAssembly.instantiate(module, wasi.imports());
    const { memory } = instance.exports;
    wasi.memory = memory instanceof WebAssembly.Memory ? memory : null;
    if (!isCalled && lines) lines.run(instance);
    const calls = new Calls(instance, wasi);
    addEventListener("message", ({ data }) => {
      try {
        post({ said: calls.tell(data) });
      } catch (error) {
        fail(wasi, error);
      }
    });
    post({ begin: "calls" });
  } catch (error) {
    fail(wasi, error);
  }
}

addEventListener("message", ({ data }) => begin(data), { once: true });
