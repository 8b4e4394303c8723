// @ts-check
// What a module of WebAssembly may import in a page: WASI preview 1 with three streams and nothing
// else, and `quintain.fuel_left`, as the arena has them. There is no fuel here: what is left is time,
// at five units a nanosecond. Who waits for input, and how, is the worker's.

const SUCCESS = 0;
const BADF = 8;
const FAULT = 21;
const INVAL = 28;
const NOSYS = 52;
const SPIPE = 70;

/** Functions that have nothing to work on, and what they return. @type {Record<string, number>} */
const REFUSING = {
  args_get: SUCCESS, environ_get: SUCCESS, fd_fdstat_set_flags: SUCCESS, sched_yield: SUCCESS,
  fd_advise: BADF, fd_allocate: BADF, fd_datasync: BADF, fd_fdstat_set_rights: BADF,
  fd_filestat_get: BADF, fd_filestat_set_size: BADF, fd_filestat_set_times: BADF,
  fd_prestat_dir_name: BADF, fd_prestat_get: BADF, fd_readdir: BADF, fd_renumber: BADF, fd_sync: BADF,
  path_create_directory: BADF, path_filestat_get: BADF, path_filestat_set_times: BADF, path_link: BADF,
  path_open: BADF, path_readlink: BADF, path_remove_directory: BADF, path_rename: BADF,
  path_symlink: BADF, path_unlink_file: BADF,
  sock_accept: BADF, sock_recv: BADF, sock_send: BADF, sock_shutdown: BADF,
  fd_pread: SPIPE, fd_pwrite: SPIPE, fd_seek: SPIPE, fd_tell: SPIPE, proc_raise: NOSYS,
};

/** The time at which every match begins, in nanoseconds since 1970. */
const BEGINNING = 1_000_000_000_000_000_000n;
const FUEL_PER_NANOSECOND = 5n;
/** Bytes that wait to be read by the page, at most. */
const LONGEST_LINE = 1_000_000;
/** Letters of standard error that are kept. */
const KEPT = 2000;
const MAX_BUFFERS = 1024;
const CHARACTER_DEVICE = 2;
const MAY_READ = 1 << 1;
const MAY_WRITE = 1 << 6;

/** How a module stopped that was not stopped by the engine. */
export class Ended extends Error {}

/** The world of one instance. */
export class Wasi {
  /** @param {(most: number) => Uint8Array} read takes at most so many bytes of input, and waits for the first */
  constructor(read) {
    this.read = read;
    /** @type {WebAssembly.Memory | null} */
    this.memory = null;
    this.output = "";
    this.errors = "";
    this.seed = 0;
    /** When the time for this question ends, and what was slept. */
    this.deadline = 0;
    this.slept = 0n;
    this.begun = performance.now();
    this.decoders = [new TextDecoder(), new TextDecoder()];
  }

  /** What it has written to standard output. */
  takeOutput() {
    const { output } = this;
    this.output = "";
    return output;
  }

  /** Nanoseconds of this match. */
  now() {
    return BigInt(Math.round((performance.now() - this.begun) * 1e6)) + this.slept;
  }

  /** The functions, by module and name. @returns {WebAssembly.Imports} */
  imports() {
    const functions = this.own();
    for (const [name, answer] of Object.entries(REFUSING)) functions[name] = () => answer;
    for (const name of ["args_sizes_get", "environ_sizes_get"]) {
      functions[name] = (count, size) => this.write((view) => { view.setUint32(at(count), 0, true); view.setUint32(at(size), 0, true); });
    }
    const fuel_left = () => BigInt(Math.max(0, Math.round((this.deadline - performance.now()) * 1e6))) * FUEL_PER_NANOSECOND;
    return { wasi_snapshot_preview1: functions, quintain: { fuel_left } };
  }

  /** Those that do something. @returns {Record<string, (...values: number[]) => number>} */
  own() {
    return {
      clock_res_get: (_, place) => this.write((view) => view.setBigUint64(at(place), 1n, true)),
      clock_time_get: (clock, _, place) => this.write((view) => view.setBigUint64(at(place), (clock === 0 ? BEGINNING : 0n) + this.now(), true)),
      fd_close: (file) => (isStream(file) ? SUCCESS : BADF),
      fd_fdstat_get: (file, place) => this.describe(file, at(place)),
      fd_read: (file, buffers, count, read) => (file === 0 ? this.fill(at(buffers), at(count), at(read)) : BADF),
      fd_write: (file, buffers, count, written) => (file === 1 || file === 2 ? this.take(file, at(buffers), at(count), at(written)) : BADF),
      poll_oneoff: (asked, events, count, happened) => this.sleep(at(asked), at(events), at(count), at(happened)),
      proc_exit: (status) => { throw new Ended(`it ended by itself, with status ${status}`); },
      random_get: (place, length) => this.write((view) => { for (let n = 0; n < at(length); n++) view.setUint8(at(place) + n, this.random()); }),
    };
  }

