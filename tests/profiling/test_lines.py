"""Lines of files: all of them once, whatever the packing and wherever a file is cut."""

import gzip
import io
import itertools
import json
import tarfile
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidings.errors import InputError
from tidings.profiling.lines import DOCUMENT_MAX, LINE_MAX, PIECE_BYTES, Piece, batches_of, first_line, lines, pieces_of


def rows(piece):
    """Place, text and reason of every line."""
    found = []
    for batch in batches_of(piece):
        found += [(row["place"], row["text"], row["reason"]) for row in batch.to_pylist()]
    return found


def texts(path, **given):
    """The texts of a file."""
    return [text for _, text, _ in rows(Piece(str(path), **given))]


def test_plain_lines(tmp_path):
    """Numbered from 1; blank ones are left out, ends of lines of every kind."""
    (tmp_path / "a.csv").write_bytes(b"x,y\r\n\n  \n1,2\r\nlast")
    assert rows(Piece(str(tmp_path / "a.csv"))) == [(1, "x,y", None), (4, "1,2", None), (5, "last", None)]


def test_a_header_is_left_out(tmp_path):
    """Of a file, and of each member of an archive; numbers stay."""
    (tmp_path / "a.csv").write_text("x,y\n1,2\n", "utf-8")
    assert rows(Piece(str(tmp_path / "a.csv"), header=True)) == [(2, "1,2", None)]
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("b.csv", "h\n1\n")
        archive.writestr("a.csv", "h\n0\n")
        archive.writestr("folder/", "")
    assert texts(tmp_path / "a.zip", header=True) == ["0", "1"]


@given(st.lists(st.binary(max_size=12).filter(lambda one: b"\n" not in one and one.strip()), max_size=30), st.data())
@settings(max_examples=60)
def test_pieces_are_the_whole(tmp_path_factory, parts, data):
    """Wherever a file is cut, each line is in one piece, once."""
    path = tmp_path_factory.mktemp("cut") / "a.csv"
    content = b"\n".join(parts) + data.draw(st.sampled_from([b"", b"\n"]))
    path.write_bytes(content)
    cuts = sorted({0, len(content), *data.draw(st.lists(st.integers(0, len(content)), max_size=4))})
    whole = texts(path, encoding="latin-1")
    cut = [
        text
        for start, end in itertools.pairwise(cuts)
        for text in texts(path, start=start, end=end, encoding="latin-1")
    ]
    assert cut == whole


def test_large_files_are_cut(tmp_path):
    """Into pieces that end where the file does; what is packed stays whole."""
    path = tmp_path / "a.csv"
    with path.open("wb") as file:
        file.truncate(PIECE_BYTES * 2 + 5)
    spans = [(piece.start, piece.end) for piece in pieces_of(path)]
    assert spans == [(0, PIECE_BYTES), (PIECE_BYTES, 2 * PIECE_BYTES), (2 * PIECE_BYTES, 2 * PIECE_BYTES + 5)]
    packed = path.rename(tmp_path / "a.csv.gz")
    assert pieces_of(packed) == [Piece(str(packed))]


def test_chunks_do_not_show(tmp_path):
    """Lines across the border of what is read at once."""
    path = tmp_path / "a.csv"
    line = "a" * 1_000_003
    path.write_text("\n".join([line] * 9), "utf-8")
    assert texts(path) == [line] * 9
    assert texts(path, start=1, end=6_000_000) == [line] * 5


def test_a_line_that_is_too_long(tmp_path):
    """It is no record; those beside it are."""
    path = tmp_path / "a.csv"
    path.write_text("a\n" + "b" * (3 * LINE_MAX) + "\nc\n", "utf-8")
    found = rows(Piece(str(path)))
    assert [(place, len(text)) for place, text, _ in found] == [(1, 1), (2, 80), (3, 1)]
    assert [reason for _, _, reason in found] == [None, f"is longer than {LINE_MAX} bytes", None]


def test_bytes_that_are_no_text(tmp_path):
    """Only their line has a reason; in another encoding they may be text."""
    path = tmp_path / "a.csv"
    path.write_bytes(b"a\ncaf\xe9\nb\n")
    assert [reason for _, _, reason in rows(Piece(str(path)))] == [None, "is not utf-8", None]
    assert texts(path, encoding="latin-1") == ["a", "caf\u00e9", "b"]
    assert [reason for _, _, reason in rows(Piece(str(path), encoding="ascii"))] == [None, "is not ascii", None]


def test_packed_files(tmp_path):
    """gzip, zip and tar; an archive's members are named."""
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"1\n2\n"))
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        for name in ("y", "x"):
            member = tarfile.TarInfo(name)
            member.size = 2
            archive.addfile(member, io.BytesIO(name.encode() + b"\n"))
    assert texts(tmp_path / "a.gz") == ["1", "2"]
    (one, other) = batches_of(Piece(str(tmp_path / "a.tar.gz")))
    assert [batch.column("file")[0].as_py().rsplit("!", 1)[1] for batch in (one, other)] == ["x", "y"]


@pytest.mark.parametrize("name", ["a.gz", "a.zip", "a.tar.gz"])
def test_half_written_files_are_refused(tmp_path, name):
    """With the name, and what to ask oneself."""
    whole = gzip.compress(bytes(range(256)) * 50)
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=rf"{name}: cannot be read to its end .* is it whole"):
        texts(tmp_path / name)
    with pytest.raises(InputError, match="cannot be read"):
        texts(tmp_path / "missing.csv")


def test_json_lists_and_lines(tmp_path):
    """Each entry of a list is a record, as each line is."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"x": 1}, "b"]), "utf-8")
    assert texts(path) == ['{"x": 1}', '"b"']
    path.write_text('{"x": 1}\n{"x": 2}\n', "utf-8")
    assert texts(path) == ['{"x": 1}', '{"x": 2}']
    path.write_text("[1, 2", "utf-8")
    with pytest.raises(InputError, match="is not JSON"):
        texts(path)


def test_a_json_list_has_a_limit(tmp_path):
    """Memory has."""
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.write(b"[")
        file.truncate(DOCUMENT_MAX + 10)
    with pytest.raises(InputError, match="one record a line"):
        texts(path)


def test_the_first_line(tmp_path):
    """For a header; nothing of an empty file."""
    path = tmp_path / "a.csv"
    path.write_text("x,y\n1,2", "utf-8")
    assert first_line(path) == "x,y"
    path.write_text("", "utf-8")
    assert first_line(path) == ""


def test_spark_reads_the_same(spark, tmp_path):
    """All files, with their names."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(f"h\n{name}\n", "utf-8")
    found = lines(spark, sorted(tmp_path.iterdir()), header=True).orderBy("text").collect()
    assert [(row["file"].rsplit("/", 1)[1], row["place"], row["text"]) for row in found] == [
        ("a.csv", 2, "a"),
        ("b.csv", 2, "b"),
    ]
