"""What links are taken for: as they are expected to be, until their senders report what they measured."""

from tidings.routing.link_quality import LinkQuality
from tidings.routing.ways import Links
from tidings.vocabulary.frames import LinkReport


class Beliefs:
    """One broker's. `links` is replaced, never changed, when something else is believed."""

    def __init__(self, expected: Links) -> None:
        self.links: Links = expected

    def learn(self, report: LinkReport) -> bool:
        """A broker says what it measured; True when something else is believed now. Unknown links are passed over."""
        said = {
            (report.broker, neighbour): LinkQuality(float(delay_ns), ratio)
            for neighbour, delay_ns, ratio in report.links
            if (report.broker, neighbour) in self.links
        }
        if all(self.links[link] == quality for link, quality in said.items()):
            return False
        self.links = {**self.links, **said}
        return True
