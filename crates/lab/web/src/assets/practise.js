// @ts-check
// Practising the mistakes of a match, one by one: what the analysis found is asked of the server, and
// what the person plays instead is judged at once.

import { ask } from "./server.js";
import { figure } from "./replay.js";

/**
 * A mistake of a match: on the position after `turn` turns `who` played `played` where `best` is better.
 * @typedef {{turn: number, seat: number, who: string, played: string, best: string | null, words?: {played: string, best: string}, cost: number, by: string, cells: {column: number, row: number}[]}} Lesson
 * @typedef {"better" | "same" | "other"} Judgement
 */

/**
 * A mistake as an analysis by this player has it; without one only what was played is known.
 * @param {string} record @param {string} by @param {number} turn @param {number} seat @param {string} who @param {string} played
 * @returns {Promise<Lesson>}
 */
export async function findLesson(record, by, turn, seat, who, played) {
  const blank = { turn, seat, who, played, best: null, cost: 0, by, cells: [] };
  if (by === "") return blank;
  const answer = await ask(`/api/matches/${encodeURIComponent(record)}/analysis?player=${encodeURIComponent(by)}`).catch(() => null);
  /** @type {import("./analysis.js").TurnReview | undefined} */
  const review = answer?.review?.turns.find((/** @type {{turn: number}} */ known) => known.turn === turn);
  const move = review?.moves?.find((own) => own.seat === seat);
  return move ? { ...blank, best: move.best, words: move.words, cost: move.cost ?? 0, cells: move.cells ?? [] } : blank;
}

/** @param {Lesson} lesson @param {string} action @returns {Judgement} */
export function judge({ played, best }, action) {
  return action === best ? "better" : action === played ? "same" : "other";
}

/** What the person who practises is called. */
export const YOU = "You";

/** What is asked for. @param {Lesson} lesson @param {(action: string) => string} name what an action is called */
export function describeTask({ turn, who, played, words }, name) {
  const isOwn = who === YOU;
  const did = words === undefined ? `${isOwn ? "you" : who} played ${name(played)}`
    : isOwn ? `your move “${words.played}” was a mistake` : `${who} ${words.played}`;
  return `On turn ${turn + 1}, ${did}. Find better.`;
}

/**
 * By how many points a move is better than the one of the match, if the player of the analysis plays on from both, and
 * how many turns later the match is then over; null if nobody could tell.
 * @typedef {{gain: number, later: number}} Evaluation
 * @param {string} record @param {Lesson} lesson @param {string} action @returns {Promise<Evaluation | null>}
 */
export async function evaluate(record, { by, turn, seat }, action) {
  const asked = new URLSearchParams({ player: by, turn: String(turn), seat: String(seat), action });
  const answer = await ask(`/api/matches/${encodeURIComponent(record)}/judgement?${asked}`).catch(() => null);
  return typeof answer?.gain === "number" ? answer : null;
}

/** An evaluated move in words. @param {Lesson} lesson @param {Evaluation} evaluation @param {string} before what was played */
function describeGain({ by, cost }, { gain, later }, before) {
  const played = `${by} played on from both`;
  if (Math.abs(gain) < 1e-9) {
    const turns = Math.abs(later);
    const when = later === 0 ? "" : `, ${turns} ${turns === 1 ? "turn" : "turns"} ${later < 0 ? "sooner" : "later"}`;
    return `The same result as after ${before}${when}: ${played}.`;
  }
  if (gain < 0) return `Worse than ${before} by ${figure(-gain)}: ${played}.`;
  const all = cost > 0 && gain >= cost - 1e-9 ? `, as good as what ${by} plays` : "";
  return `Better than ${before} by ${figure(gain)}${all}: ${played}.`;
}

/**
 * A judgement in words; `found` is null where a move could not be evaluated, and missing while it is.
 * @param {Lesson} lesson @param {string} action @param {(action: string) => string} name @param {Evaluation | null} [found]
 */
export function describeJudgement(lesson, action, name, found) {
  const { played, best, cost, by } = lesson;
  const loss = cost > 0 ? ` costs ${figure(cost)}` : "";
  const before = lesson.words ? `“${lesson.words.played}”` : name(played);
  switch (judge(lesson, action)) {
    case "better": return `Better: ${by} ${lesson.words?.best ?? `plays ${name(action)}`}, too.${loss && ` ${before}${loss}.`}`;
    case "same": return `The same mistake: ${before}${loss || " again"}.`;
    default: break;
  }
  if (found) return describeGain(lesson, found, before);
  const other = best === null ? `Another move than ${before}` : `Another move than ${before}, and not what ${by} plays`;
  return found === null ? `${other}; to evaluate it takes too long here.` : `${other}: ${by} is playing on from it …`;
}

/** The solution in words. @param {Lesson} lesson @param {(action: string) => string} name */
export function describeSolution({ best, words, by, cost }, name) {
  return best === null ? "" : `${by} ${words?.best ?? `plays ${name(best)}`}${cost > 0 ? `, which gains ${figure(cost)}` : ""}.`;
}
