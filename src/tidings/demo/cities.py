"""An overlay between twelve trading places: who is joined to whom, and how long light in glass takes, roughly."""

from typing import Final

LINKS_MS: Final = (
    ("new-york", "chicago", 8),
    ("new-york", "toronto", 5),
    ("chicago", "toronto", 6),
    ("new-york", "london", 34),
    ("new-york", "sao-paulo", 55),
    ("london", "frankfurt", 6),
    ("frankfurt", "zurich", 3),
    ("london", "zurich", 8),
    ("frankfurt", "mumbai", 60),
    ("mumbai", "singapore", 29),
    ("singapore", "hong-kong", 17),
    ("hong-kong", "tokyo", 25),
    ("singapore", "sydney", 46),
    ("tokyo", "sydney", 52),
    ("tokyo", "chicago", 68),
)
"""Pairs of cities with the mean delay of a packet between them, one way."""
CITIES: Final = tuple(dict.fromkeys(city for one, other, _ in LINKS_MS for city in (one, other)))
