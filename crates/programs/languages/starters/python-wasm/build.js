// Builds bot.wasm: bot.py, with engine.py and engine.wat between it and the module's exports, and
// MicroPython (package @micropython/micropython-webassembly-pyscript), joined by Binaryen (package
// binaryen). Run it with
//   BUILD
const { execFileSync } = require("node:child_process");
const { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { delimiter, dirname, join } = require("node:path");
const { pathToFileURL } = require("node:url");

/** The exports that the finished module keeps. */
const KEPT = ["memory", "_initialize", "alloc", "init", "decide"];
/** MicroPython whose functions can be unwound: it takes the longest to make, and is made once. */
const PREPARED = join(__dirname, "micropython.wasm");

/** Finds a file of a package that npx, or npm in this folder, has installed. */
function find(file) {
  const folders = process.env.PATH.split(delimiter).filter((folder) => folder.endsWith(".bin")).map(dirname);
  const places = [join(__dirname, "node_modules"), ...folders].map((folder) => join(folder, file));
  const found = places.find((place) => existsSync(place));
  if (!found) throw new Error(`there is no ${file}; the build command is at the top of build.js`);
  return found;
}

const micropython = (file) => find(`@micropython/micropython-webassembly-pyscript/micropython.${file}`);
const read = (name) => readFileSync(join(__dirname, name), "utf8");

/** A text as a Python literal. */
const quoted = JSON.stringify;
/** Bytes as a string in the text form of a module. */
const escaped = (bytes) => [...bytes].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");

/** The functions through which MicroPython calls those that may raise: invoke_vii calls one with two numbers. */
function invokes() {
  const imports = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(micropython("wasm"))));
  return imports.filter(({ name }) => name.startsWith("invoke_")).map(({ name }) => {
    const [back, ...given] = name.slice("invoke_".length);
    const result = back === "v" ? "" : "(result i32)";
    const params = `(param ${given.map(() => "i32").join(" ")})`;
    const values = given.map((_, index) => `(local.get ${index + 1})`).join(" ");
    return `(func (export "${name}") (param i32) ${params} ${result} (local $stack i32)
      (local.set $stack (call $get_stack))
      (call_indirect $functions ${params} ${result} ${values} (local.get 0))
      (if (call $is_unwinding) (then (call $land (local.get $stack)))))`;
  }).join("\n");
}

async function build() {
  const bot = read("bot.py");
  // This reports syntax errors, with their place.
  const { loadMicroPython } = await import(pathToFileURL(micropython("mjs")).href);
  (await loadMicroPython()).runPython(`compile(${quoted(bot)}, "bot.py", "exec")`);
  const script = Buffer.from(`${read("engine.py")}\nexec(compile(${quoted(bot)}, "bot.py", "exec"))\n`);
  const place = mkdtempSync(join(__dirname, ".build-"));
  const run = (tool, ...words) =>
    execFileSync(process.execPath, [find(`binaryen/bin/${tool}`), ...words, "--all-features"], { cwd: place, stdio: ["ignore", "ignore", "inherit"] });
  try {
    if (!existsSync(PREPARED)) {
      const left = "--pass-arg=asyncify-imports@env._emscripten_throw_longjmp";
      run("wasm-opt", micropython("wasm"), "--asyncify", left, "-O1", "-o", PREPARED);
    }
    const engine = read("engine.wat").replace("SCRIPT", escaped(script)).replace("  INVOKES\n", invokes);
    writeFileSync(join(place, "engine.wat"), engine.replaceAll("LENGTH", String(script.length)));
    writeFileSync(join(place, "kept.json"), JSON.stringify(KEPT.map((name) => ({ name, export: name, root: true }))));
    run("wasm-as", "engine.wat", "-o", "engine.wasm");
    run("wasm-merge", "engine.wasm", "env", PREPARED, "micropython", "-o", "joined.wasm");
    run("wasm-metadce", "joined.wasm", "--graph-file", "kept.json", "-o", join(__dirname, "bot.wasm"));
    console.log("bot.wasm is built");
  } finally {
    rmSync(place, { recursive: true });
  }
}

build().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
