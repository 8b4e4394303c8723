// Plays the beginning of a match, which example.jsonl holds, without quintain: node --test
// It also asks about the lessons in the folder `lessons`, which `quintain lesson` makes of lost matches.
const { existsSync, readFileSync, readdirSync, writeSync } = require("node:fs");
const test = require("node:test");
const { Worker, isMainThread, parentPort, workerData } = require("node:worker_threads");

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

/** Returns the turns among these messages, each with the action that answers it. */
async function play(lines) {
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
  const turns = [];
  for (const line of lines) {
    const message = JSON.parse(line);
    if (message.type === "start") init(...put(line));
    if (message.type !== "turn") continue;
    const place = BigInt.asUintN(64, decide(...put(line)));
    const [at, length] = [Number(place >> 32n), Number(place & 0xffffffffn)];
    const reply = Buffer.from(memory.buffer, at, length).toString();
    const action = reply.startsWith("{") ? JSON.parse(reply).action : reply;
    turns.push({ turn: message.turn, actions: message.actions, action });
  }
  return turns;
}

/** Plays in a thread of its own, because a player that loops has to be ended from outside. */
async function playApart(lines) {
  const worker = new Worker(__filename, { workerData: lines });
  const { turns, problem } = await new Promise((resolve) => {
    const late = setTimeout(() => resolve({ problem: `no end after ${LIMIT} seconds: does it loop?` }), 1000 * LIMIT);
    const tell = (result) => {
      clearTimeout(late);
      resolve(result);
    };
    worker.on("message", tell);
    worker.on("error", (error) => tell({ problem: String(error) }));
  });
  await worker.terminate();
  check(problem === undefined, problem);
  return turns;
}

/** Reports what is wrong, without a stack trace of this file. */
function check(good, problem) {
  if (good) return;
  const error = new Error(problem);
  error.stack = problem;
  throw error;
}

function readLesson(file) {
  let lesson;
  try {
    lesson = JSON.parse(readFileSync(file, "utf8"));
  } catch {}
  const good = Array.isArray(lesson?.mistakes) && Array.isArray(lesson.better);
  check(good, `${file.split("/").at(-1)}: not a lesson; make it again or delete it`);
  return lesson;
}

function testLesson(file) {
  test(`the mistake of ${file.split("/").at(-1)} is not made again`, async (context) => {
    const { messages = [], mistakes, better, sentence } = readLesson(file);
    if (messages.length === 0) return context.skip("it is too long for this file; `quintain bot check` runs it");
    const { action } = (await playApart(messages)).at(-1);
    check(!mistakes.includes(action), `${action} again; better: ${better.join(" or ")}\n${sentence}`);
  });
}

if (isMainThread) {
  test("every turn is answered by an action that it offers", async () => {
    const lines = readFileSync(`${__dirname}/example.jsonl`, "utf8").trim().split("\n");
    for (const { turn, actions, action } of await playApart(lines)) {
      // If your player builds its own actions, compare with something else.
      check(actions.includes(action), `turn ${turn}: ${action} is not among ${actions}`);
    }
  });
  const folder = `${__dirname}/lessons`;
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  names.filter((name) => name.endsWith(".json")).forEach((name) => testLesson(`${folder}/${name}`));
} else {
  const tell = (result) => parentPort.postMessage(result);
  play(workerData).then((turns) => tell({ turns }), (error) => tell({ problem: String(error) }));
}
