// @ts-check
// A module's file, with a bound on its memory: nothing else in a browser bounds what a module takes.

/** Bytes of a file, and of linear memory, at most. */
export const LARGEST_FILE = 16 << 20;
const MEMORY = 256 << 20;
const PAGE = 1 << 16;
const MEMORY_SECTION = 5;

/**
 * The same module, whose memory grows no larger than it may.
 * @param {Uint8Array<ArrayBuffer>} file @returns {Uint8Array<ArrayBuffer>}
 */
export function withLimits(file) {
  if (file.length > LARGEST_FILE) throw new Error(`its file is larger than ${LARGEST_FILE >> 20} MB`);
  if (file.length < 8 || [0, 97, 115, 109].some((byte, at) => file[at] !== byte)) throw new Error("it is not a WebAssembly module");
  if (file[4] !== 1 || file[6] !== 0) throw new Error("it is a WebAssembly component; only modules can play here (WASI preview 1)");
  let at = 8;
  while (at < file.length) {
    const start = at;
    const [length, content] = readNumber(file, at + 1);
    const end = content + length;
    if (file[start] === MEMORY_SECTION) {
      const section = limit(file.subarray(content, end));
      const head = [MEMORY_SECTION, ...writeNumber(section.length)];
      return join(file.subarray(0, start), head, section, file.subarray(end));
    }
    at = end;
  }
  return file;
}

/** The section of memories, with a bound. @param {Uint8Array} section */
function limit(section) {
  const most = MEMORY / PAGE;
  const [count, kind] = readNumber(section, 0);
  if (count === 0) return [0];
  if (count > 1 || section[kind] > 1) throw new Error("its memory is of a kind that cannot be used here: it must be a single 32-bit memory that is not shared");
  const [least, next] = readNumber(section, kind + 1);
  const own = section[kind] === 1 ? readNumber(section, next)[0] : most;
  if (least > most) throw new Error(`it needs ${(least * PAGE) >> 20} MB of memory to start; the limit is ${MEMORY >> 20} MB`);
  return [1, 1, ...writeNumber(least), ...writeNumber(Math.min(own, most))];
}

/** @param {...(Uint8Array | number[])} parts */
function join(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A number (LEB128) and the place after it. @param {Uint8Array} bytes @param {number} at @returns {[number, number]} */
function readNumber(bytes, at) {
  let number = 0;
  for (let place = 0; place < 5; place++) {
    const byte = bytes[at + place];
    if (byte === undefined) break;
    number += (byte & 127) * 2 ** (7 * place);
    if (byte < 128) return [number, at + place + 1];
  }
  throw new Error("its file is damaged");
}

/** @param {number} number */
function writeNumber(number) {
  const bytes = [];
  for (let rest = number; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest >= 128 ? (rest % 128) | 128 : rest);
    if (rest < 128) return bytes;
  }
}
