"""A world, saved: `scenario.toml`, long lists in Parquet files, and copies of the files that it names."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tidings.errors import InputError, WorldError
from tidings.scenario.explicit import explicit_scenario
from tidings.scenario.measured import write_measured
from tidings.scenario.parquet_lists import LENGTH_MAX, write_entries
from tidings.scenario.schema import dump_table
from tidings.scenario.toml_text import toml_text
from tidings.scenario.world import Broker, Link, NamedFile, World
from tidings.vocabulary.distribution import Empirical

FILE_NAME: Final = "scenario.toml"
_LISTS: Final = ("broker", "link", "topic", "publisher", "subscriber", "tree", "crash")


def write_world(world: World, folder: Path) -> None:
    """Write `world` into `folder`, which is made if it is missing, so that loading and expanding gives it again.

    Lists of more than 1,000 entries, and lists whose entries hold such lists, go to `scenario-<key>.parquet`.

    Raises:
        InputError: for a world that no scenario can say (a duration below a nanosecond, two files of one name).
        WorldError: when the folder or a file in it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _copy_files(world, folder)
        document = _document(world, folder)
        for key in _LISTS:
            rows = document.get(key)
            if isinstance(rows, list) and (len(rows) > LENGTH_MAX or any(_is_long(row) for row in rows)):
                name = f"scenario-{key}.parquet"
                write_entries(folder / name, rows)
                document[key] = name
        _move_points(document, folder)
        (folder / FILE_NAME).write_text(f"# {_HEADER}\n{toml_text(document)}", encoding="utf-8")
    except OSError as error:
        raise WorldError(f"{error.filename or folder}: cannot be written: {error.strerror}") from error


_HEADER: Final = "Every broker, link, client and filter as drawn; nothing is left to chance but the run itself."


def _document(world: World, folder: Path) -> dict[str, object]:
    try:
        return dump_table(explicit_scenario(world, folder / FILE_NAME))
    except ValueError as problem:
        raise InputError(f"{world.file}: this world has no scenario: {problem}") from None


def _move_points(document: dict[str, object], folder: Path) -> None:
    table = document.get("map")
    if isinstance(table, dict) and _is_long(table["points"]):
        name = "scenario-points.parquet"
        write_entries(folder / name, [{"x": x, "y": y} for x, y in table["points"]])
        table["points"] = name


def _is_long(value: object) -> bool:
    if isinstance(value, dict):
        return len(value) > LENGTH_MAX or any(_is_long(one) for one in value.values())
    if isinstance(value, list):
        return len(value) > LENGTH_MAX or any(_is_long(one) for one in value)
    return False


def _copy_files(world: World, folder: Path) -> None:
    """Files keep their names. Two that share a name can only be the same file."""
    written: dict[str, Empirical | NamedFile] = {}
    for file in _files(world):
        name = file.file if isinstance(file, Empirical) else file.name
        before = written.setdefault(name, file)
        if before is not file:
            if before != file:
                raise InputError(f"{world.file}: two different files are both called {name}; rename one of them")
            continue
        target = folder / name
        if isinstance(file, Empirical):
            write_measured(target, file)
        elif not target.exists() or not target.samefile(file.path):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.path, target)


def _files(world: World) -> Iterator[Empirical | NamedFile]:
    """Every file that the world still names, in its order."""
    for broker in world.brokers:
        yield from _empirical(broker.service and broker.service.law)
        yield from _of_outages(broker)
    for link in world.links:
        yield from _empirical(link.law.delay)
        yield from _of_outages(link)
    for publisher in world.publishers:
        if publisher.trace is not None:
            yield publisher.trace
        if publisher.profile is not None:
            yield publisher.profile.file
        else:
            for law in (publisher.every, publisher.payload, *publisher.attributes.values()):
                yield from _empirical(law)
        yield from _empirical(publisher.link and publisher.link.delay)
    for subscriber in world.subscribers:
        yield from _empirical(subscriber.link and subscriber.link.delay)
        for option in subscriber.mobility.options.values() if subscriber.mobility else ():
            if isinstance(option, NamedFile):
                yield option
            yield from _empirical(option)
    yield from _empirical(world.handoff and world.handoff.latency)


def _of_outages(component: "Link | Broker") -> Iterator[Empirical]:
    if component.outages is not None:
        yield from _empirical(component.outages.up)
        yield from _empirical(component.outages.down)


def _empirical(law: object) -> Iterator[Empirical]:
    if isinstance(law, Empirical):
        yield law
