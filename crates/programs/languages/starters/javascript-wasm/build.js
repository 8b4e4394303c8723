// Builds bot.wasm: bot.js, with engine.js and engine.wat between it and the module's exports, and QuickJS
// (package quickjs-wasi), joined by Binaryen (package binaryen). Run it with
//   BUILD
const { execFileSync } = require("node:child_process");
const { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { delimiter, dirname, join } = require("node:path");
const { Script } = require("node:vm");

/** The exports that the finished module keeps. */
const KEPT = ["memory", "_initialize", "alloc", "init", "decide"];

/** Finds a file of a package that npx, or npm in this folder, has installed. */
function find(file) {
  const folders = process.env.PATH.split(delimiter).filter((folder) => folder.endsWith(".bin")).map(dirname);
  const places = [join(__dirname, "node_modules"), ...folders].map((folder) => join(folder, file));
  const found = places.find((place) => existsSync(place));
  if (!found) throw new Error(`there is no ${file}; the build command is at the top of build.js`);
  return found;
}

const read = (name) => readFileSync(join(__dirname, name), "utf8");
const bot = read("bot.js");
// This reports syntax errors, with their place.
new Script(bot, { filename: "bot.js" });
const isCode = (line) => line !== "" && !/^(\/\/|\/\*\*)/.test(line);
// The engine goes on the first line, so that error messages name the lines of bot.js.
const engine = read("engine.js").split("\n").map((line) => line.trim()).filter(isCode).join(" ");
const script = Buffer.from(`{ ${engine} } ${bot}\0`);
const quoted = [...script].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
const place = mkdtempSync(join(__dirname, ".build-"));
try {
  const run = (tool, ...words) =>
    execFileSync(process.execPath, [find(`binaryen/bin/${tool}`), ...words, "--all-features"], { cwd: place, stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(join(place, "engine.wat"), read("engine.wat").replace("SCRIPT", quoted).replaceAll("LENGTH", String(script.length)));
  writeFileSync(join(place, "kept.json"), JSON.stringify(KEPT.map((name) => ({ name, export: name, root: true }))));
  run("wasm-as", "engine.wat", "-o", "engine.wasm");
  run("wasm-merge", "engine.wasm", "env", find("quickjs-wasi/quickjs.wasm"), "quickjs", "-o", "joined.wasm");
  run("wasm-metadce", "joined.wasm", "--graph-file", "kept.json", "-o", join(__dirname, "bot.wasm"));
  console.log("bot.wasm is built");
} finally {
  rmSync(place, { recursive: true });
}
