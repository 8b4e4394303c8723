// @ts-check
// Plays the beginning of a match, which example.jsonl holds, without quintain: node --test
// It also asks about the lessons in the folder `lessons`, which `quintain lesson` makes of lost matches.
const { spawnSync } = require("node:child_process");
const { existsSync, readFileSync, readdirSync } = require("node:fs");
const test = require("node:test");

/** The time limit in seconds, for all turns together. */
const LIMIT = 60;

/**
 * Reports what is wrong, without a stack trace of this file.
 * @param {boolean} good
 * @param {string} problem
 */
function check(good, problem) {
  if (good) return;
  const error = new Error(problem);
  error.stack = problem;
  throw error;
}

/**
 * @param {string} line
 * @returns {any}
 */
function read(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {}
  if (typeof message === "object" && message) check(typeof message.type === "string", `a message needs a "type", such as "action": ${line}`);
  check(!/\}\s*\{"/.test(line), `more than one message in a line; end each with a newline: ${line}`);
  check(!/^\{\s*['\w]/.test(line), `JSON needs double quotes; use console.log(JSON.stringify(…)): ${line}`);
  const rule = "standard output belongs to the protocol, and this is not a message; print it with console.error";
  check(typeof message?.type === "string", `${rule}: ${line}`);
  return message;
}

/** @param {string} text */
const lines = (text) => text.split("\n").filter((line) => line !== "");

/**
 * Returns the turns among these messages, and the answers to them.
 * @param {string} messages
 */
function play(messages) {
  const run = spawnSync(process.execPath, ["bot.js"], {
    cwd: __dirname,
    input: messages,
    encoding: "utf8",
    timeout: 1000 * LIMIT,
  });
  check(run.signal === null, `no end after ${LIMIT} seconds: does it loop?`);
  check(run.status === 0, `it ended with exit code ${run.status}: ${run.stderr}`);
  const turns = lines(messages).map(read).filter((message) => message.type === "turn");
  const [ready, ...answers] = lines(run.stdout).map(read);
  check(ready?.type === "ready", "expected ready first");
  check(answers.length === turns.length, `${answers.length} answers to ${turns.length} turns`);
  return { turns, answers };
}

const LESSONS = `${__dirname}/lessons`;

/** @param {string} name */
function readLesson(name) {
  let lesson;
  try {
    lesson = JSON.parse(readFileSync(`${LESSONS}/${name}`, "utf8"));
  } catch {}
  const good = Array.isArray(lesson?.mistakes) && Array.isArray(lesson.better);
  check(good, `${name}: not a lesson; make it again or delete it`);
  return lesson;
}

for (const name of existsSync(LESSONS) ? readdirSync(LESSONS).sort() : []) {
  if (!name.endsWith(".json")) continue;
  test(`the mistake of ${name} is not made again`, (context) => {
    const { messages = [], mistakes, better, sentence } = readLesson(name);
    if (messages.length === 0) return context.skip("it is too long for this file; `quintain bot check` runs it");
    const { action } = play(messages.join("\n") + "\n").answers.at(-1) ?? {};
    check(action !== undefined, "it answers no turn with an action");
    check(!mistakes.includes(action), `${action} again; better: ${better.join(" or ")}\n${sentence}`);
  });
}

test("every turn is answered by an action that it offers", () => {
  const { turns, answers } = play(readFileSync(`${__dirname}/example.jsonl`, "utf8"));
  turns.forEach((turn, at) => {
    const { action, notes = {} } = answers[at];
    check(action !== undefined, `turn ${turn.turn}: it has no "action": ${JSON.stringify(answers[at])}`);
    // If your player builds its own actions, compare with something else. Actions in JSON form are not
    // compared here: `quintain bot check` plays them.
    const good = typeof action === "object" || turn.actions.includes(action);
    check(good, `turn ${turn.turn}: ${action} is not among ${turn.actions.join(", ")}`);
    const noted = JSON.stringify(notes);
    check(noted.startsWith("{"), `turn ${turn.turn}: "notes" must be an object whose values are numbers or strings: ${noted}`);
    for (const [name, note] of Object.entries(notes)) {
      const kind = ["number", "string"].includes(typeof note);
      check(kind, `turn ${turn.turn}: the note "${name}" is neither a number nor a string: ${JSON.stringify(note)}`);
    }
  });
});
