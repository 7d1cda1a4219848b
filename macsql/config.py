"""Settings: name, default and meaning in one table; file, environment and flags on top of it."""

import difflib
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from macsql.errors import ConfigError

__all__ = ["Loaded", "Settings", "config_file", "load_settings"]

ENV_PREFIX = "MACSQL_"
FOLDER_VARIABLES = {
    "MACSQL_CONFIG": "the settings file read instead of the one in the user's configuration folder",
    "MACSQL_STATE_DIR": "the folder that traces are kept in",
    "MACSQL_CACHE_DIR": "the folder of downloaded weights, cached replies and value indexes",
}
"""Environment variables that say where files are; they are no settings."""

TEST_PREFIX = "MACSQL_TEST_"
"""Variables of the test suite, such as the URLs of servers to test on."""

Value = str | int | float | bool


def _setting(default: Any, meaning: str, *, low: float = -math.inf, high: float = math.inf) -> Any:
    return field(default=default, metadata={"meaning": meaning, "low": low, "high": high})


@dataclass(frozen=True, slots=True)
class Settings:
    """The table of settings. The environment variable of ``max_rows`` is ``MACSQL_MAX_ROWS``."""

    db: str = _setting("", "database asked when --db is not given: a file or a URL")
    policy: str = _setting(
        "", "access policy: a YAML file; who asks is told with --role and --param"
    )
    allowed_functions: str = _setting(
        "", "functions that SQL may call besides the listed ones: names, with commas"
    )
    model: str = _setting("local", "model that writes the SQL, such as local or openai:MODEL")
    base_url: str = _setting("", "address of an OpenAI-compatible server")
    price: str = _setting(
        "", "US dollars for a million tokens read, read from cache, and written: IN,CACHED,OUT"
    )
    context_window: int = _setting(
        0, "tokens the model can read and write at once; 0 is the model's own", low=0, high=1e9
    )
    prompts: str = _setting("default", "prompt set: a name, or a folder with a set.toml")
    examples: str = _setting(
        "fixed",
        "worked examples shown: fixed, or those that fit the question, of builtin or of a file",
    )
    timeout: float = _setting(30.0, "seconds a query may run in the database", low=0.001, high=1e6)
    connect_timeout: float = _setting(
        10.0, "seconds to wait for a database, or for another program's lock", low=0, high=1e6
    )
    max_rows: int = _setting(1000, "rows read of a result", low=1, high=10_000_000)
    max_refinements: int = _setting(
        3, "times the model may rewrite SQL that failed", low=0, high=20
    )
    candidates: str = _setting(
        "",
        "attempts at the SQL, of which the result most agree on wins: a number, or auto, which is "
        "one where there is no doubt; not given, the prompt set says",
    )
    candidate_seconds: float = _setting(
        60.0, "seconds of a question after which no further attempt is asked for", low=0, high=1e6
    )
    candidate_tokens: int = _setting(
        0,
        "tokens of a question after which no further attempt is asked for; 0 is no limit",
        low=0,
        high=1e9,
    )
    cache: bool = _setting(False, "keep the model's replies on disk and pay for each once")
    keep_traces: int = _setting(
        200, "traces of questions kept, the newest ones; 0 writes none", low=0, high=1_000_000
    )


@dataclass(frozen=True, slots=True)
class Loaded:
    """``settings``, and for each name in ``sources`` where its value came from."""

    settings: Settings
    sources: Mapping[str, str]


def load_settings(
    flags: Mapping[str, Value | None] | None = None, environ: Mapping[str, str] | None = None
) -> Loaded:
    """The settings of one command: defaults < file < environment < ``flags`` that are not None.

    Raises ConfigError for a name that does not exist or a value that it cannot have; the message
    says where it stands.
    """
    environ = os.environ if environ is None else environ
    values: dict[str, Value] = {}
    sources = {f.name: "default" for f in fields(Settings)}
    layers = [_read_file(config_file(environ)), _read_environment(environ), _read_flags(flags)]
    for layer in layers:
        for name, (value, where) in layer.items():
            values[name], sources[name] = value, where
    return Loaded(Settings(**values), sources)  # type: ignore[arg-type]


