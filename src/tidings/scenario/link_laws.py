"""From the keys of a link to its law, and from those of a component to the law of its outages.

What a distribution of delays means is decided here: drawn once and then constant, or drawn for each packet.
"""

from collections.abc import Sequence

from tidings.scenario.overlay_tables import ClientLink, OutageKeys
from tidings.scenario.world import LinkLaw, OutageLaw
from tidings.vocabulary.distribution import Constant, Distribution, Exponential
from tidings.vocabulary.streams import Streams


def link_law(keys: Sequence[ClientLink], *, per: str, streams: Streams, name: str) -> LinkLaw:
    """What the first of `keys` says, and the next about what it leaves open.

    Args:
        keys: of the link itself, then of its templates.
        per: what a distribution is drawn for where it does not say so: "link" or "packet".
        streams: where a delay that is drawn once comes from.
        name: the link's own stream.
    """
    plain = ClientLink()
    found = {
        key: next((getattr(one, key) for one in keys if getattr(one, key) != getattr(plain, key)), getattr(plain, key))
        for key in ("delay", "loss", "duplication", "fifo", "bandwidth")
    }
    delay = found["delay"]
    law: Distribution | None = None
    if delay is not None:
        once = (delay.per or per) == "link" and not isinstance(delay.law, Constant)
        law = _drawn_once(delay.law, streams, name) if once else delay.law
    return LinkLaw(
        delay=None if law == Constant(0.0) else law,
        loss=found["loss"],
        duplication=found["duplication"],
        fifo=found["fifo"],
        bandwidth_bps=found["bandwidth"],
    )


def outage_law(keys: Sequence[OutageKeys]) -> OutageLaw | None:
    """Of the first of `keys` that says anything; None: it never fails."""
    said = next((one for one in keys if one.availability is not None or one.up is not None), None)
    if said is None:
        return None
    up, down = said.up, said.down
    if said.availability is not None and said.period is not None:
        up_ns = float(round(said.availability * said.period))
        if up_ns == said.period:
            return None
        up = up or Exponential(max(up_ns, 1.0))
        down = down or Exponential(said.period - up_ns)
    assert up is not None, "up and down are there together"
    assert down is not None, "up and down are there together"
    return OutageLaw(up=up, down=down)


def _drawn_once(law: Distribution, streams: Streams, name: str) -> Distribution:
    return Constant(float(max(round(law.sample(streams(name), 1)[0]), 0)))
