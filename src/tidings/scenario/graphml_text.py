"""GraphML markup to nodes and edges, without trusting the file: no document types, no entities, no nesting.

Only what an overlay needs is read: nodes with label and coordinates, edges with their ends. `data` elements are found
by the names that the file's own `key` elements give them, in upper or lower case.
"""

from dataclasses import dataclass, field, replace
from typing import Final, NoReturn
from xml.parsers import expat

_FIELDS: Final = ("label", "latitude", "longitude")
_PORTS: Final = frozenset({"hyperedge", "port", "endpoint"})


@dataclass(frozen=True, slots=True)
class Node:
    """A node's data as they stand in the file; None: not there."""

    label: str | None = None
    latitude: str | None = None
    longitude: str | None = None


@dataclass(slots=True)
class Markup:
    """Nodes by identifier and edges, in the order of the file."""

    nodes: dict[str, Node] = field(default_factory=dict)
    edges: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class _Reading:
    """Where the parser stands."""

    file: str
    parser: expat.XMLParserType
    markup: Markup = field(default_factory=Markup)
    edges: list[tuple[str, str]] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    """Field by key identifier."""
    path: list[str] = field(default_factory=list)
    node: str | None = None
    data: str | None = None
    """The field that the text goes to."""
    text: list[str] = field(default_factory=list)
    graphs: int = 0

    def refuse(self, problem: str) -> NoReturn:
        """Names file and line."""
        raise ValueError(f"{self.file}, line {self.parser.CurrentLineNumber}: {problem}")

    def doctype(self, *_: object) -> None:
        """No document type, thus no entities of its own."""
        self.refuse("a document type (DOCTYPE) is not read, because entities can blow up; take it out")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        name = tag.rsplit(" ", 1)[-1]
        if not self.path and name != "graphml":
            self.refuse(f"starts with <{name}>; a GraphML file starts with <graphml>")
        self.path.append(name)
        if name in _PORTS:
            self.refuse(f"<{name}> is not read; links join two nodes")
        if name == "graph":
            self.graphs += 1
            if self.graphs > 1:
                self.refuse("a second <graph>; one graph without graphs inside is needed")
        elif name == "key":
            self.start_key(attributes)
        elif name == "node":
            self.start_node(self.wanted(attributes, "node", "id"))
        elif name == "edge":
            self.edges.append((self.wanted(attributes, "edge", "source"), self.wanted(attributes, "edge", "target")))
        elif name == "data" and self.path[-2] == "node":
            self.data, self.text = self.fields.get(attributes.get("key", "")), []

    def start_key(self, attributes: dict[str, str]) -> None:
        """What a `data` element of a node will mean."""
        name = attributes.get("attr.name", "").lower()
        if name in _FIELDS and attributes.get("for", "all") in ("node", "all"):
            self.fields[self.wanted(attributes, "key", "id")] = name

    def start_node(self, identifier: str) -> None:
        """Identifiers are there once."""
        if identifier in self.markup.nodes:
            self.refuse(f"node {identifier} is there twice; every node needs its own id")
        self.markup.nodes[identifier] = Node()
        self.node = identifier

    def wanted(self, attributes: dict[str, str], element: str, name: str) -> str:
        """An attribute that must be there."""
        if name not in attributes:
            self.refuse(f"<{element}> needs the attribute {name}")
        return attributes[name]

    def characters(self, text: str) -> None:
        """Text, in pieces."""
        if self.data is not None:
            self.text.append(text)

    def end(self, _: str) -> None:
        """An element ends."""
        name = self.path.pop()
        if name == "data" and self.data is not None and self.node is not None:
            known = self.markup.nodes[self.node]
            self.markup.nodes[self.node] = replace(known, **{self.data: "".join(self.text).strip() or None})
            self.data = None


def parse_markup(file: str, content: bytes) -> Markup:
    """Nodes and edges of a GraphML file; ValueError, which names file and line, for all that is not one."""
    parser = expat.ParserCreate(namespace_separator=" ")
    reading = _Reading(file, parser)
    parser.StartDoctypeDeclHandler = reading.doctype
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.characters
    try:
        parser.Parse(content, True)
    except expat.ExpatError as problem:
        raise ValueError(
            f"{file}, line {problem.lineno}: not well-formed XML ({expat.ErrorString(problem.code)}); a GraphML file is "
            "needed"
        ) from None
    reading.markup.edges = tuple(reading.edges)
    return reading.markup
