"""How results look in a notebook: the tables of a terminal, as HTML."""

from __future__ import annotations

import re
from html import escape

#: What parts the cells of a row in Markdown.
_BAR = re.compile(r"(?<!\\)\|")


def html_of(markdown: str) -> str:
    """Return lines and tables in Markdown as HTML."""
    parts: list[str] = []
    rows: list[str] = []
    for line in [*markdown.splitlines(), ""]:
        if line.startswith("|"):
            rows.append(line)
            continue
        if rows:
            parts.append(_table(rows))
            rows = []
        if text := line.strip("# "):
            parts.append(f"<p>{_text(text)}</p>")
    return "\n".join(parts)


def _table(rows: list[str]) -> str:
    """Return a table whose first row has the headings; the second one says how columns are aligned."""
    cells = [[cell.strip() for cell in _BAR.split(row)[1:-1]] for row in rows]
    right = [rule.endswith(":") for rule in cells[1]] if len(cells) > 1 else []

    def row(kind: str, texts: list[str]) -> str:
        styles = [' style="text-align: right"' if is_right else "" for is_right in right]
        styles += [""] * (len(texts) - len(styles))
        shown = [
            f"<{kind}{style}>{_text(text)}</{kind}>"
            for style, text in zip(styles, texts, strict=False)
        ]
        return f"<tr>{''.join(shown)}</tr>"

    body = "\n".join(row("td", texts) for texts in cells[2:])
    return f"<table>\n<thead>{row('th', cells[0])}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _text(markdown: str) -> str:
    """Return text without Markdown's marks."""
    return escape(re.sub(r"\\(.)", r"\1", markdown.replace("**", "").replace("`", "")))
