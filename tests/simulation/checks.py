"""What must hold for every run of a campaign, a name for each promise. A check gives sentences about what is broken."""

from collections import Counter, defaultdict

from tidings.vocabulary.distribution import Constant
from tidings.vocabulary.instant import FOREVER, SECOND

FLIGHT_NS = SECOND
"""Longer than any event of a campaign is on its way where nothing waits in queues."""


def no_duplicates(case, found):
    """No application is shown an event twice, whatever happens."""
    return [f"{count} duplicates"] if (count := found.report.total("duplicates")) else []


def nothing_unexpected(case, found):
    """Nothing is shown that was not asked for, was taken back, or is over."""
    return [f"{count} unexpected"] if (count := found.report.total("unexpected")) else []


def outcomes_add_up(case, found):
    """Each wanted event has exactly one outcome, and no more were shown than there are rows."""
    totals = found.totals()
    parts = sum(totals[name] for name in ("on_time", "late", "expired", "lost"))
    shown = len(found.rows("deliveries", "event"))
    sentences = [] if totals["wanted"] == parts else [f"{totals} do not add up"]
    if totals["on_time"] + totals["late"] > shown:
        sentences.append(f"{totals} from {shown} deliveries")
    return sentences


def publishers_keep_their_order(case, found):
    """On links that keep order, no subscriber sees two events of a publisher and topic the wrong way round."""
    led_astray = (keeps(case) or bypasses(case)) and case.temper != "calm"
    if (
        (not keeps(case) or roams(case))
        and keeps_order(case)
        and not led_astray
        and (count := found.report.topic_inversions)
    ):
        return [f"{count} inversions"]
    return []


def positions_count_up(case, found):
    """Each subscriber's showings are numbered 0, 1, 2 … in the order of time, and none is before its publication."""
    published = dict(found.rows("publications", "event", "published_ns"))
    rows = defaultdict(list)
    for name, position, event, shown in found.rows("deliveries", "subscriber", "position", "event", "delivered_ns"):
        rows[name].append((position, shown))
        if shown < published[event]:
            return [f"{event} was shown to {name} before it was published"]
    return [
        f"positions of {name}"
        for name, series in rows.items()
        if [position for position, _ in series] != list(range(len(series)))
        or sorted(series, key=lambda one: one[1]) != series
    ]


def events_go_one_way(case, found):
    """An event crosses a link in one direction only: trees have no circles, and nothing goes back; unless it is led aside."""
    if bypasses(case) or roams(case):  # homes and guests' brokers speak in any direction
        return []
    ways = {
        (event, sender, receiver)
        for event, sender, receiver, kind in found.rows("transmissions", "event", "sender", "receiver", "kind")
        if kind == "event"
    }
    return [f"{event} went {one}>{other} and back" for event, one, other in sorted(ways) if (event, other, one) in ways]


def copies_are_not_multiplied(case, found):
    """A broker passes an event on once in each of its lives, however many come in; unless it must insist or lead it aside."""
    if keeps(case) or bypasses(case):
        return []
    copies = Counter(
        (event, sender, receiver)
        for event, sender, receiver, kind in found.rows("transmissions", "event", "sender", "receiver", "kind")
        if kind == "event"
    )
    lives = Counter(name for (name,) in found.rows("processes", "name"))
    return [
        f"{event} went {one}>{other} {count} times"
        for (event, one, other), count in copies.items()
        if count > lives[one]
    ]


def the_living_acknowledge(case, found):
    """An event is acknowledged by a broker that is up; what is on disk is still acknowledged at the instant of a failure."""
    down = _outages(found)
    return [
        f"{event} was acknowledged at {at} by {home}, which was down"
        for event, home, _, at in _publications(case, found)
        if at is not None and any(low < at < high for low, high in down[home])
    ]


def memory_dies_with_the_process(case, found):
    """What a publisher handed to a broker before its crash is neither acknowledged nor sent on after it; unless it was kept."""
    if keeps(case) or bypasses(case):  # led aside, it may come through there once more
        return []
    sent = defaultdict(list)
    for event, sender, at, kind in found.rows("transmissions", "event", "sender", "sent_ns", "kind"):
        if kind == "event":
            sent[event, sender].append(at)
    down, sentences = _outages(found), []
    for event, home, published, at in _publications(case, found):
        later = [instant for instant in (at, *sent[event, home]) if instant is not None]
        for low, high in down[home]:
            if published < low and any(high < instant for instant in later):
                sentences.append(f"{event} came out of {home}, which had crashed meanwhile")
    return sentences


