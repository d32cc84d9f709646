"""The command line of `asyncio_driver.py`."""

import argparse
import os
import signal
import threading


def _address(text: str) -> tuple[str, int]:
    name, _, port = text.partition("=")
    return name, int(port or 0)


def arguments(description: str) -> argparse.Namespace:
    """What the command line asks for; an attached process ends with its standard input from now on."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attached", action="store_true", help="end when standard input ends: outlive nobody")
    kinds = parser.add_subparsers(dest="kind")
    broker = kinds.add_parser("broker")
    broker.add_argument("name")
    broker.add_argument("--port", type=int, default=0, help="0: any free one")
    broker.add_argument("--peer", type=_address, action="append", default=[], help="NAME or NAME=PORT", metavar="PEER")
    for kind, what in (("subscribe", "FILTER"), ("publish", "EVENT")):
        client = kinds.add_parser(kind)
        client.add_argument("name")
        client.add_argument("broker", type=_address, help="NAME=PORT")
        client.add_argument("texts", nargs="+", metavar=what)
    asked = parser.parse_args()
    if asked.attached:
        threading.Thread(target=_end_with_standard_input, daemon=True).start()
    return asked


def _end_with_standard_input() -> None:
    while os.read(0, 4096):  # not sys.stdin, whose lock would be held when the process ends before it
        pass
    os.kill(os.getpid(), signal.SIGTERM)
