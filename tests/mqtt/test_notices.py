"""Notices and effects: what a batch is, and that no two batches share anything."""

from tidings.mqtt.notices import BytesArrived, ConnectionOpened, FrontEffects, Judge


def test_an_empty_batch_wants_nothing():
    """Of nobody."""
    assert all(getattr(FrontEffects(), name) == [] for name in FrontEffects.__slots__)


def test_batches_are_their_callers_own():
    """Whoever drains may do with it what it likes."""
    first, second = FrontEffects(), FrontEffects()
    first.close.append(3)
    assert second.close == []


def test_nobody_is_trusted_by_default():
    """A connection comes without an owner; a question holds what was said, and no more."""
    assert ConnectionOpened(1).principal is None
    assert Judge(1, "ann", b"secret").password == b"secret"
    assert BytesArrived(1, b"x").data == b"x"
