"""Plots as SVG: axes with ticks, lines and points with intervals, sized to be read on a phone."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html import escape

#: Units of the drawing, which on a phone are about a pixel each.
WIDTH, HEIGHT = 360, 230
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 10, 38

Point = tuple[float, float]


@dataclass
class Line:
    """Points of one kind, in their order; `look` is a class of the page's style."""

    name: str
    look: str
    points: list[Point]
    #: For each point, if known: the interval in which it may lie.
    intervals: list[Point] = field(default_factory=list)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers in a range, at equal distances of 1, 2 or 5 times a power of 10."""
    spread = high - low
    step = 10.0 ** math.floor(math.log10(spread / most))
    step *= next(times for times in (1, 2, 5, 10, 20) if spread / (times * step) <= most - 1)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]


def bounds(numbers: list[float], room: float) -> Point:
    """Return a range with room around numbers; a single number stands in its middle."""
    low, high = min(numbers), max(numbers)
    around = room * (high - low) or 0.5 * abs(high) or 1.0
    return low - around, high + around


def number(value: float) -> str:
    """Return a number as it is printed."""
    return f"{value:g}".replace("-", "−")


def plot(title: str, across: str, lines: list[Line], *, whole: bool = False) -> str:
    """Return a plot with a legend beneath it; with `whole`, the horizontal axis has whole numbers only."""
    lines = [line for line in lines if line.points]
    if not lines:
        return ""
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points]
    ys += [end for line in lines for interval in line.intervals for end in interval]
    low, high = bounds(ys, 0.08)
    if whole:
        left, right = min(xs) - 0.5, max(xs) + 0.5
    else:
        left, right = 0.0, max(xs) * 1.03 or 1.0
    bottom = HEIGHT - BOTTOM

    def x_of(x: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (x - left) / (right - left)

    def y_of(y: float) -> float:
        return TOP + (bottom - TOP) * (high - y) / (high - low)

    parts = []
    for y in ticks(low, high, 6):
        parts.append(f'<path class="grid" d="M{LEFT} {y_of(y):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 5}" y="{y_of(y) + 4:.1f}" text-anchor="end">{number(y)}</text>')
    for x in ticks(left, right, 7):
        if not whole or (x == int(x) and min(xs) <= x <= max(xs)):
            parts.append(f'<path class="axis" d="M{x_of(x):.1f} {bottom}v4"/>')
            parts.append(
                f'<text x="{x_of(x):.1f}" y="{bottom + 16}" text-anchor="middle">{number(x)}</text>'
            )
    parts.append(f'<path class="axis" d="M{LEFT} {TOP}V{bottom}H{WIDTH - RIGHT}"/>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 5}" text-anchor="middle">{escape(across)}</text>')
    for line in lines:
        places = [(x_of(x), y_of(y)) for x, y in line.points]
        for (x, _), (one, other) in zip(places, line.intervals, strict=False):
            parts.append(f'<path class="{line.look}" d="M{x:.1f} {y_of(one):.1f}V{y_of(other):.1f}"/>')
        if len(places) > 1:
            corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            parts.append(f'<polyline class="{line.look}" points="{corners}"/>')
        elif line.look.startswith("level"):
            # A level is the same wherever it was measured.
            parts.append(f'<path class="{line.look}" d="M{LEFT} {places[0][1]:.1f}H{WIDTH - RIGHT}"/>')
            continue
        if line.look.startswith("level"):
            continue
        size = 3.5 if len(places) < 20 else 2
        parts += [
            f'<circle class="{line.look}" cx="{x:.1f}" cy="{y:.1f}" r="{size}"/>' for x, y in places
        ]
    swatch = '<svg class="key" viewBox="0 0 24 8" aria-hidden="true"><path class="{}" d="M1 4H23"/></svg>'
    keys = "".join(f"<li>{swatch.format(line.look)}{escape(line.name)}</li>" for line in lines)
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">{"".join(parts)}</svg>'
        f"<ul>{keys}</ul></figure>"
    )
