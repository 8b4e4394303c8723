"""The curves of a training run as one page, without scripts."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 640, 200, 56, 28


def curve(title: str, unit: str, points: list[tuple[float, float]]) -> str:
    """Return a plot of points, by minutes."""
    if not points:
        return ""
    most_x = max(x for x, _ in points) or 1
    low, high = min(y for _, y in points), max(y for _, y in points)
    spread = (high - low) or 1

    def place(x: float, y: float) -> str:
        across = _LEFT + (_WIDTH - _LEFT - 8) * x / most_x
        down = 8 + (_HEIGHT - _BOTTOM - 8) * (high - y) / spread
        return f"{across:.1f},{down:.1f}"

    line = " ".join(place(x, y) for x, y in points)
    bottom = _HEIGHT - _BOTTOM
    return (
        f"<h2>{escape(title)}</h2>"
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">'
        f'<path d="M{_LEFT} 8V{bottom}H{_WIDTH - 8}" fill="none" stroke="#888"/>'
        f'<text x="{_LEFT - 6}" y="14" text-anchor="end">{high:.3g}</text>'
        f'<text x="{_LEFT - 6}" y="{bottom}" text-anchor="end">{low:.3g}</text>'
        f'<text x="{_WIDTH - 8}" y="{_HEIGHT - 8}" text-anchor="end">{most_x:.3g} minutes</text>'
        f'<text x="{_LEFT}" y="{_HEIGHT - 8}">{escape(unit)}</text>'
        f'<polyline points="{line}" fill="none" stroke="#1668b8" stroke-width="2"/></svg>'
    )


def write_page(path: Path, game: str, progress: list[dict[str, Any]]) -> None:
    """Write the page of a run."""

    def of(key: str) -> list[tuple[float, float]]:
        # The first generation plays without a network, and says little of those that follow.
        return [(row["minutes"], row[key]) for row in progress[1:] or progress]

    style = (
        "body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:1rem auto;padding:0 1rem}"
        "svg{width:100%;height:auto}text{font-size:12px;fill:currentColor}"
        ":root{color-scheme:light dark}"
    )
    last = progress[-1]
    positions = sum(row["positions"] for row in progress)
    body = (
        f"<h1>Training {escape(game)}</h1>"
        f"<p>{len(progress)} generations, {positions} positions, {last['minutes']:.1f} minutes.</p>"
        + curve("Policy", "cross-entropy with what the search found", of("policy_loss"))
        + curve("Value", "squared error of the outcome, from -1 to 1", of("value_loss"))
    )
    path.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Training {escape(game)}</title><style>{style}</style>{body}</html>\n"
    )
