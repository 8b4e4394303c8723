// @ts-check
// How a match ended for the person who played.

import { figure } from "./replay.js";

/** @typedef {import("./replay.js").ReplayData} ReplayData */

/** Scores such that more is better. @param {ReplayData} data @returns {number[] | null} */
function gainsOf({ outcome, goal }) {
  return outcome ? outcome.scores.map((score) => (goal === "lowest" ? -score : score)) : null;
}

/** Whether nobody did better than a seat. @param {ReplayData} data @param {number} seat */
export function hasWon(data, seat) {
  const gains = gainsOf(data);
  return gains !== null && gains.every((gain) => gain <= gains[seat]);
}

/** How a match ended for a seat. @param {ReplayData} data @param {number} seat */
export function describeEnding(data, seat) {
  const gains = gainsOf(data);
  if (!data.outcome || !gains) return "It is over.";
  const best = Math.max(...gains);
  if (data.contest !== "versus" || gains.length < 2) return `It is over (${data.outcome.ending}): your score is ${figure(data.outcome.scores[seat])}.`;
  const drew = gains.filter((gain) => gain === best).length > 1;
  return `${gains[seat] < best ? "You lost" : drew ? "A draw" : "You won"} (${data.outcome.ending}).`;
}

/** How a match ended that a seat gave up. @param {ReplayData} data @param {number} turn @param {number | undefined} score its score so far */
export function describeGivingUp({ contest, players }, turn, score) {
  const isRival = contest === "versus" && players.length > 1;
  return `You gave up on turn ${turn}${isRival ? "" : ` with a score of ${figure(score ?? 0)}`}.`;
}
