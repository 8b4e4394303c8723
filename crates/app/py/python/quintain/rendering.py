"""How positions are shown: the values of `render_mode`, and positions on standard output."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import gymnasium

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The modes in which `render` returns something: text, pixels, a picture.
RENDER_MODES = ["ansi", "rgb_array", "svg"]
#: The mode that prints the text to standard output, after every reset and step.
HUMAN = "human"
#: The modes of environments that play one match at a time.
ALL_MODES = [HUMAN, *RENDER_MODES]
#: How many positions a second are shown on a terminal.
FRAMES_A_SECOND = 10

#: What environments of one match, and vectors of them, say of themselves; Gymnasium reads it from what
#: makes them, too, to find out that `rgb_array_list` can be collected from `rgb_array`.
ONE_METADATA: dict[str, Any] = {"render_modes": ALL_MODES, "render_fps": FRAMES_A_SECOND}
VECTOR_METADATA: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": FRAMES_A_SECOND}

#: Clears the terminal and goes to its upper left corner.
_CLEAR = "\x1b[H\x1b[2J"


def check_render_mode(render_mode: str | None, known: Sequence[str] = RENDER_MODES) -> None:
    """Raise ValueError if there is no such mode."""
    if render_mode is not None and render_mode not in known:
        raise ValueError(f"render_mode={render_mode!r}: expected one of {', '.join(known)}, or None")


class Rendered:
    """The part of an environment of one match that shows its position."""

    render_mode: str | None

    def _draw(self, mode: str) -> Any:
        """Return the position as text, pixels or SVG."""
        raise NotImplementedError

    def render(self) -> Any:
        """Return the position in the form of `render_mode`; with `human`, print it to standard output."""
        if self.render_mode is None:
            gymnasium.logger.warn("no render_mode was chosen, so nothing is rendered")
            return None
        if self.render_mode != HUMAN:
            return self._draw(self.render_mode)
        is_terminal = sys.stdout.isatty()
        text: str = self._draw("ansi")
        print(f"{_CLEAR if is_terminal else ''}{text.rstrip()}\n", flush=True)
        if is_terminal:
            time.sleep(1 / FRAMES_A_SECOND)
        return None

    def _show(self) -> None:
        """Show the position that was just reached, if `render_mode` is `human`."""
        if self.render_mode == HUMAN:
            self.render()
