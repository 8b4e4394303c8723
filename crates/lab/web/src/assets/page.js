// @ts-check
// What every page of the server does: light and dark, tables that are sorted by a click on a
// column's head and searched, and keys that scroll what is wider than the page.

import { element, recallTheme, themeButton } from "./parts.js";

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

/** The heading that a part of the page stands under. @param {Element} part */
function headingOf(part) {
  const headings = [...document.querySelectorAll("h1, h2, h3, summary")];
  const above = headings.filter((heading) => (heading.compareDocumentPosition(part) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0);
  return above.pop()?.textContent?.trim() ?? "table";
}

/** What is wider than its place says so, and can have the focus, so that keys scroll it; nothing else can. */
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) {
      target.setAttribute("tabindex", "0");
      target.setAttribute("role", "region");
      target.setAttribute("aria-label", `${headingOf(target)}: scrolls sideways`);
      if (!target.previousElementSibling?.classList.contains("sideways")) {
        target.before(element("p", { class: "sideways", "aria-hidden": "true" }, "more to the side →"));
      }
    } else {
      if (target.previousElementSibling?.classList.contains("sideways")) target.previousElementSibling.remove();
      for (const name of ["tabindex", "role", "aria-label"]) target.removeAttribute(name);
    }
  }
});

/** Puts a field above a table that shows only the rows with its text. @param {HTMLTableElement} table */
function search(table) {
  const field = element("input", { type: "search", placeholder: "search", "aria-label": "search the table" });
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    for (const row of table.tBodies[0].rows) row.hidden = !row.textContent?.toLowerCase().includes(wanted);
  });
  (table.closest(".wide") ?? table).before(element("p", {}, field));
}

/** Puts a box into the head of a table that selects all rows that are shown. @param {HTMLTableElement} table */
function selectAll(table) {
  const all = element("input", { type: "checkbox", "aria-label": "select all shown" });
  all.addEventListener("change", () => {
    for (const row of table.tBodies[0].rows) {
      const box = /** @type {HTMLInputElement | null} */ (row.querySelector("input[type=checkbox][name=who]"));
      if (box && !row.hidden) box.checked = all.checked;
    }
  });
  table.tHead?.rows[0].cells[0].replaceChildren(all);
}

/** Makes the tables of a part of the page sortable, and what is wide reachable. @param {ParentNode} part */
export function prepare(part) {
  for (const wide of part.querySelectorAll(".wide")) widths.observe(wide);
  for (const found of part.querySelectorAll("table.sortable")) {
    const table = /** @type {HTMLTableElement} */ (found);
    if (table.classList.contains("searched")) search(table);
    const isSelectable = table.classList.contains("selectable");
    if (isSelectable) selectAll(table);
    const heads = [...table.tHead?.rows[0].cells ?? []];
    const by = (/** @type {number} */ column, /** @type {boolean} */ rising) => {
      heads.forEach((head) => head.removeAttribute("aria-sort"));
      heads[column].setAttribute("aria-sort", rising ? "ascending" : "descending");
      sort(table, column, rising);
      if (table.id) chosen.set(table.id, [column, rising]);
    };
    heads.forEach((head, column) => {
      if (isSelectable && column === 0) return;
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

prepare(document);
