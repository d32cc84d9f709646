"""What a link is good for: its delay and how often it delivers, for one transmission and for several (DCRD, Eq. 1)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LinkQuality:
    """Of one direction: α, the expected delay of what arrives, in nanoseconds, and γ, the share that arrives.

    Raises ValueError for a delay that is negative, and a share outside 0 to 1.
    """

    delay_ns: float
    ratio: float

    def __post_init__(self) -> None:
        if not self.delay_ns >= 0:
            raise ValueError(f"a link's delay is {self.delay_ns} ns; it must not be negative")
        if not 0 <= self.ratio <= 1:
            raise ValueError(f"a link delivers a share of {self.ratio}; it must be from 0 to 1")

    def repeated(self, transmissions: int) -> "LinkQuality":
        """The same for up to so many transmissions, each sent when the one before has had its time.

        The delay is that of what arrives in the end, as everywhere.
        """
        if transmissions == 1:
            return self
        missed = 1 - self.ratio
        ratio = 1 - missed**transmissions
        if ratio == 0:
            return LinkQuality(self.delay_ns, 0.0)
        tries = sum(number * self.ratio * missed ** (number - 1) for number in range(1, transmissions + 1))
        return LinkQuality(self.delay_ns * (tries / ratio), ratio)
