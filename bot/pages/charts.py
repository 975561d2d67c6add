"""Where values stand in a drawing; `charts.html` draws it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing, and what is left free around its values, in its own units."""

    height: int
    left: int
    right: int
    top: int
    bottom: int
    width: int = 640

    def x(self, at: float, steps: int) -> float:
        """Place a value from left to right: the width is divided into steps."""
        step = (self.width - self.left - self.right) / max(1, steps)
        return round(self.left + at * step, 1)

    def y(self, share: float) -> float:
        """Place a share of the highest value, which is at the top."""
        inside = self.height - self.top - self.bottom
        return round(self.height - self.bottom - share * inside, 1)
