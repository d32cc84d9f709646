"""What a monitor said, as outages and delays."""

S = 10**9
BEGIN = 1596917232


def test_outages_last_until_the_next_word(profiled):
    """Repeated words change nothing; the last outage ends with the last word."""
    found = profiled.by("components", "component")["Site A"]
    assert found["failures"] == 2
    assert found["watched_ns"] == 400 * S
    assert found["mttr_ns"] == 100 * S
    assert found["availability"] == 0.5
    spells = [row for row in profiled.stage("spells").to_pylist() if row["component"] == "Site A"]
    assert sorted((row["down_ns"] // S - BEGIN, row["up_ns"] // S - BEGIN) for row in spells) == [
        (200, 300),
        (500, 600),
    ]


def test_who_never_fails_is_there(profiled):
    """Availability 1 of the time that it was watched."""
    found = profiled.by("components", "component")
    assert "https://a.b" in found
    assert (found["https://a.b"]["failures"], found["https://a.b"]["mtbf_ns"]) == (0, None)


def test_response_times(profiled):
    """Half of them, in either spelling; those of failures do not count."""
    links = profiled.by("links", "one", "other")
    assert links["https://a.b", "monitor"]["delay_ns"] == 20_000_000
    assert (links["Site A", "monitor"]["measured"], links["Site A", "monitor"]["delay_ns"]) == (1, 40_000_000)


def test_a_sentence_that_says_nothing(profiled):
    """Is a bad row."""
    bad = [row["reason"] for row in profiled.rows("quarantine") if row["file"].endswith("status.tsv")]
    assert bad == ["does not say that something is up or down"]
