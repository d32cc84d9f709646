"""Notices and effects."""

from tidings.mqtt_client.notices import Answer, ClientEffects, CloseRequested, Delivery, SubscriptionRequested


def test_an_empty_batch_wants_nothing():
    """Of nobody."""
    effects = ClientEffects()
    assert (effects.write, effects.answers, effects.granted, effects.show) == ([], [], [], [])
    assert not effects.close
    assert effects.failed is None


def test_batches_are_their_callers_own():
    """Whoever drains may do with it what it likes."""
    first, second = ClientEffects(), ClientEffects()
    first.write.append(b"x")
    assert second.write == []


def test_deliveries_are_told_apart():
    """Two of the same look are two."""
    assert Delivery(1, 2) != Delivery(1, 2)
    assert len({Delivery(1, 2), Delivery(1, 2)}) == 2


def test_defaults_are_the_usual_case():
    """Taken, at least once, with what was retained, for good."""
    assert Answer(1, 3).refusal is None
    assert SubscriptionRequested(0, "t").qos == 1
    assert SubscriptionRequested(0, "t").retained
    assert CloseRequested().over
