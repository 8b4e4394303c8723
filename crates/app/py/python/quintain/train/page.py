"""A training run as one page without scripts: its curves, the settings behind it, and all its figures."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from quintain.train.comparison import sentence
from quintain.train.network import Shape
from quintain.train.plot import Line, plot
from quintain.train.settings import OF_SELF_PLAY

STYLE = """
:root{color-scheme:light dark;--ink:#1d2433;--soft:#667085;--rule:#dfe3ea;--paper:#fff;
--held:#1668b8;--learned:#8a5a00;--guess:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--soft:#a0a8b8;--rule:#343b49;--paper:#14171d;
--held:#6db3f2;--learned:#e0b050;--guess:#ff8a80}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
max-width:72rem;margin:1rem auto;padding:0 1rem}
h1{margin:0;font-size:1.6rem}h2{margin:1.5rem 0 .5rem;font-size:1.2rem}p{margin:.3rem 0;max-width:44rem}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:1rem}
figure{margin:0;max-width:32rem}figcaption{font-weight:600}
figure>svg{width:100%;height:auto;display:block}
figure ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:0 1rem;font-size:.9rem}
.key{width:24px;height:8px;margin-right:.4rem}
svg text{font-size:13px;fill:var(--ink)}svg path,svg polyline{fill:none}
.axis{stroke:var(--soft)}.grid{stroke:var(--rule)}
.held{stroke:var(--held);stroke-width:2}circle.held{fill:var(--held)}
.learned{stroke:var(--learned);stroke-width:2}circle.learned{fill:var(--learned)}
.level{stroke:var(--guess);stroke-dasharray:6 4;stroke-width:1.5}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}
th,td{text-align:right;padding:.15rem .6rem;border-bottom:1px solid var(--rule);white-space:nowrap}
th{vertical-align:bottom}.group{text-align:center}
pre{overflow-x:auto;background:color-mix(in srgb,var(--rule) 40%,transparent);padding:.5rem;margin:.3rem 0}
dl{display:grid;grid-template-columns:minmax(0,max-content) minmax(9rem,1fr);gap:.2rem 1rem;margin:.5rem 0}dd{margin:0;overflow-wrap:anywhere}
""".replace("\n", "")

#: The names of the settings on the page.
NAMES = {
    "first_simulations": "simulations of the first generation",
    "first_leaves": "leaves of the first generation",
    "simulations": "simulations per decision",
    "random_turns": "random turns at most",
    "window": "positions in the window",
    "batch": "positions per step",
    "reuse": "times each position is learned from",
    "rate": "learning rate",
    "symmetry": "symmetry",
    "seed": "seed",
}


def write_page(
    path: Path, shape: Shape, progress: list[dict[str, Any]], about: dict[str, Any]
) -> None:
    """Write the page of a run, from a row for each network and what is known of the run as a whole."""
    last, word = progress[-1], word_of(progress)
    positions = sum(row["positions"] for row in progress)
    plots = [
        loss("Policy: cross-entropy", "policy", progress),
        loss("Value: squared error", "value", progress),
        strength(about.get("strength"), word),
    ]
    body = (
        f"<h1>Training {escape(shape.game)}</h1>"
        f"<p>{networks(progress)}, {positions} positions, {last['minutes']:.1f} minutes.</p>"
        f'<div class="plots">{"".join(plots)}</div>'
        f"<p>Policy: the cross-entropy with what {policy_of(progress)}. Value: the squared error of a value from "
        "−1, the worst, to 1, the best. Lower losses are better.</p>"
        "<p>One match in ten is held out: no network learns from it. A guess takes all legal actions to be "
        "equally likely, and expects the average result; the least is the loss that remains when each "
        "policy is predicted exactly.</p>"
        f"{''.join(f'<p>{escape(sentence(row).capitalize())}.</p>' for row in about.get('against_search', []))}"
        f"<h2>How it was made</h2>{origin(shape, about, is_imitation=word == 'pass')}"
        f'<h2>Figures</h2><div class="scroll">{table(progress, about.get("strength"))}</div>'
    )
    path.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Training {escape(shape.game)}</title><style>{STYLE}</style>{body}</html>\n",
        encoding="utf-8",
    )


def networks(progress: list[dict[str, Any]]) -> str:
    """Say what made the networks: passes over a player's positions, and generations of self-play."""
    passes = sum("imitates" in row for row in progress)
    counts = {"pass": passes, "generation": len(progress) - passes}
    plurals = {"pass": "passes", "generation": "generations"}
    said = [
        f"one {word}" if count == 1 else f"{count} {plurals[word]}"
        for word, count in counts.items()
        if count
    ]
    return " and ".join(said)


def policy_of(progress: list[dict[str, Any]]) -> str:
    """Say whose decisions a policy is compared with."""
    imitated = {"imitates" in row for row in progress}
    said = {True: "the imitated player did", False: "the search found"}
    return " or ".join(words for is_imitated, words in said.items() if is_imitated in imitated)


def word_of(progress: list[dict[str, Any]]) -> str:
    """Return what a row is called."""
    words = {"pass" if "imitates" in row else "generation" for row in progress}
    return words.pop() if len(words) == 1 else "network"


