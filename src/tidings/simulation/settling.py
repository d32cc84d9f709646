"""Before time 0: the interests of those who are there from the beginning, spread by the protocol itself.

Frames are handed over at once and nothing is logged; the world begins when nobody has anything to say.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from tidings.vocabulary.frames import Frame
from tidings.vocabulary.machine import Effects, FramesArrived, Machine

Keep: TypeAlias = Callable[[str, Effects], None]
"""Puts the records of a broker's batch where they survive."""


def settle(
    machines: Mapping[str, Machine],
    wishes: Iterable[tuple[str, str, Frame]],
    keep: Keep = lambda _name, _effects: None,
) -> None:
    """Tell every broker what its clients say (broker, client, frame), and let all of them come to rest."""
    for broker, client, frame in wishes:
        machines[broker].receive(FramesArrived(client, (frame,)), 0)
    moving = True
    while moving:
        moving = False
        for name, machine in machines.items():
            effects = machine.drain()
            keep(name, effects)
            for to, frames in _by_receiver(effects).items():
                if to in machines:
                    machines[to].receive(FramesArrived(name, frames), 0)
                    moving = True


def _by_receiver(effects: Effects) -> dict[str, list[Frame]]:
    frames: dict[str, list[Frame]] = {}
    for send in effects.send:
        frames.setdefault(send.to, []).append(send.frame)
    return frames