def calm_worlds_lose_nothing(case, found):
    """Where nothing fails, everything wanted is shown, unless its lifetime was over or its subscriber about to go."""
    if case.temper != "calm":
        return []
    return _losses(case, found, since=0)


def healed_worlds_lose_nothing_more(case, found):
    """After everything is repaired, renewed interests catch again all that is published in the last quarter."""
    if case.temper != "healed":
        return []
    return _losses(case, found, since=case.world.duration_ns * 3 // 4)


def nothing_acknowledged_is_lost(case, found):
    """Where brokers keep what they acknowledge, everything wanted is shown that did not expire before."""
    lost = found.report.total("acknowledged_lost")
    return [f"{lost} acknowledged events were lost"] if keeps(case) and lost else []


def nobody_owes_anything(case, found):
    """In the end every broker has got rid of what it kept."""
    return [f"{name} still owes events" for name, host in found.simulated.hosts.items() if host.machine.holds]


def interests_become_effective(case, found):
    """In calm and healed worlds every interest that had the time for it is effective in the end."""
    if case.temper == "rough":
        return []
    end = case.world.duration_ns * 3 // 4
    return [
        f"{name} asked at {requested} and was never effective"
        for name, requested, effective, until in found.rows(
            "interests", "subscriber", "requested_ns", "effective_ns", "until_ns"
        )
        if effective is None and until is None and requested < end
    ]


def effective_means_known(case, found):
    """When an interest is called effective, every broker that could be reached really sends what it wants its way."""
    if roams(case):
        return []  # an interest is effective when a client's home knows it, wherever the client is
    if case.temper != "calm" and case.world.reliability.mechanism in ("periodic", "bypass"):
        return []  # what is soft may be forgotten before the news of it arrives
    return [f"{one.subscriber} was not known to {one.broker}: {one.event}" for one in found.simulated.notes.premature]


def tables_are_right_in_the_end(case, found):
    """When the world has come to rest, events go to those who want them and nowhere else, wherever published."""
    if case.temper == "rough" or roams(case):
        return []
    watched, sentences = found.simulated, []
    watched.settle_down(10 * SECOND)
    there = [one.subscriber for one in watched.clients.interests.values() if one.until_ns is None]
    wanting = defaultdict(set)
    for subscriber in there:
        for event in watched.wanted_samples(subscriber):
            wanting[event.id].add(subscriber.id)
    for event in watched.samples:
        for broker in case.world.brokers:
            names, idle = watched.shown_to(event, broker.id)
            if names != wanting[event.id]:
                wrong = sorted(names ^ wanting[event.id])
                sentences.append(f"{event.topic} x={event.attributes['x']} from {broker.id}: wrong for {wrong}")
            sentences += [f"{event.topic} x={event.attributes['x']} goes {one}>{other} in vain" for one, other in idle]
    return sentences


CHECKS = (
    no_duplicates,
    nothing_unexpected,
    outcomes_add_up,
    publishers_keep_their_order,
    positions_count_up,
    events_go_one_way,
    copies_are_not_multiplied,
    the_living_acknowledge,
    memory_dies_with_the_process,
    calm_worlds_lose_nothing,
    healed_worlds_lose_nothing_more,
    nothing_acknowledged_is_lost,
    nobody_owes_anything,
    interests_become_effective,
    effective_means_known,
    tables_are_right_in_the_end,
)


def keeps(case):
    """True when what brokers acknowledge survives."""
    return case.world.reliability.mechanism in ("buffering", "bypass+buffering")


def roams(case):
    """True when clients roam."""
    return case.world.map is not None


def bypasses(case):
    """True when events are led around what has failed."""
    return case.world.reliability.mechanism in ("bypass", "bypass+buffering")


def keeps_order(case):
    """True when no link lets packets overtake each other."""
    laws = [link.law for link in case.world.links]
    laws += [one.link for one in (*case.world.publishers, *case.world.subscribers) if one.link is not None]
    steady = case.faults.packets.reorder == 0 and case.faults.packets.spike == 0
    return all(law.fifo or (steady and (law.delay is None or isinstance(law.delay, Constant))) for law in laws)


def sightings_of(case, found):
    """What a campaign must have come across to mean anything, by name."""
    world, totals = case.world, found.totals()
    seen = Counter({name: count for name, count in totals.items() if name not in ("duplicates", "unexpected")})
    seen.update(reason for (reason,) in found.rows("drops", "reason"))
    interests = found.rows("interests", "requested_ns", "effective_ns", "until_ns")
    seen["joined later"] = sum(requested > 0 and effective is not None for requested, effective, _ in interests)
    seen["never effective"] = sum(effective is None for _, effective, _ in interests)
    seen["left"] = sum(until is not None for *_, until in interests)
    seen["several trees"] = len(world.trees) > 1
    seen["clients on links"] = any(one.link is not None for one in world.subscribers)
    seen["order could be judged"] = keeps_order(case) and found.report.fifo_chances > 0
    seen["never acknowledged"] = sum(at is None for (at,) in found.rows("publications", "acknowledged_ns"))
    for value in (case.temper, world.reliability.mechanism, world.reliability.expired):
        seen[value] += 1
    seen["led aside"] = _led_aside(found) if bypasses(case) else 0
    if roams(case):
        seen.update(found.simulated.notes.branches)
        seen["roaming publishers"] = sum(
            one.mobility is not None and one.id in {other.id for other in world.publishers} for one in world.subscribers
        )
        down = _outages(found)
        seen["crashes under a guest"] = sum(
            low <= now < high for now, broker in found.simulated.notes.gone for low, high in down[broker]
        )
    seen["compiled"] = found.simulated._flow is not None
    return +seen


def _led_aside(found):
    """Copies of events on links that their tree does not use."""
    topics = dict(found.rows("publications", "event", "topic"))
    trees = {topic: tree for tree in found.simulated.world.trees for topic in tree.topics}
    links = {tree.name: {frozenset(link) for link in tree.links} for tree in trees.values()}
    return sum(
        kind == "event" and frozenset((one, other)) not in links[trees[topics[event]].name]
        for event, one, other, kind in found.rows("transmissions", "event", "sender", "receiver", "kind")
    )


def _outages(found):
    down = defaultdict(list)
    for name, kind, low, high in found.rows("outages", "component", "kind", "down_ns", "up_ns"):
        if kind == "broker":
            down[name].append((low, high))
    return down


def _publications(case, found):
    """Event, home, instants published and acknowledged, of publishers that are with their broker."""
    roaming = {one.id for one in case.world.subscribers if one.mobility is not None}
    homes = {one.id: one.broker for one in case.world.publishers if one.link is None and one.id not in roaming}
    for event, publisher, published, at in found.rows(
        "publications", "event", "publisher", "published_ns", "acknowledged_ns"
    ):
        if publisher in homes:
            yield event, homes[publisher], published, at


def _losses(case, found, *, since):
    """Wanted events without lifetime that were never shown, of subscribers who stayed until they could have been."""
    watched, patience = found.simulated, FOREVER if _has_queues(case.world) else FLIGHT_NS
    shown = set(found.rows("deliveries", "event", "subscriber"))
    publications = found.rows("publications", "event", "topic", "published_ns", "expires_ns", "attributes")
    sentences = []
    for name, interest in watched.clients.interests.items():
        wanted = {(one.topic, one.attributes["x"]) for one in watched.wanted_samples(interest.subscriber)}
        begins = FOREVER if interest.effective_ns is None else max(since, interest.effective_ns)
        ends = FOREVER if interest.until_ns is None else interest.until_ns - patience
        sentences += [
            f"{event} on {topic} never came to {name}"
            for event, topic, published, expires, attributes in publications
            if (topic, int(dict(attributes)["x"])) in wanted
            and begins <= published < ends
            and expires is None
            and (event, name) not in shown
        ]
    return sentences


def _has_queues(world):
    return any(one.service for one in world.brokers) or any(link.law.bandwidth_bps for link in world.links)
