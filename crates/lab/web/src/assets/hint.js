// @ts-check
// What a hint would put on the board, by kind: marked with the colour and the sign of the legend, on
// the board and beside the words.

import { element } from "./parts.js";

/**
 * @typedef {{what: string, sign: string, style: import("./replay.js").Style, cells: {column: number, row: number}[]}} HintPart
 * @typedef {{action: string, by: string, told: string, cells: {column: number, row: number}[], parts: HintPart[]}} Hint
 * @typedef {{cells: number[], sign: string, style: import("./replay.js").Style}} MarkedPart
 */

/** The parts as the board marks them: cells by number. @param {HintPart[]} parts @param {number} width @returns {MarkedPart[]} */
export function partsOn(parts, width) {
  return parts.map(({ sign, style, cells }) => ({ cells: cells.map(({ column, row }) => row * width + column), sign: sign.toUpperCase(), style }));
}

/** What the marks mean, in a row. @param {HintPart[]} parts @param {boolean} dark */
export function keyOf(parts, dark) {
  return parts.map(({ what, sign, style }) => {
    const shade = dark ? style.dark : style.light;
    const mark = element("b", { class: "hint-sign" }, sign.toUpperCase());
    mark.style.background = shade.fill;
    mark.style.color = shade.ink;
    return element("span", { class: "hint-part" }, mark, ` ${what}`);
  });
}
