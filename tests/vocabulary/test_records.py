"""The schemas of the log tables, against the contract's words."""

import pyarrow as pa
import pytest

from tidings.vocabulary.records import COLUMNS, MEANINGS, TABLES

CONTRACT = {
    "publications": "event publisher incarnation topic number published_ns acknowledged_ns expires_ns attributes "
    "payload_bytes",
    "deliveries": "event subscriber incarnation position arrived_ns delivered_ns out_of_order version",
    "interests": "subscriber filter broker requested_ns effective_ns until_ns",
    "deadlines": "subscriber publisher deadline_ns",
    "transmissions": "event sender receiver attempt kind sent_ns outcome",
    "drops": "event component subscriber dropped_ns reason",
    "outages": "component kind down_ns up_ns",
    "processes": "name incarnation kind started_ns ended_ns how",
    "timestamps": "event topic number version term requested_ns stamped_ns stages entries bytes wan_hops",
}


def test_tables_and_columns_are_the_contracts_in_its_order():
    """No table or column is missing, extra or elsewhere."""
    assert {table: " ".join(schema.names) for table, schema in TABLES.items()} == CONTRACT


@pytest.mark.parametrize("table", CONTRACT)
def test_instants_are_integers_and_names_are_dictionaries(table):
    """Every `_ns` column is int64; every column of text is dictionary-encoded."""
    for field in TABLES[table]:
        if field.name.endswith("_ns"):
            assert field.type == pa.int64()
        assert field.type in (pa.int64(), pa.bool_(), pa.dictionary(pa.int32(), pa.string())) or (
            field.name == "attributes" and field.type == pa.map_(pa.string(), pa.string())
        )


def test_only_what_can_be_unknown_may_be_null():
    """The contract's nulls, and those without which a row could not be written."""
    nullable = {(table, field.name) for table, schema in TABLES.items() for field in schema if field.nullable}
    assert nullable == {
        ("publications", "acknowledged_ns"),
        ("publications", "expires_ns"),
        ("interests", "broker"),
        ("interests", "effective_ns"),
        ("interests", "until_ns"),
        ("deadlines", "publisher"),
        ("transmissions", "event"),
        ("drops", "subscriber"),
        ("outages", "up_ns"),
        ("processes", "ended_ns"),
        ("processes", "how"),
        ("timestamps", "stamped_ns"),
    }


def test_every_column_has_a_meaning_of_one_line():
    """The reference is generated from these."""
    for table, columns in COLUMNS.items():
        assert list(MEANINGS[table]) == TABLES[table].names
        assert all(column.meaning and "\n" not in column.meaning for column in columns)