  /** Works on the module's memory; a place outside is the caller's error. @param {(view: DataView) => void} work */
  write(work) {
    if (!this.memory) return FAULT;
    try {
      work(new DataView(this.memory.buffer));
      return SUCCESS;
    } catch (error) {
      if (error instanceof RangeError) return FAULT;
      throw error;
    }
  }

  /** A byte of the seat's seed (splitmix32). */
  random() {
    this.seed = (this.seed + 0x9e3779b9) | 0;
    let mixed = Math.imul(this.seed ^ (this.seed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) & 255;
  }

  /** A terminal, so that libraries write out every line. @param {number} file @param {number} place */
  describe(file, place) {
    if (!isStream(file)) return BADF;
    return this.write((view) => {
      for (let n = 0; n < 24; n++) view.setUint8(place + n, 0);
      view.setUint8(place, CHARACTER_DEVICE);
      view.setUint8(place + 8, file === 0 ? MAY_READ : MAY_WRITE);
    });
  }

  /**
   * The buffers of a call; a place outside of the memory throws.
   * @param {DataView} view @param {number} list @param {number} count
   */
  static buffers(view, list, count) {
    if (count > MAX_BUFFERS) throw new RangeError("too many buffers");
    return Array.from({ length: count }, (_, n) => new Uint8Array(view.buffer, view.getUint32(list + 8 * n, true), view.getUint32(list + 8 * n + 4, true)));
  }

  /** @param {number} list @param {number} count @param {number} read */
  fill(list, count, read) {
    return this.write((view) => {
      let length = 0;
      for (const buffer of Wasi.buffers(view, list, count)) {
        if (buffer.length === 0 || length > 0) continue;
        const bytes = this.read(buffer.length);
        buffer.set(bytes);
        length = bytes.length;
      }
      view.setUint32(read, length, true);
    });
  }

  /** @param {number} file @param {number} list @param {number} count @param {number} written */
  take(file, list, count, written) {
    return this.write((view) => {
      let length = 0;
      for (const buffer of Wasi.buffers(view, list, count)) {
        length += buffer.length;
        if (length > LONGEST_LINE) throw new Ended("it writes too much");
        const text = this.decoders[file - 1].decode(buffer, { stream: true });
        if (file === 1) this.output += text;
        else this.errors = (this.errors + text).slice(-KEPT);
      }
      if (this.output.length > LONGEST_LINE) throw new Ended("it writes too much");
      view.setUint32(written, length, true);
    });
  }

  /**
   * Waits for nothing: input is read by waiting, and where only time is waited for, the clock goes on.
   * @param {number} asked @param {number} events @param {number} count @param {number} happened
   */
  sleep(asked, events, count, happened) {
    if (count === 0 || count > MAX_BUFFERS) return INVAL;
    return this.write((view) => {
      const all = Array.from({ length: count }, (_, n) => asked + 48 * n);
      const isClock = (/** @type {number} */ place) => view.getUint8(place + 8) === 0;
      const onlyClocks = all.every(isClock);
      if (onlyClocks) {
        const pauses = all.map((place) => {
          const time = view.getBigUint64(place + 24, true);
          const isAbsolute = (view.getUint16(place + 40, true) & 1) === 1;
          return isAbsolute ? time - this.now() - (view.getUint32(place + 16, true) === 0 ? BEGINNING : 0n) : time;
        });
        const shortest = pauses.reduce((a, b) => (a < b ? a : b));
        this.slept += shortest > 0n ? shortest : 0n;
      }
      const done = all.filter((place) => onlyClocks || !isClock(place)).map((place) => [view.getBigUint64(place, true), view.getUint8(place + 8)]);
      done.forEach(([name, kind], n) => {
        for (let byte = 0; byte < 32; byte++) view.setUint8(events + 32 * n + byte, 0);
        view.setBigUint64(events + 32 * n, BigInt(name), true);
        view.setUint8(events + 32 * n + 10, Number(kind));
      });
      view.setUint32(happened, done.length, true);
    });
  }
}

/** A place or length as it is meant: numbers of modules come with a sign. @param {number} number */
function at(number) {
  return number >>> 0;
}

/** @param {number} file */
function isStream(file) {
  return file >= 0 && file <= 2;
}
