"""Who may see what: for each role its tables, columns, masks and rows, from YAML or from Python.

What is not allowed does not exist for the caller. A file looks like this:

    roles:
      clerk:
        parameters: {user_region: text}
        tables:
          customers:
            hide: [ssn]                                       # or columns: [id, name, email]
            masks: {email: "substr(email, 1, 1) || '***'"}
            rows: region = :user_region
          orders: all
          "report_*": all
      auditor:
        tables: all
        hide: [salaries]
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml

from macsql.errors import ConfigError

__all__ = ["Parameter", "Policy", "Role", "TableRule", "ascii_folded"]

Parameter = str | int | float | bool | Decimal | None | Sequence[str | int | float | Decimal]
"""A value that the caller brings to a row filter; a sequence stands for the list behind IN."""

Mask = str | int | float | bool | None

_TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "integer": (int,),
    "number": (int, float, Decimal),
    "boolean": (bool,),
}


@dataclass(frozen=True, slots=True)
class TableRule:
    """What of one table is shown.

    ``columns`` are the ones allowed (None: all), ``hide`` those taken from them. ``masks`` gives
    for a column what is shown instead: an SQL expression over the row, or None, a number or a
    truth value. ``rows`` is the condition that a row has to meet. A view shows what the policy
    leaves of the tables it reads; a ``trusted`` one reads them whole.
    """

    columns: tuple[str, ...] | None = None
    hide: tuple[str, ...] = ()
    masks: Mapping[str, Mask] = field(default_factory=dict)
    rows: str = ""
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class Role:
    """The tables of one role. A key of ``tables`` is a name or a pattern with ``*``: the exact name
    counts before patterns, and ``hide`` (names or patterns) before both.

    ``parameters`` are names of parameters with their types: text, integer, number or boolean.
    """

    tables: Mapping[str, TableRule]
    hide: tuple[str, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)

    def rule(self, table: str) -> TableRule | None:
        """What is shown of the table or view of that name; None when it is not allowed.

        >>> role = Role({"*": TableRule()}, hide=("secret_*",))
        >>> role.rule("orders") is None, role.rule("Secret_Plans") is None
        (False, True)
        """
        name = ascii_folded(table)
        if any(fnmatchcase(name, ascii_folded(pattern)) for pattern in self.hide):
            return None
        folded = {ascii_folded(key): rule for key, rule in self.tables.items()}
        if name in folded:
            return folded[name]
        return next((rule for key, rule in folded.items() if fnmatchcase(name, key)), None)

    def names_exactly(self, table: str) -> bool:
        """Whether the rule of the table is written under its name, not under a pattern."""
        return ascii_folded(table) in map(ascii_folded, self.tables)

    def patterns(self) -> list[tuple[str, TableRule]]:
        """The patterns among the keys, folded, with their rules."""
        return [(ascii_folded(key), rule) for key, rule in self.tables.items() if _is_pattern(key)]

    def names(self) -> list[str]:
        """The names, not patterns, that have to be there."""
        return [name for name in (*self.tables, *self.hide) if not _is_pattern(name)]


@dataclass(frozen=True, slots=True)
class Policy:
    """Roles by name.

    >>> policy = Policy.of({"roles": {"guest": {"tables": ["film"]}}})
    >>> policy.role("guest").rule("actor") is None
    True
    """

    roles: Mapping[str, Role]

    @classmethod
    def read(cls, path: str | Path) -> "Policy":
        """The policy in a YAML file. Raises ConfigError when it cannot be read or is not right."""
        file = Path(path)
        try:
            content = yaml.load(file.read_text(encoding="utf-8-sig"), Loader=_Loader)
        except OSError as error:
            raise ConfigError(
                f"The policy {file} cannot be read: {error.strerror or error}."
            ) from error
        except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
            mark = getattr(error, "problem_mark", None)
            where = f" near line {mark.line + 1}" if mark else ""
            raise ConfigError(f"The policy {file} is not valid YAML{where}.") from error
        return cls.of(content, name=str(file))

    @classmethod
    def of(cls, content: object, *, name: str = "policy") -> "Policy":
        """The policy in plain data of the file's form. Raises ConfigError when it is not right."""
        roles = _mapping(_only(content, name, {"roles"}).get("roles"), f"{name}: roles")
        return cls({str(role): _role(told, f"{name}: {role}") for role, told in roles.items()})

    def role(self, name: str | None) -> Role:
        """The role of that name. Raises ConfigError when there is none."""
        if name is None:
            raise ConfigError("A policy needs to know who asks: give the role.")
        if name not in self.roles:
            raise ConfigError(f"The policy has no role {name!r}.")
        return self.roles[name]


