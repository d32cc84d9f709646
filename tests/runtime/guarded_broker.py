"""A broker with a config, users, rights and TLS, as an operator runs one; and a socket that says whatever a test likes."""

import contextlib
import socket
import ssl
from pathlib import Path

from runtime.certificates import Certificates
from runtime.real_broker import RealBroker
from tidings.runtime.accounts import password_account, token_account, write_accounts
from tidings.wire.mqtt_decode import MqttDecoder
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import Connack, Connect, Properties, Publish, Subscribe, TopicWish

PATIENCE_S = 30.0

CONFIG = """
tidings = 1
users = "users"
data = "data"

[[listener]]
port = 0

[[listener]]
port = 0
tls = true

[tls]
certificate = "broker.pem"
key = "broker.key"
client_ca = "ca.pem"

[[right]]
who = ["ann"]
publish = ["#"]
subscribe = ["#"]

[[right]]
who = ["bob", "desk"]
publish = ["open/#", "caf\u00e9/x"]
subscribe = ["open/#", "half/#"]
deny = ["half/secret/#", "open/hidden"]

[limits]
connections = 400
payload_bytes = 100_000
connect = "1s"
subscriptions = 50
waiting_bytes = 1_000_000
"""


class GuardedBroker(RealBroker):
    """One process with the config above; `tokens` has what users say."""

    def __init__(self, folder):
        self.folder = folder
        self.certificates = Certificates(folder)
        made = {name: token_account() for name in ("ann", "bob")}
        self.tokens = {name: token for name, (token, _) in made.items()} | {"desk": "a password"}
        self.accounts = {name: account for name, (_, account) in made.items()} | {
            "desk": password_account("a password")
        }
        write_accounts(folder / "users", self.accounts)
        self.config = folder / "broker.toml"
        self.config.write_text(CONFIG, "utf-8")
        super().__init__(self.config, port=None)

    @property
    def tls_port(self):
        """Of the second listener."""
        return self.ports[1]

    def reload(self, text=CONFIG):
        """Another config, read again."""
        self.config.write_text(text, "utf-8")
        count = self.said_again()
        self.process.send_signal(1)
        with self._said:
            assert self._said.wait_for(lambda: self.said_again() == count + 1, PATIENCE_S)

    def said_again(self):
        """How often it was told to read its config again."""
        return sum("read again" in line for line in self.lines if line)

    def rss_mib(self):
        """Memory of the process."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * 4 / 1024

    def raw(self, **options):
        """A connection that has said nothing."""
        return Raw(self.port, **options)

    def guest(self, name, client_id="", **options):
        """A connection that has said who it is, and was let in."""
        raw = self.raw()
        raw.say(Connect(client_id=client_id, user_name=name, password=self.tokens[name].encode(), **options))
        raw.welcome = raw.hear(Connack)
        assert raw.welcome.reason == 0, raw.welcome
        return raw


class Raw:
    """One socket; a context that closes it."""

    def __init__(self, port, *, source="127.0.0.1", tls=None, version=5):
        self.version = version
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE_S, (source, 0))
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        self._decoder = MqttDecoder("server", version=version)
        self._heard = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """Bytes, as they are; a broker that has gone is no error here."""
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            self.socket.sendall(data)

    def say(self, *packets):
        """Packets, in one piece."""
        self.send(b"".join(encode_packet(packet, self.version) for packet in packets))

    def hear(self, kind=None):
        """The next packet, or the next of a kind; None when the connection has ended."""
        while True:
            while self._heard:
                packet = self._heard.pop(0)
                if kind is None or isinstance(packet, kind):
                    return packet
            try:
                data = self.socket.recv(1 << 16)
            except ConnectionError:
                return None
            if not data:
                return None
            self._heard += self._decoder.feed(data)

    def rest(self):
        """Everything until the broker ends the connection."""
        packets = []
        while (packet := self.hear()) is not None:
            packets.append(packet)
        return packets

    def wants(self, pattern, qos=1, **properties):
        """Subscribe; gives the SUBACK."""
        wish = TopicWish(pattern=pattern, qos=qos)
        self.say(Subscribe(packet_id=1, wishes=(wish,), properties=Properties(**properties)))
        return self.hear()

    def publishes(self, topic, payload=b"x", **fields):
        """Publish with quality 1; gives what comes of it."""
        self.say(Publish(topic=topic, payload=payload, qos=1, packet_id=7, **fields))
        return self.hear()
