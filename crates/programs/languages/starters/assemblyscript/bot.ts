// NAME, a player for quintain. `choose` is yours to change; the rest speaks the protocol of modules
// that are called. Build it with `BUILD`.

/** Returns one of `actions`. `message` is JSON, with what this seat sees under "observation". */
function choose(message: string, actions: string[]): string {
  return actions[random(actions.length)];
}

let state: u64 = 1;

/** Returns a random number below `bound`; the seed of the match decides which (SplitMix64). */
function random(bound: i32): i32 {
  state += 0x9e3779b97f4a7c15;
  let mixed = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return i32((mixed ^ (mixed >> 31)) % u64(bound));
}

// The message and the reply are kept here, so that they are not freed while they are read.
let message = new ArrayBuffer(0);
let reply = new ArrayBuffer(0);

/** Returns where the next message, of `length` bytes, may be written. */
export function alloc(length: i32): usize {
  message = new ArrayBuffer(length);
  return changetype<usize>(message);
}

/** Begins the match. */
export function init(at: usize, length: i32): void {
  const start = String.UTF8.decodeUnsafe(at, length);
  state = U64.parseInt(after(start, '"seed":'));
}

/** Answers a turn; returns the address of the reply and its length, in one number. */
export function decide(at: usize, length: i32): u64 {
  const turn = String.UTF8.decodeUnsafe(at, length);
  // This reads enough of JSON for actions without quotes in them.
  const list = after(turn, '"actions":["');
  reply = String.UTF8.encode(choose(turn, list.substring(0, list.indexOf('"]')).split('","')));
  return (u64(changetype<usize>(reply)) << 32) | u64(reply.byteLength);
}

/** Returns the text after a name. */
function after(text: string, name: string): string {
  return text.substring(text.indexOf(name) + name.length);
}
