// The parts of the viewer that need no page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isBySurprise } from "./assets/analysis.js";
import { linesInSpace } from "./assets/beside.js";
import { Board } from "./assets/board.js";
import { changesOfLead, extentsOf, territory, withDecision } from "./assets/chart.js";
import { partsOn } from "./assets/hint.js";
import { Memory, stepOf } from "./assets/memory.js";
import { describeJudgement, describeSolution, describeTask, judge } from "./assets/practise.js";
import { withNames } from "./assets/parts.js";
import { Replay } from "./assets/replay.js";
import { placesInWords } from "./assets/session.js";
import { pictureLines } from "./assets/share.js";
import { placeInBox } from "./assets/space.js";
import { actionsOf, eventsOf, notationOf, wordsOf } from "./assets/story.js";
import { boardText, textKey } from "./assets/text-board.js";
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

test("around a long and narrow board there is room, and its cells stay where they are on it", () => {
  const board = new Board({ getContext: () => null, style: {} });
  for (const [columns, rows] of [[2, 75], [92, 1], [20, 10]]) {
    const replay = walk([""]);
    Object.assign(replay.data, { width: columns, height: rows });
    board.show(replay);
    const [all, own, [left, top]] = [board.extent(), board.size(), board.corner()];
    assert.ok(Math.max(all.width / all.height, all.height / all.width) <= 3 + 1e-9);
    assert.ok(Math.abs(left * 2 + own.width - all.width) < 1e-9 && Math.abs(top * 2 + own.height - all.height) < 1e-9);
    assert.ok(columns !== 20 || (left === 0 && top === 0));
    assert.deepEqual(board.centre(0), [board.cell().width / 2, board.cell().height / 2]);
  }
});

test("a board is enlarged where something happens, unless that is all over it", () => {
  const board = new Board({ getContext: () => null, style: {} });
  const replay = walk(["start", "on", "on"]);
  Object.assign(replay.data, { width: 40, height: 20 });
  board.show(replay);
  assert.equal(board.focus(), null);
  replay.seek(2);
  // From the second to the third cell of the first row.
  assert.deepEqual(board.focus(), [2 * board.cell().width, board.cell().height / 2]);
  Object.assign(replay.data, { width: 4, height: 1 });
  replay.data.tracks[0].cells[2] = [0, 4, 1];
  assert.equal(board.focus(), null);
});

test("names in a sentence stay whole, the longer one where two begin alike", () => {
  globalThis.document ??= { createElement: (tag) => ({ tag, setAttribute() {}, append(...text) { this.text = text.join(""); } }) };
  const parts = withNames("uct beat uct?c=1 and ducts", ["uct", "uct?c=1"]);
  assert.deepEqual(parts.map((part) => (typeof part === "string" ? part : `[${part.text}]`)), ["[uct]", " beat ", "[uct?c=1]", " and ducts"]);
});

test("a turn without a mistake changes the outlook only by what was done at once", () => {
  const sound = { seat: 0, played: "L", best: "L" };
  const even = { seat: 1, played: "U", best: "R", cost: 0 };
  assert.ok(isBySurprise([sound, even], [0.5, 0.5], [0, 1]));
  assert.ok(!isBySurprise([sound, even], [0.5, 0.5], [0.45, 0.55]));
  assert.ok(!isBySurprise([sound, { ...even, cost: 0.5 }], [0.5, 0.5], [1, 0]));
  assert.ok(!isBySurprise([sound], [0.5], [0]) && !isBySurprise([sound, even], [0.5, 0.5], undefined));
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
  assert.equal(notationOf(replay, 1, 4), "A R, B stays where it is for a long, long time");
});

test("actions are told in words where the game has some, and never in its notation", () => {
  const replay = walk(["", "", ""]);
  replay.data.turns[1].told = ["goes right", "builds a residence of shape L at row 3, column 7; lays 2 cells of road"];
  assert.equal(actionsOf(replay, 1), "A goes right, B builds a residence of shape L at row 3, column 7; lays 2 cells of road");
  assert.equal(actionsOf(replay, 1, 1), "A goes right …");
  // The server tells of the first seats only.
  replay.data.turns[1].told = ["goes right"];
  assert.equal(actionsOf(replay, 1), "A goes right …");
  replay.data.players = ["a"];
  assert.equal(actionsOf(replay, 1), "goes right …");
});

