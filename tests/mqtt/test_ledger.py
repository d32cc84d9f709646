"""The ledger: numbers as the log gives them, an event once however many claim it, and claims that end."""

from tidings.mqtt.ledger import Ledger
from tidings.mqtt.limits import SEEN_REMEMBERED
from tidings.mqtt.parcel import Parcel
from tidings.mqtt.records import Acknowledged, Reserved, Taken, read_record
from tidings.vocabulary.event import Event


def parcel(identity=1):
    """An event on its way."""
    return Parcel(Event(identity, "p", "t", 0, {}), 0)


def test_an_event_is_stored_once_for_all_who_claim_it():
    """Each claim with the packet that it was sent in, filled in until the turn ends."""
    ledger, one = Ledger(), parcel()
    ledger.begin(40, ())
    ledger.note(Reserved(5))
    first = ledger.claim(one, 3)
    ledger.claim(one, 4)
    first[1] = 17
    ledger.note(Acknowledged(3, 9, half=False))
    assert (one.number, ledger.next_number) == (41, 43)
    written = ledger.take()
    assert [read_record(data) for data in written.records] == [
        Reserved(5),
        Taken(one.event, ((3, 17), (4, 0))),
        Acknowledged(3, 9, half=False),
    ]
    assert written.claims == [0, 2, 0]
    assert ledger.take() == ([], [], [])
    assert ledger.next_number == 43


def test_claims_end_one_by_one():
    """As often as they were made."""
    ledger = Ledger()
    ledger.release(7)
    ledger.release(7)
    assert ledger.take().released == [7, 7]
    assert ledger.take().released == []


def test_what_was_stored_lately_is_remembered():
    """And what an earlier life had seen; not for ever."""
    ledger = Ledger()
    ledger.begin(0, (1, 2))
    ledger.claim(parcel(3), 0)
    assert list(ledger.recent) == [1, 2, 3]
    ledger.recent.extend(range(SEEN_REMEMBERED))
    assert len(ledger.recent) == SEEN_REMEMBERED
