"""Where clients are."""

import pytest

from scenario_texts import BROKERS, PUBLISHER, SMALL, SUBSCRIBER, TOP, scenario_of, world_of
from tidings.errors import ScenarioError
from tidings.scenario.client_expansion import Clients, names_of
from tidings.scenario.client_tables import PublisherEntry
from tidings.scenario.overlay_expansion import expand_overlay
from tidings.scenario.world import LinkLaw
from tidings.vocabulary.distribution import Constant, Normal
from tidings.vocabulary.streams import Streams

SITES = "[overlay]\ngenerate = 'sites'\nsites = 3\n"
MANY = "[overlay]\ngenerate = 'line'\nbrokers = 50\n"


def clients_of(folder, text, seed=1):
    """The clients of a scenario."""
    scenario = scenario_of(folder, TOP + text)
    streams = Streams(seed)
    return Clients(scenario, expand_overlay(scenario, streams), streams)


def test_names_of_copies():
    """Numbered where there is a count, also a count of 1."""
    assert list(names_of(PublisherEntry(id="p"))) == ["p"]
    assert list(names_of(PublisherEntry(id="p", count=1))) == ["p0"]
    assert list(names_of(PublisherEntry(id="p", count=3))) == ["p0", "p1", "p2"]


def test_brokers_are_drawn_uniformly(tmp_path):
    """Over 2,000 clients and 50 brokers, each within five standard errors of 40."""
    clients = clients_of(tmp_path, MANY)
    counts = dict.fromkeys((f"b{number}" for number in range(50)), 0)
    for number in range(2000):
        counts[clients.broker_of(f"x{number}")] += 1
    assert all(abs(count - 40) < 5 * 40**0.5 for count in counts.values())


def test_who_asks_first_changes_nothing(tmp_path):
    """Each client draws from its own stream."""
    one, other = clients_of(tmp_path, MANY), clients_of(tmp_path, MANY)
    names = [f"x{number}" for number in range(20)]
    assert [one.broker_of(name) for name in names] == [other.broker_of(name) for name in names[::-1]][::-1]


def test_a_publisher_and_a_subscriber_of_one_name_are_one_client(tmp_path):
    """Given or drawn, they are at one broker."""
    both = PUBLISHER.replace('"p"', '"c"').replace('broker = "a"\n', "") + SUBSCRIBER.replace('"s"', '"c"')
    world = world_of(tmp_path, TOP + BROKERS + both)
    assert world.publishers[0].broker == world.subscribers[0].broker == "b"
    counted = both.replace('broker = "b"\n', "count = 30\n").replace('topic = "t"\n', 'topic = "t"\ncount = 30\n')
    world = world_of(tmp_path, TOP + MANY + counted)
    assert [one.broker for one in world.publishers] == [one.broker for one in world.subscribers]


@pytest.mark.parametrize(
    ("text", "key", "remedy"),
    [
        (PUBLISHER.replace('"a"', '"c"'), "publisher[0].broker", "unknown broker"),
        (PUBLISHER + SUBSCRIBER.replace('"s"', '"p"'), "subscriber[0].broker", "are one client"),
        (
            PUBLISHER + "link = { loss = 0.1 }" + SUBSCRIBER.replace('"s"', '"p"').replace('"b"', '"a"') + "link = {}",
            "subscriber[0].link",
            "one link",
        ),
    ],
)
def test_clients_that_cannot_be(tmp_path, text, key, remedy):
    """Dangling brokers, and one client in two places."""
    with pytest.raises(ScenarioError) as caught:
        clients_of(tmp_path, BROKERS + text)
    assert caught.value.key == key
    assert remedy in caught.value.remedy


def test_clients_go_round_the_sites(tmp_path):
    """In the order in which they are met."""
    world = world_of(
        tmp_path,
        TOP + SITES + PUBLISHER.replace('broker = "a"', "count = 4") + SUBSCRIBER.replace('broker = "b"', "count = 3"),
    )
    assert [one.site for one in world.publishers] == ["site0", "site1", "site2", "site0"]
    assert [one.site for one in world.subscribers] == ["site1", "site2", "site0"]


def test_sites_with_several_brokers_share_their_clients(tmp_path):
    """Round the sites, then drawn among the site's brokers."""
    text = "".join(f"[[broker]]\nid = 'b{n}'\nsite = '{'x' if n < 9 else 'y'}'\n" for n in range(10))
    clients = clients_of(tmp_path, text)
    homes = [clients.broker_of(f"c{number}") for number in range(40)]
    assert set(homes[1::2]) == {"b9"}
    assert len(set(homes[::2])) > 3


def test_near_describes_the_links_of_clients(tmp_path):
    """For each packet, or drawn once for each client; a client's own link goes before."""
    near = "near = { delay = { dist = 'normal', mean = '10ms', sd = '2ms' }, loss = 0.1 }\n"
    clients = clients_of(tmp_path, SITES + near + PUBLISHER.replace('broker = "a"\n', "") + "link = { delay = '1ms' }")
    law = LinkLaw(delay=Normal(1e7, 2e6), loss=0.1)
    assert clients.link_of("x") == law
    assert clients.link_of("p") == LinkLaw(delay=Constant(1e6), loss=0.1)
    once = clients_of(tmp_path, SITES + near.replace("sd = '2ms'", "sd = '2ms', per = 'link'"))
    assert isinstance(once.link_of("x").delay, Constant)
    assert once.link_of("x") != once.link_of("y")


def test_without_near_clients_have_no_link(tmp_path):
    """An empty table is the same."""
    assert clients_of(tmp_path, MANY).link_of("x") is None
    assert clients_of(tmp_path, SITES + "near = {}").link_of("x") is None
    assert world_of(tmp_path, SMALL).publishers[0].link is None