test("the scale of a chart is that of the turns that are told", () => {
  assert.deepEqual(extentsOf([[1, 3, null, 9], [2, 0, 5, 4]]), [[1, 2], [0, 3], [0, 5], [0, 9]]);
});

test("the words below a picture tell the result after the end only", () => {
  const replay = walk(["2 of 2 alive", "2 of 2 alive", "1 of 2 alive; B crashed"]);
  Object.assign(replay.data, { result: "a beat b", outcome: { scores: [1, 0], ending: "crash" } });
  const words = () => pictureLines({ replay, where: "Tron, empty" }).map(({ text }) => text);
  replay.seek(1);
  assert.deepEqual(words(), ["A a: 1", "B b: 0", "Tron, empty, turn 1 of 2"]);
  replay.seek(2);
  assert.deepEqual(words().slice(2), ["Tron, empty, turn 2 of 2", "a beat b: crash"]);
});

test("the ages of trails are the same after steps and jumps", () => {
  const replay = walk(["", "", "", ""]);
  [1, 2].forEach((turn) => { replay.seek(turn); replay.ages(); });
  const stepped = [...replay.ages()];
  replay.seek(3);
  replay.ages();
  replay.seek(2);
  assert.deepEqual([...replay.ages()], stepped);
  assert.deepEqual(stepped, [2, 1, 0, 0xffff]);
});

