// Plays the beginning of a match, which example.jsonl holds, without quintain: node --test
const { readFileSync, writeSync } = require("node:fs");
const test = require("node:test");
const { Worker, isMainThread, parentPort } = require("node:worker_threads");

/** The time limit in seconds, for all turns together. */
const LIMIT = 60;

let memory;

/** Shows on standard error what a module writes. */
function fd_write(_file, buffers, count, written) {
  const view = new DataView(memory.buffer);
  let all = 0;
  for (let at = buffers; at < buffers + 8 * count; at += 8) {
    const [place, length] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    writeSync(2, new Uint8Array(memory.buffer, place, length));
    all += length;
  }
  view.setUint32(written, all, true);
  return 0;
}

/** All other functions that a module may import from WASI do nothing here. */
const wasi = new Proxy({ fd_write }, { get: (own, name) => own[name] ?? (() => 0) });

/** Plays the example; returns what is wrong, or an empty text. */
async function play() {
  const imports = { wasi_snapshot_preview1: wasi };
  const { instance } = await WebAssembly.instantiate(readFileSync(`${__dirname}/bot.wasm`), imports);
  const { alloc, init, decide, _initialize } = instance.exports;
  memory = instance.exports.memory;
  _initialize?.();
  const put = (line) => {
    const bytes = Buffer.from(line);
    const at = alloc(bytes.length) >>> 0;
    Buffer.from(memory.buffer).set(bytes, at);
    return [at, bytes.length];
  };
  const lines = readFileSync(`${__dirname}/example.jsonl`, "utf8").trim().split("\n");
  for (const line of lines) {
    const message = JSON.parse(line);
    if (message.type === "start") init(...put(line));
    if (message.type !== "turn") continue;
    const place = BigInt.asUintN(64, decide(...put(line)));
    const [at, length] = [Number(place >> 32n), Number(place & 0xffffffffn)];
    const reply = Buffer.from(memory.buffer, at, length).toString();
    const action = reply.startsWith("{") ? JSON.parse(reply).action : reply;
    // If your player builds its own actions, compare with something else.
    if (!message.actions.includes(action)) return `turn ${message.turn}: ${action} is not among ${message.actions}`;
  }
  return "";
}

if (isMainThread) {
  test("every turn is answered by an action that it offers", async () => {
    // It runs in its own thread, because a player that loops has to be ended from outside.
    const worker = new Worker(__filename);
    const problem = await new Promise((resolve) => {
      const late = setTimeout(() => resolve(`no end after ${LIMIT} seconds: does it loop?`), 1000 * LIMIT);
      const tell = (text) => {
        clearTimeout(late);
        resolve(text);
      };
      worker.on("message", tell);
      worker.on("error", (error) => tell(String(error)));
    });
    await worker.terminate();
    if (problem === "") return;
    const error = new Error(problem);
    error.stack = problem;
    throw error;
  });
} else {
  play().then((problem) => parentPort.postMessage(problem), (error) => parentPort.postMessage(String(error)));
}
