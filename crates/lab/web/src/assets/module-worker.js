// @ts-check
// One instance of a module of WebAssembly, in its own worker, which knows nothing else: it is given
// the module, then the messages of the protocol, and says what the module answers. `docs/wasm.md`
// describes both interfaces. Time is bounded from outside: the caller ends the worker.

import { LENGTH, LINE, TIME } from "./module.js";
import { Ended, Wasi } from "./wasi.js";

/**
 * @typedef {{file: Uint8Array<ArrayBuffer>, inbox: SharedArrayBuffer | null}} Load
 * @typedef {{text: string, kind: "start" | "turn", ms: number}} Tell a message to a module that is called
 * @typedef {{line: Uint8Array, ms: number}} Line a line for a module that reads, where there is no inbox
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

/** A module that reads lines: it is started, and waits where it reads and there is nothing to read. The way is described below. */
class Lines {
  constructor() {
    this.wasi = new Wasi((most) => this.read(most));
    this.line = new Uint8Array();
    this.isAsked = false;
  }

  imports() {
    return this.wasi.imports();
  }

  /** Takes what is left of the line. @param {number} most */
  read(most) {
    const taken = this.line.subarray(0, most);
    this.line = this.line.subarray(taken.length);
    return taken;
  }

  /** Says what it has answered, as it waits for more. */
  rest() {
    if (this.isAsked) post({ said: this.wasi.takeOutput() });
    this.isAsked = true;
  }

  /** Takes a line. @param {Uint8Array<ArrayBuffer>} line @param {number} ms */
  take(line, ms) {
    this.line = line;
    this.wasi.deadline = performance.now() + ms;
    // The seed is in the message that tells of the match.
    if (this.wasi.seed === 0) this.wasi.seed = findSeed(new TextDecoder().decode(line));
  }

  /** @param {WebAssembly.Instance} instance */
  async run(instance) {
    post({ begin: "lines" });
    await this.start(call(instance, "_start"));
    throw new Ended("it ended by itself, with status 0");
  }

  /** @param {() => void} start */
  async start(start) {
    start();
  }
}

/** The worker itself waits, for shared memory to change. */
class BlockingLines extends Lines {
  /** @param {SharedArrayBuffer} inbox */
  constructor(inbox) {
    super();
    this.control = new Int32Array(inbox, 0, LINE / 4);
    this.bytes = new Uint8Array(inbox, LINE);
  }

  /** @param {number} most */
  read(most) {
    if (this.line.length === 0) {
      this.rest();
      Atomics.wait(this.control, LENGTH, 0);
      this.take(this.bytes.slice(0, Atomics.load(this.control, LENGTH)), Atomics.load(this.control, TIME));
      Atomics.store(this.control, LENGTH, 0);
    }
    return super.read(most);
  }
}

/** What newer browsers have to put a module's stack aside while it waits (JavaScript Promise Integration). */
const { Suspending, promising } = /** @type {any} */ (WebAssembly);

/** The module waits, for a message: where the page has no shared memory. */
class SuspendedLines extends Lines {
  constructor() {
    super();
    this.arrived = () => {};
  }

  imports() {
    const imports = super.imports();
    const { fd_read } = /** @type {any} */ (imports.wasi_snapshot_preview1);
    const read = async (/** @type {number[]} */ ...values) => {
      if (values[0] === 0 && this.line.length === 0) {
        const line = new Promise((resolve) => { this.arrived = () => resolve(null); });
        this.rest();
        await line;
      }
      return fd_read(...values);
    };
    return { ...imports, wasi_snapshot_preview1: { ...imports.wasi_snapshot_preview1, fd_read: new Suspending(read) } };
  }

  /** @param {() => void} start */
  start(start) {
    addEventListener("message", ({ data }) => {
      this.take(data.line, data.ms);
      this.arrived();
    });
    return promising(start)();
  }
}

/** Which way there is here; none where neither is. @param {SharedArrayBuffer | null} inbox */
function findLines(inbox) {
  if (inbox) return new BlockingLines(inbox);
  return Suspending ? new SuspendedLines() : null;
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
  const lines = findLines(inbox);
  const wasi = lines ? lines.wasi : new Wasi(() => new Uint8Array());
  try {
    const module = await WebAssembly.compile(file);
    const names = WebAssembly.Module.exports(module).map((one) => one.name);
    const isCalled = names.includes("decide");
    if (!isCalled && !names.includes("_start")) throw new Error("it exports neither `decide` nor `_start`");
    if (!isCalled && !lines) throw new Error("it reads lines, which works in this browser only on pages from localhost or over https; a module that exports `decide` works everywhere");
    const instance = await WebAssembly.instantiate(module, (isCalled ? null : lines)?.imports() ?? wasi.imports());
    const { memory } = instance.exports;
    wasi.memory = memory instanceof WebAssembly.Memory ? memory : null;
    if (!isCalled && lines) await lines.run(instance);
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
