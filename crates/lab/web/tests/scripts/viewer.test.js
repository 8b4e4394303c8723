// The parts of the viewer that need no page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Board } from "./assets/board.js";
import { Replay } from "./assets/replay.js";
import { placeInBox } from "./assets/space.js";
import { actionsOf, wordsOf } from "./assets/story.js";
import { within, zoomed } from "./assets/zoom.js";

const EXTENT = { width: 200, height: 100 };

/** A match of two players on a board of 4 × 1 cells, on which A goes from the left to the right. */
function walk(captions) {
  const looks = [[0, "."], [1, "A"]];
  const style = (kind, number) => ({ kind, number, pattern: "solid", glyph: "?", light: {}, dark: {} });
  const cells = captions.map((_, turn) => (turn === 0 ? [0, 1, 2, 1, 3, 1] : [turn - 1, 1, 1, turn, 1, 2]));
  return new Replay({
    players: ["a", "b"], lattice: "square", width: 4, height: 1, looks, paints: [style("floor", 0), style("head", 0)],
    strokes: [], labels: [], tracks: [{ name: "board", overlay: false, cells }], outcome: null,
    turns: captions.map((caption, turn) => ({ caption, scores: [turn, 0], played: turn === 0 ? [] : [[0, "R"], [1, "stays where it is for a long, long time"]] })),
  });
}

test("the point under the pointer stays where it is when the board is zoomed", () => {
  let view = { scale: 1, x: 0, y: 0 };
  for (const factor of [1.5, 1.7, 0.8, 3]) {
    const before = (120 - view.x) * view.scale;
    view = zoomed(view, factor, 120, 60, EXTENT);
    assert.ok(Math.abs((120 - view.x) * view.scale - before) < 1e-9);
  }
});

test("what is shown never lies beyond the edge of the board", () => {
  for (const view of [{ scale: 0.2, x: -5, y: 9 }, { scale: 3, x: 500, y: -20 }, { scale: 99, x: 0, y: 500 }]) {
    const { scale, x, y } = within(view, EXTENT);
    assert.ok(scale >= 1 && scale <= 8);
    assert.ok(x >= 0 && x + 200 / scale <= 200 + 1e-9 && y >= 0 && y + 100 / scale <= 100 + 1e-9);
  }
  assert.deepEqual(within({ scale: 1, x: 50, y: 50 }, EXTENT), { scale: 1, x: 0, y: 0 });
});

test("a turn is told by what is new in its caption", () => {
  const replay = walk(["2 of 2 alive", "2 of 2 alive", "1 of 2 alive; A crashed; spoken: “a, b; c”"]);
  assert.equal(wordsOf(replay, 1), "");
  assert.equal(wordsOf(replay, 2), "1 of 2 alive, A crashed, spoken: “a, b; c”");
  assert.match(actionsOf(replay, 1), /^A R · B stays where .*…$/);
});

test("the cells of two slices one above the other are neighbours in the box", () => {
  // Two slices of 3 × 2 cells, the first from column 1 and row 1 of a drawing of 9 columns.
  const slices = [1, 1, 3, 2, 2];
  assert.deepEqual(placeInBox(9 + 1, 9, slices), { x: 0, y: 0, z: 0 });
  assert.deepEqual(placeInBox(9 + 5, 9, slices), { x: 0, y: 0, z: 1 });
  assert.deepEqual(placeInBox(2 * 9 + 7, 9, slices), { x: 2, y: 1, z: 1 });
});

test("the ages of trails are the turns since somebody was there, after a jump as well", () => {
  const replay = walk(["", "", "", ""]);
  replay.seek(3);
  assert.deepEqual([...replay.ages()], [3, 2, 1, 0]);
  replay.seek(1);
  assert.deepEqual([...replay.ages()], [1, 0, 0xffff, 0xffff]);
});

test("a position is composed once for all frames of a step, and again when anything of it changes", () => {
  const board = new Board({ getContext: () => null });
  const replay = walk(["start", "on", "on"]);
  const first = board.composed(replay);
  assert.equal(board.composed(replay), first);
  replay.seek(2);
  const second = board.composed(replay);
  assert.notDeepEqual(second.glyphs, first.glyphs);
  board.shown.add("an overlay");
  assert.notEqual(board.composed(replay), second);
  // A session has a replay of one turn for each of its positions.
  assert.notEqual(board.composed(walk(["start"])), board.composed(walk(["start"])));
});
