"""Every error that Tidings raises on purpose, in one tree.

    TidingsError
    ├── InputError            yours: what you gave us cannot be used (exit code 2)
    │   ├── ScenarioError     a scenario file: names file, key, value and remedy
    │   │   └── NotImplementedYet   a value of the contract that a verb does not do yet
    │   └── FilterError       a filter: points at the column
    ├── PeerError             the peer's: somebody sent what the protocol does not allow
    │   ├── PacketRefused     an MQTT packet; carries the reason code that MQTT has for it
    │   ├── RequestRefused    a broker has said no to a publication, a subscription, a connection; carries its reason
    │   └── AppendRefused     an append to a log by somebody who has been overtaken
    │       ├── StaleTerm     under a term that has ended
    │       └── WrongNumber   at a number that is not the log's next
    └── WorldError            the world's: disk full, folder not writable, port taken
        ├── NoConnection      no broker can be reached, or what was asked of one was not answered in time
        ├── DiskError         a write or a sync failed
        │   └── DiskFull      because there is no room
        ├── LogPoisoned       a log whose disk has failed: closed until it is recovered
        ├── LogCorrupt        a log that is damaged where it had been synced
        └── LogForeign        a log of another owner or of another format

An assertion that fails is neither of these: it is our own bug.
"""


class TidingsError(Exception):
    """Base of all; `str()` of it is one sentence that a person can act on."""


class InputError(TidingsError):
    """The input cannot be used as it stands; nothing was written."""


class ScenarioError(InputError):
    """A scenario says something impossible: where, what, and what would be right."""

    def __init__(self, file: str, key: str, value: object, remedy: str) -> None:
        self.file, self.key, self.value, self.remedy = file, key, value, remedy
        super().__init__(f"{file}: {key} = {_shorten(value)}: {remedy}")


class NotImplementedYet(ScenarioError):
    """A value that the contract knows and this verb does not do yet."""


class FilterError(InputError):
    """A filter text that does not parse; `column` counts from 1."""

    def __init__(self, text: str, column: int, problem: str) -> None:
        self.text, self.column, self.problem = text, column, problem
        start = max(0, column - 41)
        # A filter comes from outside: nothing in it may move the cursor, colour a terminal or break a log line.
        excerpt = "".join(character if character.isprintable() else "?" for character in text[start : start + 80])
        pointer = " " * (column - 1 - start) + "^"
        super().__init__(f"filter, column {column}: {problem}\n  {excerpt}\n  {pointer}")


class PeerError(TidingsError):
    """A frame or a value that no well-behaved peer sends."""


class PacketRefused(PeerError):
    """An MQTT packet that no well-behaved peer sends; `reason` is the code that a DISCONNECT or CONNACK says it with."""

    def __init__(self, reason: int, sentence: str) -> None:
        self.reason = reason
        super().__init__(sentence)


class RequestRefused(PeerError):
    """A broker does not do what a client has asked of it; `reason` is MQTT's code."""

    def __init__(self, reason: int, sentence: str) -> None:
        self.reason = reason
        # The sentence comes from outside: nothing in it may move the cursor or break a log line.
        clean = "".join(character if character.isprintable() else "?" for character in sentence[:400])
        super().__init__(f"refused: {clean} (reason 0x{reason:02x})")


class WorldError(TidingsError):
    """The machine around us refused: disk, folder, port, process."""


class NoConnection(WorldError):
    """There is no connection to a broker, and what was asked for did not happen, or nobody knows whether it did."""


class AppendRefused(PeerError):
    """A log did not take a record; it holds what it held before."""


class StaleTerm(AppendRefused):
    """Somebody else owns the log by now: who asks under `given` must stop."""

    def __init__(self, given: int, current: int) -> None:
        self.given, self.current = given, current
        super().__init__(f"term {given} has ended: the log is at term {current}; stop, another owner has taken over")


class WrongNumber(AppendRefused):
    """The log has grown, or has not, since whoever asks last looked."""

    def __init__(self, expected: int, next_number: int) -> None:
        self.expected, self.next_number = expected, next_number
        super().__init__(f"record {expected} was expected to be the next, but the log's next is {next_number}")


class DiskError(WorldError):
    """A write or a sync failed; what was not synced before must be taken for lost."""


class DiskFull(DiskError):
    """No room; part of the write may have happened."""


class LogPoisoned(WorldError):
    """An earlier write or sync of this log failed; only a recovery tells what is on disk."""

    def __init__(self, cause: str) -> None:
        self.cause = cause
        super().__init__(f"the log takes nothing more until it is recovered, since its disk failed: {cause}")


class LogCorrupt(WorldError):
    """A log is damaged at byte `at`, in what had been synced; nothing was cut and nothing behind it was read."""

    def __init__(self, owner: str, at: int, records: int) -> None:
        self.owner, self.at, self.records = owner, at, records
        super().__init__(
            f"the log of {owner} is damaged at byte {at}: the {records} records before it are whole, what follows "
            "cannot be trusted; read again, or restore it from a copy (nothing was changed)"
        )


class LogForeign(WorldError):
    """A log that this process must not touch; nothing was changed."""


def _shorten(value: object, length_max: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= length_max else text[: length_max - 1] + "…"
