"""A Paho client that waits: connects, subscribes and publishes, each until it is answered, and gathers what it is shown."""

import queue

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

PATIENCE_S = 30.0


def properties(kind, **fields):
    """Paho's properties of a packet of this kind; `user` is a list of pairs."""
    found = Properties(getattr(PacketTypes, kind))
    for name, value in fields.items():
        if name == "user":
            found.UserProperty = list(value)
        else:
            setattr(found, name, value)
    return found


class PahoGuest:
    """A context that leaves with a DISCONNECT."""

    def __init__(
        self, port, client_id="", *, version=5, clean=True, will=None, keep_alive_s=60, login=None, tls=None, **fields
    ):
        protocol = MQTTProtocolVersion.MQTTv5 if version == 5 else MQTTProtocolVersion.MQTTv311
        legacy = {} if version == 5 else {"clean_session": clean}
        self.version = version
        self.client = paho.Client(CallbackAPIVersion.VERSION2, client_id, protocol=protocol, **legacy)
        self._answers, self.messages = queue.Queue(), queue.Queue()
        self.client.on_connect = lambda _c, _d, flags, reason, props: self._answers.put((flags, reason, props))
        self.client.on_subscribe = lambda _c, _d, _m, reasons, props: self._answers.put((reasons, props))
        self.client.on_unsubscribe = lambda _c, _d, _m, reasons, _p: self._answers.put(reasons)
        self.client.on_publish = lambda _c, _d, _m, reason, _p: self._answers.put(reason)
        self.client.on_message = lambda _c, _d, message: self.messages.put(message)
        self.goodbyes = queue.Queue()
        self.client.on_disconnect = lambda _c, _d, _f, reason, _p: self.goodbyes.put(reason)
        self.client.reconnect_delay_set(PATIENCE_S, PATIENCE_S)
        if will is not None:
            self.client.will_set(**will)
        if login is not None:
            self.client.username_pw_set(*login)
        if tls is not None:
            self.client.tls_set_context(tls)
        more = {"properties": properties("CONNECT", **fields), "clean_start": clean} if version == 5 else {}
        self.client.connect("127.0.0.1", port, keep_alive_s, **more)
        self.client.loop_start()
        self.flags, self.reason, self.welcome = self._answer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.disconnect()
        self.client.loop_stop()

    def break_off(self):
        """End without a word."""
        self.client._sock.close()
        self.client._sock = None
        self.client.loop_stop()

    def _answer(self):
        return self._answers.get(timeout=PATIENCE_S)

    def subscribe(self, pattern, qos=0, *, content=None, identifier=None, **options):
        """Gives the reason codes and the properties of the SUBACK."""
        if self.version != 5:
            self.client.subscribe(pattern, qos)
            return self._answer()
        fields = {} if content is None else {"user": [("filter", content)]}
        if identifier is not None:
            fields["SubscriptionIdentifier"] = identifier
        self.client.subscribe(
            pattern, options=SubscribeOptions(qos, **options), properties=properties("SUBSCRIBE", **fields)
        )
        return self._answer()

    def unsubscribe(self, pattern):
        """Gives the reason codes."""
        self.client.unsubscribe(pattern)
        return self._answer()

    def publish(self, topic, payload=b"", qos=1, *, retain=False, **fields):
        """Gives the reason code of the acknowledgement."""
        self.send(topic, payload, qos, retain=retain, **fields)
        return self._answer()

    def send(self, topic, payload=b"", qos=1, *, retain=False, **fields):
        """Publish, and do not wait for the answer."""
        more = {"properties": properties("PUBLISH", **fields)} if self.version == 5 else {}
        self.client.publish(topic, payload, qos, retain, **more)

    def take(self, count):
        """The next so many messages."""
        return [self.messages.get(timeout=PATIENCE_S) for _ in range(count)]

    def until(self, payload):
        """The payloads that are shown before one that is known to come."""
        shown = []
        while (message := self.messages.get(timeout=PATIENCE_S)).payload != payload:
            shown.append(message.payload)
        return shown