def ascii_folded(name: str) -> str:
    """``name`` as SQLite compares names: only the letters A to Z have another case.

    >>> ascii_folded("ÄSOP")
    'Äsop'
    """
    return "".join(c.lower() if c.isascii() else c for c in name)


def check_parameters(role: Role, given: Mapping[str, Parameter]) -> None:
    """Raises ConfigError when a declared parameter is missing, or has another type."""
    for name, kind in role.parameters.items():
        if name not in given:
            raise ConfigError(f"The policy needs the parameter {name!r}: give its value.")
        value = given[name]
        values = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        for single in values:
            is_right = isinstance(single, _TYPES[kind]) and (
                kind == "boolean" or not isinstance(single, bool)
            )
            if not is_right and single is not None:
                raise ConfigError(f"The parameter {name!r} of the policy must be of type {kind}.")


def convert_parameters(role: Role, written: Mapping[str, str]) -> dict[str, Parameter]:
    """Parameters that came as text, as the types that the role declares; others stay text.

    Raises ConfigError when a text is not of the type.

    >>> role = Role({}, parameters={"team": "integer"})
    >>> convert_parameters(role, {"team": "7", "region": "north"})
    {'team': 7, 'region': 'north'}
    """
    return {
        name: _converted(name, text, role.parameters.get(name, "text"))
        for name, text in written.items()
    }


def _converted(name: str, text: str, kind: str) -> Parameter:
    try:
        if kind == "boolean":
            return {"true": True, "false": False}[text.strip().casefold()]
        if kind == "integer":
            return int(text)
        return float(text) if kind == "number" else text
    except (ValueError, KeyError):
        raise ConfigError(f"The parameter {name!r} of the policy must be of type {kind}.") from None


class _Loader(yaml.SafeLoader):
    """Plain data only; a name that comes twice is an error: one of its rules would be lost."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for place, key in enumerate(keys):
            if key in keys[:place]:
                raise yaml.MarkedYAMLError(
                    problem="found twice", problem_mark=node.value[place][0].start_mark
                )
        return super().construct_mapping(node, deep)


def _role(told: object, where: str) -> Role:
    entries = _only(told, where, {"tables", "hide", "parameters"})
    tables = entries.get("tables")
    if tables == "all":
        rules = {"*": TableRule()}
    elif isinstance(tables, list):
        rules = {name: TableRule() for name in _names(tables, f"{where}: tables")}
    else:
        rules = {
            str(name): _rule(rule, f"{where}: {name}")
            for name, rule in _mapping(tables, f"{where}: tables").items()
        }
    if len(set(map(ascii_folded, rules))) < len(rules):
        raise ConfigError(f"{where}: a table is named twice.")
    parameters = _mapping(entries.get("parameters") or {}, f"{where}: parameters")
    for name, kind in parameters.items():
        if kind not in _TYPES:
            raise ConfigError(f"{where}: the type of {name!r} must be one of {', '.join(_TYPES)}.")
    return Role(
        rules,
        _names(entries.get("hide") or [], f"{where}: hide"),
        {str(name): kind for name, kind in parameters.items()},
    )


def _rule(told: object, where: str) -> TableRule:
    if told == "all":
        return TableRule()
    entries = _only(told, where, {"columns", "hide", "masks", "rows", "trusted"})
    columns = entries.get("columns")
    masks = _mapping(entries.get("masks") or {}, f"{where}: masks")
    rows, trusted = entries.get("rows", ""), entries.get("trusted", False)
    if not isinstance(rows, str) or not isinstance(trusted, bool):
        raise ConfigError(f"{where}: rows must be a text, and trusted true or false.")
    for name, mask in masks.items():
        if not isinstance(mask, str | int | float | None):
            raise ConfigError(f"{where}: the mask of {name} must be SQL, a number or null.")
    return TableRule(
        None if columns is None else _names(columns, f"{where}: columns"),
        _names(entries.get("hide") or [], f"{where}: hide"),
        {str(name): mask for name, mask in masks.items()},
        rows.strip(),
        trusted,
    )


def _only(told: object, where: str, known: set[str]) -> dict[str, Any]:
    entries = _mapping(told, where)
    if unknown := [str(name) for name in entries if name not in known]:
        raise ConfigError(
            f"{where}: there is no {unknown[0]!r} here; known are {', '.join(sorted(known))}."
        )
    return entries


def _mapping(told: object, where: str) -> dict[str, Any]:
    if not isinstance(told, dict):
        raise ConfigError(f"{where} must be a mapping of names.")
    return told


def _names(told: object, where: str) -> tuple[str, ...]:
    if not isinstance(told, list | tuple) or not all(isinstance(n, str) for n in told):
        raise ConfigError(f"{where} must be a list of names.")
    return tuple(told)


def _is_pattern(name: str) -> bool:
    return any(c in name for c in "*?[")