def config_file(environ: Mapping[str, str] | None = None) -> Path:
    """The settings file: ``MACSQL_CONFIG``, else config.toml in the user's own folder."""
    environ = os.environ if environ is None else environ
    if given := environ.get("MACSQL_CONFIG"):
        return Path(given).expanduser()
    from platformdirs import user_config_path

    return user_config_path("macsql", appauthor=False) / "config.toml"


_Layer = dict[str, tuple[Value, str]]


def _read_file(path: Path) -> _Layer:
    """What the file sets. A file that is not there sets nothing."""
    import tomllib

    try:
        text = path.read_text(encoding="utf-8-sig")
        entries = tomllib.loads(text)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.") from error
    layer: _Layer = {}
    for name, value in entries.items():
        where = f"{path}{_line_of(name, text)}"
        layer[name] = (_checked(name, value, where, convert=False), where)
    return layer


def _read_environment(environ: Mapping[str, str]) -> _Layer:
    layer: _Layer = {}
    for variable in sorted(environ):
        if not variable.startswith(ENV_PREFIX) or variable in FOLDER_VARIABLES:
            continue
        if variable.startswith(TEST_PREFIX) or not environ[variable]:
            continue
        name = variable.removeprefix(ENV_PREFIX).lower()
        where = f"environment variable {variable}"
        if name not in _TABLE:
            known = [*FOLDER_VARIABLES, *(ENV_PREFIX + n.upper() for n in _TABLE)]
            raise ConfigError(f"{where}: there is no such setting{_nearest(variable, known)}.")
        layer[name] = (_checked(name, environ[variable], where), where)
    return layer


def _read_flags(flags: Mapping[str, Value | None] | None) -> _Layer:
    layer: _Layer = {}
    for name, value in (flags or {}).items():
        if value is not None:
            where = "--" + name.replace("_", "-")
            layer[name] = (_checked(name, value, where), where)
    return layer


def _checked(name: str, value: object, where: str, *, convert: bool = True) -> Value:
    """``value`` as the setting's type, within its range; ``convert`` allows for text."""
    entry = _TABLE.get(name)
    if entry is None:
        raise ConfigError(f"{where}: there is no setting {name!r}{_nearest(name, list(_TABLE))}.")
    kind = type(entry.default)
    converted = _converted(value, kind) if convert and isinstance(value, str) else value
    if kind is float and isinstance(converted, int) and not isinstance(converted, bool):
        converted = float(converted)
    if type(converted) is not kind:
        raise ConfigError(f"{where}: {name} must be {_KINDS[kind]}, not {value!r}.")
    assert isinstance(converted, str | int | float)
    low, high = entry.metadata["low"], entry.metadata["high"]
    if not isinstance(converted, str) and not low <= converted <= high:
        raise ConfigError(f"{where}: {name} must be from {low:g} to {high:g}, not {value}.")
    return converted


def _converted(text: str, kind: type) -> object:
    """``text`` as a ``kind``, or as it is when it is none."""
    if kind is bool:
        return _BOOLEANS.get(text.strip().casefold(), text)
    try:
        return kind(text)
    except ValueError:
        return text


def _nearest(name: str, known: list[str]) -> str:
    """What was probably meant.

    >>> _nearest("max_row", ["model", "max_rows"])
    '; did you mean max_rows?'
    """
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]}?" if close else f"; known are {', '.join(known)}"


def _line_of(name: str, text: str) -> str:
    pattern = re.compile(rf"""^\s*(?:\[+\s*)?["']?{re.escape(name)}["']?\s*[=.\]]""")
    for number, line in enumerate(text.splitlines(), 1):
        if pattern.match(line):
            return f", line {number}"
    return ""


_TABLE = {f.name: f for f in fields(Settings)}
_KINDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_BOOLEANS = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}
