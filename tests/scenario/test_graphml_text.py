"""GraphML markup: what is read, and what is refused before it can do harm."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.scenario.graphml_text import Markup, Node, parse_markup

DATA = Path(__file__).parent / "data"


def refusal(content):
    """The sentence that refuses these bytes; a good one where they are taken."""
    try:
        parse_markup("x", content)
    except ValueError as problem:
        return str(problem)
    return "x, line 0: taken"


def parsed(body):
    """The markup of a file with this inside."""
    return parse_markup("x.graphml", f"<graphml>{body}</graphml>".encode())


def test_nodes_and_edges_in_the_order_of_the_file():
    """With a namespace, entities of XML itself, and data of other elements left alone."""
    markup = parse_markup("triangle.graphml", (DATA / "triangle.graphml").read_bytes())
    assert markup == Markup(
        nodes={
            "0": Node("Quito", "0.0", "0.0"),
            "1": Node("New  York", "0.0", "90.0"),
            "2": Node("North & Pole", "90.0", "0.0"),
        },
        edges=(("0", "1"), ("2", "1"), ("0", "2")),
    )


def test_keys_decide_what_data_mean():
    """By name in any case, for nodes or for all; keys of edges and unknown data say nothing."""
    markup = parsed(
        '<key id="a" for="node" attr.name="LATITUDE"/><key id="b" attr.name="longitude"/>'
        '<key id="c" for="edge" attr.name="label"/><key id="d" for="node" attr.name="Country"/>'
        '<graph><node id="n"><data key="a"> 1 </data><data key="b">2</data><data key="c">x</data>'
        '<data key="d">x</data><data key="zz">x</data><data>x</data></node></graph>'
    )
    assert markup.nodes == {"n": Node(None, "1", "2")}


def test_empty_data_are_no_data():
    """White space is not a label."""
    markup = parsed(
        '<key id="a" for="node" attr.name="label"/><graph><node id="n"><data key="a"> </data></node></graph>'
    )
    assert markup.nodes == {"n": Node()}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_encodings(encoding):
    """What the file declares is believed."""
    text = f'<?xml version="1.0" encoding="{encoding}"?><graphml><graph><node id="Zürich"/></graph></graphml>'
    assert list(parse_markup("x", text.encode(encoding)).nodes) == ["Zürich"]


REFUSED = [
    ("<gexf/>", "starts with <gexf>; a GraphML file starts with <graphml>"),
    ("", "not well-formed XML"),
    ("no XML", "not well-formed XML"),
    ("<graphml>\n<graph>\n</graphml>", "x.graphml, line 3: not well-formed XML (mismatched tag)"),
    ("<graphml>&bomb;</graphml>", "not well-formed XML (undefined entity)"),
    ("<!DOCTYPE graphml>\n<graphml/>", "a document type (DOCTYPE) is not read"),
    ('<!DOCTYPE g [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><graphml>&b;</graphml>', "x.graphml, line 1: a document"),
    ('<!DOCTYPE g SYSTEM "file:///etc/passwd"><graphml/>', "a document type (DOCTYPE) is not read"),
    ("<graphml><graph/><graph/></graphml>", "a second <graph>"),
    ('<graphml><graph><node id="a"><graph/></node></graph></graphml>', "a second <graph>"),
    ("<graphml><graph><hyperedge/></graph></graphml>", "<hyperedge> is not read; links join two nodes"),
    ('<graphml><graph><node id="a"><port name="p"/></node></graph></graphml>', "<port> is not read"),
    ("<graphml><graph>\n<node/></graph></graphml>", "x.graphml, line 2: <node> needs the attribute id"),
    ('<graphml><graph><node id="a"/>\n<node id="a"/></graph></graphml>', "line 2: node a is there twice"),
    ('<graphml><graph><edge source="a"/></graph></graphml>', "<edge> needs the attribute target"),
    ('<graphml><graph><edge target="a"/></graph></graphml>', "<edge> needs the attribute source"),
    ('<graphml><key for="node" attr.name="label"/></graphml>', "<key> needs the attribute id"),
]


@pytest.mark.parametrize(("text", "problem"), REFUSED)
def test_other_files_are_refused(text, problem):
    """With file and line."""
    with pytest.raises(ValueError, match=r"^x\.graphml, line \d+: ") as raised:
        parse_markup("x.graphml", text.encode())
    assert problem in str(raised.value)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content):
    """Never another error."""
    assert refusal(content).startswith("x, line")


@given(st.data())
def test_damaged_files_are_read_or_refused(data):
    """Any bytes of a good file replaced by any others."""
    content = bytearray((DATA / "parallel.graphml").read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=4)):
        content[place] = data.draw(st.integers(0, 255))
    assert refusal(bytes(content)).startswith("x, line")
