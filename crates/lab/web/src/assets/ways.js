// @ts-check
// Where players came from: their ways with arrows, and how far from its cell one is that is being
// shown on its way.

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./replay.js").Replay} Replay */
/** @typedef {import("./replay.js").Style} Style */

/** Turns of a player's way that are shown where it leaves no trail. */
const RECENT = 12;

/** How far from its cell a player is that is on its way. @param {Board} board @param {Style} style @returns {[number, number]} */
export function offsetOf(board, style) {
  const { paths, turn } = /** @type {Replay} */ (board.replay);
  const way = style.kind === "head" && board.progress < 1 ? paths[style.number] : undefined;
  if (!way || turn === 0 || way[turn] < 0 || way[turn - 1] < 0) return [0, 0];
  const [[x0, y0], [x1, y1]] = [board.centre(way[turn - 1]), board.centre(way[turn])];
  if (Math.abs(x1 - x0) > 25 || Math.abs(y1 - y0) > 25) return [0, 0];
  const left = 1 - board.progress;
  return [(x0 - x1) * left, (y0 - y1) * left];
}

/**
 * The way each player came, with arrows: along its trail, or where there is none the last
 * turns of it.
 * @param {Board} board @param {Replay} replay @param {Uint16Array} paints
 */
export function drawWays(board, replay, paints) {
  const { data, turn } = replay;
  const context = board.context;
  const styles = paintsOf(data);
  replay.paths.forEach((way, seat) => {
    const trail = styles.get(`seat ${seat}`);
    const head = styles.get(`head ${seat}`);
    if (head === undefined) return;
    const own = (/** @type {number} */ cell) => trail === undefined || paints[cell] === trail + 1 || paints[cell] === head + 1;
    const style = data.paints[trail ?? head];
    const shade = board.dark ? style.dark : style.light;
    context.strokeStyle = trail === undefined ? shade.fill : shade.ink;
    context.lineWidth = trail === undefined ? 2.4 : 1.8;
    const first = trail === undefined ? Math.max(1, turn - RECENT + 1) : 1;
    let path = new Path2D();
    let steps = 0;
    for (let step = first; step <= turn; step++) {
      const [from, to] = [way[step - 1], way[step]];
      if (from < 0 || to < 0 || from === to || !own(from) || !(own(to) || step === turn)) continue;
      const [[x0, y0], [x1, y1]] = [board.centre(from), board.centre(to)];
      // Around the edge of a torus there is no line.
      if (Math.abs(x1 - x0) > 25 || Math.abs(y1 - y0) > 25) continue;
      // The last step ends where the head begins, which may be on its way.
      const share = step === turn ? Math.max(0, board.progress - 0.5) : 1;
      const [x, y] = [x0 + (x1 - x0) * share, y0 + (y1 - y0) * share];
      path.moveTo(x0, y0);
      path.lineTo(x, y);
      if (steps++ % 3 === 0 && step !== turn) arrow(path, x0, y0, x1, y1);
      if (trail !== undefined) continue;
      // What is long ago fades.
      context.globalAlpha = 0.85 * (1 - (turn - step) / (RECENT + 1));
      context.stroke(path);
      path = new Path2D();
    }
    context.globalAlpha = 0.75;
    context.stroke(path);
    context.globalAlpha = 1;
  });
}

/** The head of an arrow in the middle of a step. @param {Path2D} path @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
function arrow(path, x0, y0, x1, y1) {
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
  const [right, down] = [Math.sign(x1 - x0), Math.sign(y1 - y0)];
  path.moveTo(x - 3 * right - 3.5 * down, y - 3 * down + 3.5 * right);
  path.lineTo(x + right, y + down);
  path.lineTo(x - 3 * right + 3.5 * down, y - 3 * down - 3.5 * right);
}

/** The number of each paint, by kind and number. @param {import("./replay.js").ReplayData} data */
function paintsOf(data) {
  return new Map(data.paints.map((style, number) => [`${style.kind} ${style.number}`, number]));
}
