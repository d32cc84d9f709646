"""Answers who somebody is, off the loop: hashing passwords takes long on purpose, and must not keep others waiting.

One thread hashes; what queues for it is bounded, and an address that is wrong too often is not heard for a while, so that
guessing costs the guesser. What was right once is remembered under a key of this process's own, so that a thousand clients
that come back at once need no thousand hashes.
"""

import asyncio
import hmac
import os
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from tidings.runtime.accounts import Account, matches

WRONG_MAX: Final = 10
"""Wrong answers of one address in WRONG_S; then it is refused unheard."""
WRONG_S: Final = 60.0
ADDRESSES_MAX: Final = 4_096
WAITING_MAX: Final = 256
REMEMBERED_MAX: Final = 4_096

Answer = Callable[[str | None], None]


class Doorkeeper:
    """Of one process, in one loop."""

    def __init__(self, accounts: Mapping[str, Account], *, anonymous: str | None = None) -> None:
        """`anonymous`: who comes without a name; None: nobody may."""
        self.accounts, self.anonymous = dict(accounts), anonymous
        self.refused = 0
        """Wrong answers."""
        self.unheard = 0
        """Refused without being looked at."""
        self._loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="door")
        self._key = os.urandom(32)
        self._right: dict[bytes, None] = {}
        self._wrong: dict[str, deque[float]] = {}
        self._waiting = 0

    def replace(self, accounts: Mapping[str, Account], *, anonymous: str | None = None) -> None:
        """Accounts have changed: nothing that was right before is remembered."""
        self.accounts, self.anonymous = dict(accounts), anonymous
        self._right.clear()

    def ask(self, address: str, name: str | None, secret: bytes | None, answer: Answer) -> None:
        """Who is it that comes from `address`? The answer comes at once or later."""
        if name is None and secret is None:
            answer(self.anonymous)
            return
        known = hmac.digest(self._key, repr((name, secret)).encode(), "sha256")
        if known in self._right:
            answer(name)
        elif self._is_shut(address) or self._waiting >= WAITING_MAX:
            self.unheard += 1
            answer(None)
        else:
            self._waiting += 1
            asked = self._loop.run_in_executor(
                self._thread, matches, self.accounts.get(name or ""), b"" if secret is None else secret
            )
            asked.add_done_callback(partial(self._judged, address, name or "", known, answer, self._right))

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(cancel_futures=True)

    def _judged(
        self,
        address: str,
        name: str,
        known: bytes,
        answer: Answer,
        right: dict[bytes, None],
        done: "asyncio.Future[bool]",
    ) -> None:
        self._waiting -= 1
        if done.cancelled():
            return
        if done.result() and name in self.accounts:
            if len(right) >= REMEMBERED_MAX:
                right.clear()
            right[known] = None
            answer(name)
            return
        self.refused += 1
        self._note_wrong(address)
        answer(None)

    def _note_wrong(self, address: str) -> None:
        if len(self._wrong) >= ADDRESSES_MAX and address not in self._wrong:
            del self._wrong[next(iter(self._wrong))]
        self._wrong.setdefault(address, deque(maxlen=WRONG_MAX)).append(self._loop.time())

    def _is_shut(self, address: str) -> bool:
        wrong = self._wrong.get(address)
        if wrong is None or self._loop.time() - wrong[-1] > WRONG_S:
            self._wrong.pop(address, None)
            return False
        return len(wrong) == WRONG_MAX and self._loop.time() - wrong[0] < WRONG_S
