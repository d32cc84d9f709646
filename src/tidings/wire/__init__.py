"""Bytes and frames: what travels between processes, with every malformed thing told apart."""

from tidings.wire.peer_frames import Decoder, Hello, encode

__all__ = ["Decoder", "Hello", "encode"]