test("a border has a bar for each straight part, and none between its cells", () => {
  const board = Object.create(Board.prototype);
  board.replay = { data: { width: 4, height: 3, lattice: "square" } };
  // An L of three cells: six sides.
  assert.equal(board.bars([0, 4, 5], 2).length, 6);
  // Across the edge of the board, cells 3 and 4 are no neighbours.
  assert.equal(board.bars([3, 4], 2).length, 8);
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

test("falls and spoken phrases are events of their turn alone", () => {
  const captions = ["2 of 2 alive", "2 of 2 alive; begun: “ei…”", "1 of 2 alive; A ran into the wall on turn 2", "1 of 2 alive; A ran into the wall on turn 2; spoken: “ei!”"];
  assert.deepEqual(eventsOf(walk(captions)), [
    { turn: 2, words: "A ran into the wall on turn 2" },
    { turn: 3, words: "spoken: “ei!”" },
  ]);
});

/** What is seen from the middle of a torus of 5 × 5 cells: the nine cells around, with a trail at some of them. */
function nine(trails) {
  const style = (kind) => ({ kind, number: 0, pattern: "solid", glyph: "?", light: {}, dark: {} });
  const replay = { data: { width: 5, height: 5, paints: [style("floor"), style("claim"), style("head")] } };
  const seen = { paints: new Uint16Array(25), below: new Uint16Array(25), glyphs: new Array(25).fill("") };
  for (const row of [1, 2, 3]) for (const column of [1, 2, 3]) {
    const cell = row * 5 + column;
    seen.paints[cell] = trails.includes(cell) ? 2 : 1;
  }
  [seen.paints[12], seen.below[12]] = [3, trails.includes(12) ? 2 : 1];
  return [replay, seen];
}

test("what was seen stays where it was, though the board moves around the person", () => {
  const east = stepOf({ ArrowRight: "E", PageDown: "SE" }, "E");
  assert.deepEqual(east, [1, 0]);
  assert.deepEqual(stepOf({ ArrowRight: "E" }, "stay"), [0, 0]);
  const memory = new Memory();
  memory.see(...nine([12]), [0, 0]);
  assert.equal(memory.looks.size, 9);
  memory.see(...nine([11, 12]), east);
  // The trail lies one column to the west, and so does the column that is out of sight now.
  assert.equal(memory.looks.get(11).style.kind, "claim");
  assert.deepEqual([5, 10, 15].map((cell) => memory.looks.get(cell).style.kind), ["floor", "floor", "floor"]);
  assert.equal(memory.looks.size, 12);
  // After once around the torus, the same cells are seen again.
  for (let step = 0; step < 4; step++) memory.see(...nine([]), east);
  assert.equal(memory.looks.size, 15);
});

test("what was seen is there again after the page was loaded again on the same turn", () => {
  const memory = new Memory();
  memory.see(...nine([11, 12]), [0, 0]);
  const kept = memory.write("a", 3);
  const [same, later, other] = [["a", 3], ["a", 4], ["b", 3]].map(([match, turn]) => {
    const again = new Memory();
    again.read(kept, match, turn);
    return again;
  });
  assert.deepEqual(same, memory);
  assert.equal(later.looks.size + other.looks.size, 0);
  new Memory().read(null, "a", 3);
});

test("where the board stays, what was seen stays in its cell", () => {
  const memory = new Memory();
  const [replay, seen] = nine([12]);
  [seen.paints[12], seen.below[12]] = [2, 0];
  memory.see(replay, seen, [0, 0]);
  memory.see(replay, { ...seen, paints: new Uint16Array(25) }, [1, 0]);
  assert.equal(memory.looks.get(12).style.kind, "claim");
});

test("a practised move is judged as better, the same mistake or another one", () => {
  const lesson = { turn: 4, seat: 0, who: "You", played: "D", best: "L", cost: 0.5, by: "champion", cells: [] };
  const name = (action) => ({ D: "down", L: "left", U: "up" })[action];
  assert.equal(describeTask(lesson, name), "On turn 5, you played down. Find better.");
  assert.equal(describeTask({ ...lesson, who: "basic" }, name), "On turn 5, basic played down. Find better.");
  assert.deepEqual(["L", "D", "U"].map((action) => judge(lesson, action)), ["better", "same", "other"]);
  assert.equal(describeJudgement(lesson, "L", name), "Better: champion plays left, too. down costs 0.5.");
  assert.equal(describeJudgement(lesson, "D", name), "The same mistake: down costs 0.5.");
  const other = (gain, own = lesson, later = 0) =>
    describeJudgement(own, "U", name, typeof gain === "number" ? { gain, later } : gain);
  assert.equal(other(undefined), "Another move than down, and not what champion plays: champion is playing on from it …");
  assert.equal(other(0), "The same result as after down: champion played on from both.");
  assert.equal(other(0, lesson, -1), "The same result as after down, 1 turn sooner: champion played on from both.");
  assert.equal(other(0, lesson, 12), "The same result as after down, 12 turns later: champion played on from both.");
  assert.equal(other(0.25), "Better than down by 0.25: champion played on from both.");
  assert.equal(other(0.5), "Better than down by 0.5, as good as what champion plays: champion played on from both.");
  assert.equal(other(-2), "Worse than down by 2: champion played on from both.");
  assert.equal(other(null), "Another move than down, and not what champion plays; to evaluate it takes too long here.");
  const told = { ...lesson, words: { played: "goes down", best: "goes left" } };
  assert.equal(describeTask(told, name), "On turn 5, your move “goes down” was a mistake. Find better.");
  assert.equal(describeTask({ ...told, who: "basic" }, name), "On turn 5, basic goes down. Find better.");
  assert.equal(describeJudgement(told, "L", name), "Better: champion goes left, too. “goes down” costs 0.5.");
  assert.equal(describeSolution(told, name), "champion goes left, which gains 0.5.");
  // Where the analysis is gone, it is known what was played, and nothing else.
  assert.equal(other(undefined, { ...lesson, best: null }), "Another move than down: champion is playing on from it …");
});

test("what a hint builds is marked by kind, with the signs of the legend", () => {
  const style = { kind: "roof", number: 0, pattern: "solid", glyph: "?", light: {}, dark: {} };
  const parts = [
    { what: "residence", sign: "r", style, cells: [{ column: 1, row: 0 }, { column: 1, row: 2 }] },
    { what: "road", sign: "#", style, cells: [{ column: 0, row: 1 }] },
  ];
  assert.deepEqual(partsOn(parts, 5).map(({ sign, cells }) => [sign, cells]), [["R", [1, 11]], ["#", [5]]]);
});

test("a box that is drawn in space has no slices in its legend", () => {
  const line = (kind, text) => ({ layer: "board", kind, look: 0, text });
  const told = linesInSpace([line("cell", "polar"), line("unseen", "layers side by side")]);
  assert.deepEqual(told.map(({ kind }) => kind), ["cell", "turns"]);
});

test("cells that several reach at once are nobody's share of the territory", () => {
  const style = (kind, number) => ({ kind, number, pattern: "solid", glyph: "?", light: {}, dark: {} });
  const replay = new Replay({
    players: ["a", "b"], lattice: "square", width: 4, height: 1, looks: [[0, "1"], [1, "2"], [2, "="]],
    paints: [style("claim", 0), style("claim", 1), style("heat", 96)], strokes: [], labels: [], outcome: null,
    tracks: [{ name: "territory", overlay: true, cells: [[0, 1, 1, 1, 2, 3, 3, 1, 2], [0, 3, 3]] }],
    turns: [{ caption: "" }, { caption: "" }],
  });
  assert.deepEqual(territory(replay, 2), [[25, 0], [25, 25]]);
});

test("the change of lead that decides is listed, and no seat takes the lead twice running", () => {
  const leader = (turn) => (turn < 10 || turn === 60 || turn > 97 ? 0 : 1);
  const lines = [0, 1].map((seat) => Array.from({ length: 100 }, (_, turn) => (leader(turn) === seat ? 60 : 40)));
  const told = changesOfLead(lines, false, 0).map(({ turn, text }) => `${turn} ${text}`);
  assert.deepEqual(told, ["0 A leads", "10 B takes the lead", "98 A takes the lead"]);
});

test("the key of a board as text has who plays and the signs that are drawn", () => {
  const replay = walk(["", ""]);
  replay.data.legend = [{ layer: "board", kind: "cell", look: 1, text: "a head" }, { layer: "board", kind: "cell", look: 0, text: "free" }];
  const board = { replay, shown: new Set(), shows: () => true, composed: () => ({ paints: [1, 1, 2, 1], glyphs: [".", ".", "A", "."] }) };
  const { text, signs } = boardText(board);
  assert.equal(text, "   1\n  +--------+\n1 |. . A . |\n  +--------+");
  assert.equal(textKey(board, signs), "4 columns, 1 rows\nA a\nB b\nA a head\n. free");
  // A head that looks like its body is marked, and what an overlay would show is left out.
  replay.data.legend.push({ layer: "reach", kind: "cell", look: 0, text: "reached" });
  replay.data.tracks.push({ name: "reach", overlay: true, cells: [] });
  replay.data.looks[1][1] = "+";
  const marked = { ...board, composed: () => ({ paints: [1, 1, 2, 1], glyphs: [".", ".", "+", "."] }) };
  assert.equal(boardText(marked).text.split("\n")[2], "1 |. . +<. |");
  assert.equal(textKey(marked, boardText(marked).signs), "4 columns, 1 rows\nA a\nB b\n+< a head\n. free");
});

test("a refusal names cells as the edge of the board does", () => {
  assert.equal(placesInWords("water on (0, 7): the cell is taken by a factory"), "water on row 1, column 8: the cell is taken by a factory");
  assert.equal(placesInWords("it would touch a residence"), "it would touch a residence");
});

test("the turns that the last sentence names are among the turning points, and the end is not", () => {
  const lead = [{ turn: 5, text: "B takes the lead" }];
  const decision = "B and A parted on turn 3 with room for 77 and 72 cells; B filled 39 of its 77 and ran into its own trail on turn 43";
  assert.deepEqual(withDecision(lead, { contest: "versus", decision }, 43), [{ turn: 3, text: "B and A parted" }, ...lead]);
  assert.deepEqual(withDecision(lead, { contest: "versus", decision: "A was cut off on turn 5" }, 43), [{ turn: 5, text: "A was cut off" }]);
  assert.deepEqual(withDecision(lead, { contest: "versus", decision: "They met head on" }, 43), lead);
  assert.deepEqual(withDecision(lead, { contest: "scores", decision: "2 lines were removed on turn 7" }, 43), lead);
});
