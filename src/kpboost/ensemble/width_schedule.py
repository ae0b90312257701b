"""The widths that AdaBoost-SVM goes through: large first, one step smaller after each failure."""

from dataclasses import dataclass

# How often the step is halved if the widths run out before any machine was kept.
MOST_HALVINGS = 20


@dataclass(slots=True)
class WidthSchedule:
    """The current width, which only falls and never to the last one.

    Attributes
    ----------
    now : float or None
        Width to try, above ``last``; None when there is none left. sigma
    last : float
        Lower end, itself never tried. sigma_min
    step : float
        What a failure costs. sigma_step
    halvings : int
        How often the step was halved.
    """

    now: float | None
    last: float
    step: float
    halvings: int = 0

    def __post_init__(self) -> None:
        self._move_to(self.now)

    def narrow(self, *, urgent: bool) -> None:
        """Take one step down.

        Parameters
        ----------
        urgent : bool
            Whether no machine was kept so far. A step that would lead out of the range is halved
            then, at most MOST_HALVINGS times in all.
        """
        if self.now is None:
            return
        while urgent and self.now - self.step <= self.last and self.halvings < MOST_HALVINGS:
            self.step /= 2.0
            self.halvings += 1
        self._move_to(self.now - self.step)

    def _move_to(self, width: float | None) -> None:
        self.now = width if width is not None and width > self.last else None
