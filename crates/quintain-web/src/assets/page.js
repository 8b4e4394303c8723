// @ts-check
// What every page of the server does: light and dark, and tables that are sorted by a
// click on a column's head.

import { recallTheme, themeButton } from "./parts.js";

recallTheme();
document.querySelector(".site")?.append(themeButton());

/** What a cell is sorted by. @param {HTMLTableRowElement} row @param {number} column */
function key(row, column) {
  const cell = row.cells[column];
  return cell?.dataset.sort ?? cell?.textContent?.trim() ?? "";
}

/** @param {HTMLTableElement} table @param {number} column @param {boolean} rising */
function sort(table, column, rising) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const numbers = rows.every((row) => key(row, column) === "" || !Number.isNaN(Number(key(row, column))));
  rows.sort((a, b) => {
    const [x, y] = [key(a, column), key(b, column)];
    const order = numbers ? Number(x) - Number(y) : x.localeCompare(y);
    return rising ? order : -order;
  });
  body.append(...rows);
}

/** The column that a table is sorted by, to be kept when the table is replaced. @type {Map<string, [number, boolean]>} */
const chosen = new Map();

/** Makes the tables of a part of the page sortable. @param {ParentNode} part */
export function sortable(part) {
  for (const found of part.querySelectorAll("table.sortable")) {
    const table = /** @type {HTMLTableElement} */ (found);
    const heads = [...table.tHead?.rows[0].cells ?? []];
    const by = (/** @type {number} */ column, /** @type {boolean} */ rising) => {
      heads.forEach((head) => head.removeAttribute("aria-sort"));
      heads[column].setAttribute("aria-sort", rising ? "ascending" : "descending");
      sort(table, column, rising);
      if (table.id) chosen.set(table.id, [column, rising]);
    };
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => by(column, head.getAttribute("aria-sort") !== "ascending"));
    });
    const before = chosen.get(table.id);
    if (before) by(...before);
  }
}

sortable(document);
