"""``macsql settings``: every setting, its value, and where that came from."""

from dataclasses import fields
from typing import Any

from macsql.cli.exits import ANSWERED
from macsql.cli.show import Screen
from macsql.cli.streams import writing
from macsql.config import Settings, config_file, load_settings
from macsql.database import Result
from macsql.records import hide_password


def print_settings() -> int:
    """List every setting with its value and where that came from."""
    loaded = load_settings()
    rows = tuple(
        (f.name, _shown(getattr(loaded.settings, f.name)), loaded.sources[f.name], _meaning(f))
        for f in fields(Settings)
    )
    with writing():
        screen = Screen()
        screen.table(Result(("setting", "value", "from", "meaning"), ("str",) * 4, rows), limit=200)
    screen.note(f"settings file: {config_file()}")
    return ANSWERED


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return hide_password(str(value)) or "-"


def _meaning(entry: Any) -> str:
    return str(entry.metadata["meaning"])
