"""Reading single options with a good sentence for what cannot be."""

import difflib
from collections.abc import Mapping, Sequence


def whole(options: Mapping[str, object], key: str, least: int, most: int, default: int | None = None) -> int:
    """The whole number at `key`, within bounds; ValueError otherwise, also where it is missing without a default."""
    value = options.get(key, default)
    if value is None:
        raise ValueError(f"{key} is missing; a whole number from {least} to {most} would be right")
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{key} = {value!r} must be a whole number from {least} to {most}")
    return value


def name_list(key: str, value: Sequence[object], most: int) -> tuple[str, ...]:
    """Names, at least one, none twice; ValueError otherwise."""
    if not 1 <= len(value) <= most:
        raise ValueError(f"{key} has {len(value)} names; 1 to {most} would be right")
    names: dict[str, None] = {}
    for name in value:
        if not isinstance(name, str) or not name:
            raise ValueError(f"{key} holds {name!r}, which is no name")
        if name in names:
            raise ValueError(f"{key} names {name} twice")
        names[name] = None
    return tuple(names)


def unknown_key(owner: str, key: str, known: Sequence[str]) -> ValueError:
    """The error for a key that `owner` does not have, with the nearest one that it has."""
    close = difflib.get_close_matches(key, known, n=1)
    hint = f'did you mean "{close[0]}"?' if close else f"there are {', '.join(known)}"
    return ValueError(f"{owner} has no option {key!r}; {hint}")
