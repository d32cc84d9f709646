"""A direction of a link on which answers to packets are there at once, whatever fails: what the DCRD paper takes for granted
where it waits for an acknowledgement as long as the packet itself takes. For comparison with the paper only.
"""

from tidings.simulation.agenda import Agenda
from tidings.simulation.channel import Channel, Ends
from tidings.vocabulary.frames import Frame, PacketTaken


class PromptAnswers:
    """Around the channel that carries everything else."""

    def __init__(self, channel: Channel, ends: Ends, agenda: Agenda) -> None:
        self._channel, self._ends, self._agenda = channel, ends, agenda

    @property
    def down(self) -> int:
        """How many outages hold the channel down at the moment."""
        return self._channel.down

    @down.setter
    def down(self, count: int) -> None:
        self._channel.down = count

    def send(self, now: int, frame: Frame) -> None:
        """Take `frame` at `now`."""
        if type(frame) is not PacketTaken:
            self._channel.send(now, frame)
            return
        if self._ends.note is not None:
            self._ends.note(now, frame, "arrived")
        self._agenda.at(now, self._deliver, frame)

    def _deliver(self, now: int, frame: Frame, _: None) -> None:
        self._ends.arrive(now, self._ends.sender, frame)
