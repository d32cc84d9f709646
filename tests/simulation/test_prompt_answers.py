"""Answers that are there at once, and everything else as ever."""

from simulation.worlds import const
from tidings.scenario.world import LinkLaw
from tidings.simulation.agenda import Agenda
from tidings.simulation.channel import Channel, Ends
from tidings.simulation.prompt_answers import PromptAnswers
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Packet, PacketTaken
from tidings.vocabulary.instant import MILLISECOND
from tidings.vocabulary.streams import Streams


def test_only_answers_are_prompt_and_never_lost():
    """Though the link is down; each is noted."""
    agenda, arrived, noted = Agenda(), [], []
    ends = Ends(
        sender="a",
        receiver="b",
        arrive=lambda now, sender, frame: arrived.append((now, sender, frame)),
        note=lambda now, frame, outcome: noted.append((now, type(frame).__name__, outcome)),
    )
    line = PromptAnswers(Channel(LinkLaw(delay=const(5)), ends, agenda, Streams(1)), ends, agenda)
    packet = Packet(Event(1, "p", "t", 0, {}), 1, ("b",), ("a",))
    line.send(0, packet)
    line.send(0, PacketTaken(1))
    assert arrived == []
    line.down += 1
    assert line.down == 1
    line.send(0, packet)
    line.send(0, PacketTaken(2))
    agenda.run_out()
    assert arrived == [(0, "a", PacketTaken(1)), (0, "a", PacketTaken(2)), (5 * MILLISECOND, "a", packet)]
    assert noted == [
        (0, "Packet", "arrived"),
        (0, "PacketTaken", "arrived"),
        (0, "Packet", "down"),
        (0, "PacketTaken", "arrived"),
    ]
