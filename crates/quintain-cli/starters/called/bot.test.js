// Plays the beginning of a match that example.jsonl holds, without quintain: node --test
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const test = require("node:test");

test("every turn is answered by an action that it offers", async () => {
  const { instance } = await WebAssembly.instantiate(readFileSync(`${__dirname}/bot.wasm`), {});
  const { memory, alloc, init, decide } = instance.exports;
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
    const reply = BigInt.asUintN(64, decide(...put(line)));
    const [at, length] = [Number(reply >> 32n), Number(reply & 0xffffffffn)];
    const action = Buffer.from(memory.buffer, at, length).toString();
    // If your player makes actions of its own, compare with something else.
    assert.ok(message.actions.includes(action), `turn ${message.turn}: ${action} is not offered`);
  }
});
