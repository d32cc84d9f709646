"""What the clients of one broker want: keys for the tables, numbers for the clients."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

_FEW: Final = 100
"""Numbers that Python sorts sooner than NumPy has begun to."""


@dataclass(slots=True)
class Waiting:
    """A wish that is not yet known everywhere: per tree the local version that must be confirmed, once there is one."""

    versions: dict[str, int | None]
    said: tuple[str, ...] | None = None
    """Who was missing when the client was last told."""


class Wishes:
    """Wishes by client and the client's own number, under keys that are used again when their wishes are taken back."""

    def __init__(self) -> None:
        self.clients: list[str] = []
        self._numbers: dict[str, int] = {}
        self._wishes_of: dict[str, int] = {}
        """How many each client has."""
        self._keys: dict[tuple[str, int], int] = {}
        self._texts: dict[int, str] = {}
        self._client_of_key = np.empty(16, np.int64)
        self._next_key = 0
        self._free_keys: list[int] = []
        self._free_numbers: list[int] = []
        self._several = False
        """Some client may have more than one wish."""

    def text(self, client: str, number: int) -> str | None:
        """The filter of a wish, None when there is no such wish."""
        key = self._keys.get((client, number))
        return None if key is None else self._texts[key]

    def add(self, client: str, number: int, text: str) -> int:
        """A new wish; returns its key."""
        key = self._new_key()
        self._keys[client, number] = key
        self._texts[key] = text
        if key == len(self._client_of_key):
            self._client_of_key = np.resize(self._client_of_key, 2 * key)
        self._client_of_key[key] = self._number(client)
        return key

    def remove(self, client: str, number: int) -> int:
        """A wish that exists is taken back; returns the key that it had."""
        key = self._keys.pop((client, number))
        del self._texts[key]
        self._wishes_of[client] -= 1
        self._free_keys.append(key)
        return key

    def forget(self, client: str) -> None:
        """The client will not come back: when it wants nothing, its number may be given to another."""
        if self._wishes_of.get(client) == 0:
            del self._wishes_of[client]
            self._free_numbers.append(self._numbers.pop(client))

    def everyone(self) -> Iterator[tuple[str, int, str]]:
        """Every wish: client, the client's number, filter."""
        for (client, number), key in self._keys.items():
            yield client, number, self._texts[key]

    def clients_of(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Numbers of the clients behind `keys`, each once."""
        numbers = self._client_of_key[keys]
        if not self._several or len(keys) < 2:
            return numbers
        if len(keys) <= _FEW:
            return np.array(sorted(set(numbers.tolist())), np.int64)
        return np.unique(numbers)

    def _new_key(self) -> int:
        if self._free_keys:
            return self._free_keys.pop()
        self._next_key += 1
        return self._next_key - 1

    def _number(self, client: str) -> int:
        number = self._numbers.get(client)
        if number is None:
            number = self._numbers[client] = self._new_number(client)
        self._wishes_of[client] = self._wishes_of.get(client, 0) + 1
        self._several |= self._wishes_of[client] > 1
        return number

    def _new_number(self, client: str) -> int:
        if self._free_numbers:
            number = self._free_numbers.pop()
            self.clients[number] = client
            return number
        self.clients.append(client)
        return len(self.clients) - 1
