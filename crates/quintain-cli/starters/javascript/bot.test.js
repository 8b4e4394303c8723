// @ts-check
// Plays the beginning of a match that example.jsonl holds, without quintain: node --test
const assert = require("node:assert");
const { spawnSync } = require("node:child_process");
const { readFileSync } = require("node:fs");
const test = require("node:test");

/** @param {string} text */
const messages = (text) => text.trim().split("\n").map((line) => JSON.parse(line));

test("every turn is answered by an action that it offers", () => {
  const example = readFileSync(`${__dirname}/example.jsonl`, "utf8");
  const run = spawnSync(process.execPath, ["bot.js"], { cwd: __dirname, input: example, encoding: "utf8" });
  assert.strictEqual(run.status, 0, run.stderr);
  const turns = messages(example).filter((message) => message.type === "turn");
  const [ready, ...answers] = messages(run.stdout);
  assert.strictEqual(ready.type, "ready");
  assert.strictEqual(answers.length, turns.length);
  turns.forEach((turn, at) => {
    // If your player makes actions of its own, compare with something else.
    const { action } = answers[at];
    assert.ok(turn.actions.includes(action), `turn ${turn.turn}: ${action} is not offered`);
  });
});