def loss(title: str, name: str, progress: list[dict[str, Any]]) -> str:
    """Return the plot of a loss by minutes."""

    def of(key: str) -> list[tuple[float, float]]:
        held_out = [(row["minutes"], row.get("held_out") or {}) for row in progress]
        return [(minutes, figures[key]) for minutes, figures in held_out if key in figures]

    return plot(
        title,
        "minutes",
        [
            Line("a guess", "level", of(f"{name}_guess")),
            Line("held out", "held", of(name)),
            Line(
                "learned from", "learned", [(row["minutes"], row[f"{name}_loss"]) for row in progress]
            ),
        ],
    )


def strength(found: dict[str, Any] | None, word: str) -> str:
    """Return the plot of how strong the networks are, if they have played."""
    if not found or not found["generations"]:
        return ""
    rows = found["generations"]
    points = [(float(row["generation"]), row["strength"]) for row in rows]
    lines = [Line("network without search", "held", points, [(row["low"], row["high"]) for row in rows])]
    if beside := found["reference"]:
        ends = [(points[0][0] - 0.5, beside["strength"]), (points[-1][0] + 0.5, beside["strength"])]
        lines.append(Line(beside["player"], "level", ends))
    title = "Elo ± 95 %" if found["measure"] == "elo" else "Mean score ± 95 %"
    return plot(f"{title}, {found['matches']} matches", word, lines, whole=True)


def origin(shape: Shape, about: dict[str, Any], *, is_imitation: bool) -> str:
    """Return the commands and the settings."""
    sides = "no board" if shape.cells == 1 else f"{shape.board[1]}×{shape.board[0]} cells"
    facts = {
        "scenario": shape.scenario,
        "encoding": f"{shape.encoding}, {sides}, {shape.planes} planes, {shape.actions} actions",
        "network": f"{shape.channels} channels, {shape.blocks} blocks, {shape.precision}",
    }
    settings = about.get("settings", {})
    left_out = OF_SELF_PLAY if is_imitation else ()
    facts |= {
        said: settings[name]
        for name, said in NAMES.items()
        if settings.get(name) is not None and name not in left_out
    }
    commands = "\n".join(escape(line) for line in about.get("commands", []))
    terms = "".join(f"<dt>{escape(name)}</dt><dd>{escape(str(fact))}</dd>" for name, fact in facts.items())
    return (f"<pre>{commands}</pre>" if commands else "") + f"<dl>{terms}</dl>"


#: Columns of the table: their group, their name, and where a row has them. The first one's name depends on
#: what the rows are.
COLUMNS = (
    ("", "generation", "", "generation"),
    ("", "minutes", "", "minutes"),
    ("", "positions", "", "positions"),
    ("", "steps", "", "steps"),
    ("policy", "held out", "held_out", "policy"),
    ("policy", "learned", "", "policy_loss"),
    ("policy", "guess", "held_out", "policy_guess"),
    ("policy", "least", "held_out", "policy_least"),
    ("value", "held out", "held_out", "value"),
    ("value", "learned", "", "value_loss"),
    ("value", "guess", "held_out", "value_guess"),
)


def table(progress: list[dict[str, Any]], found: dict[str, Any] | None) -> str:
    """Return all figures, a row for each network."""
    strengths = {row["generation"]: row for row in found["generations"]} if found else {}
    measures = {"elo": "Elo ± 95 %", "score": "mean score ± 95 %"}
    measure = measures[found["measure"]] if strengths and found else ""
    decimals = 0 if found and found["measure"] == "elo" else 1

    def cell(row: dict[str, Any], within: str, key: str) -> str:
        figure = ((row.get(within) or {}) if within else row).get(key)
        if figure is None:
            return "–"
        if key == "positions" and not figure:
            # A later pass, over positions that were there before.
            return "–"
        if isinstance(figure, int):
            return str(figure)
        return f"{figure:.{1 if key == 'minutes' else 3}f}".replace("-0.000", "0.000")

    def strength_of(row: dict[str, Any]) -> str:
        one = strengths.get(row["generation"])
        if one is None:
            return "–"
        around = (one["high"] - one["low"]) / 2
        return f"{one['strength']:.{decimals}f} ± {around:.{decimals}f}".replace("-", "−")

    groups = ""
    for group in dict.fromkeys(group for group, *_ in COLUMNS):
        width = sum(group == own for own, *_ in COLUMNS)
        groups += (
            f'<th class="group" colspan="{width}" scope="colgroup">{group}</th>'
            if group
            else f'<td colspan="{width}"></td>'
        )
    names = [word_of(progress), *(name for _, name, *_ in COLUMNS[1:])]
    heads = "".join(f'<th scope="col">{name}</th>' for name in names)
    if measure:
        groups, heads = groups + "<td></td>", heads + f'<th scope="col">{measure}</th>'
    rows = ""
    for row in progress:
        cells = "".join(f"<td>{cell(row, within, key)}</td>" for _, _, within, key in COLUMNS)
        rows += f"<tr>{cells}{f'<td>{strength_of(row)}</td>' if measure else ''}</tr>"
    return f"<table><thead><tr>{groups}</tr><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
