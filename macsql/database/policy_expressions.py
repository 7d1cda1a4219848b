"""Masks and row filters of a policy as SQL: parsed, parameters bound, every name made certain."""

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify

from macsql.database.policy import Parameter, ascii_folded
from macsql.errors import ConfigError
from macsql.schema import Schema, Table


def condition_sql(
    text: str,
    table: Table,
    schema: Schema,
    parameters: Mapping[str, Parameter],
    *,
    where: str,
) -> str:
    """The SQL of a mask or row filter, to be used over ``FROM ... AS "table"``.

    Each column is qualified, so that no name can be caught by the statement around it; a parameter
    becomes a literal of its type. Raises ConfigError, with ``where``, when the text is not one
    expression over columns of the table, or a parameter is missing.
    """
    tree = _select(text, table, schema.dialect, where)
    _bind(tree, parameters, where)
    for source in tree.find_all(exp.Table):
        if not isinstance(source.this, exp.Identifier):
            raise ConfigError(f"{where}: only tables may be read in a sub-query.")
        if not source.db and ascii_folded(source.name) not in _cte_names(tree):
            source.set("db", exp.to_identifier("main"))
    columns = {
        ascii_folded(t.name): {ascii_folded(c.name): "VARCHAR" for c in t.columns}
        for t in schema.tables
    }
    try:
        qualified = qualify(tree, schema={"main": columns}, dialect=schema.dialect)
    except SqlglotError as error:
        said = " ".join(str(error).split())
        raise ConfigError(
            f"{where}: {said[:150]} Columns must be of the table; texts are in single quotes."
        ) from error
    return str(qualified.args["where"].this.sql(dialect=schema.dialect))


def literal_sql(value: object, dialect: str) -> str:
    """A constant as SQL.

    >>> literal_sql("O'Brien", "sqlite"), literal_sql(None, "sqlite"), literal_sql(-2.5, "sqlite")
    ("'O''Brien'", 'NULL', '(-2.5)')
    """
    return _literal(value, "the value").sql(dialect=dialect)


def _select(text: str, table: Table, dialect: str, where: str) -> exp.Select:
    """``SELECT 1 FROM table WHERE text``, and nothing more than that."""
    try:
        condition = sqlglot.parse(f"SELECT 1 WHERE {text}\n", dialect=dialect)
    except SqlglotError as error:
        raise ConfigError(f"{where}: {text!r} is not an SQL expression.") from error
    tree = condition[0] if len(condition) == 1 else None
    if not isinstance(tree, exp.Select) or {k for k, v in tree.args.items() if v} != {
        "expressions",
        "where",
    }:
        raise ConfigError(f"{where}: {text!r} is not one SQL expression.")
    source = exp.Table(
        this=exp.to_identifier(table.name, quoted=True),
        alias=exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)),
    )
    return tree.from_(source)


def _cte_names(tree: exp.Expr) -> set[str]:
    return {ascii_folded(cte.alias) for cte in tree.find_all(exp.CTE)}


def _bind(tree: exp.Expr, parameters: Mapping[str, Parameter], where: str) -> None:
    for place in list(tree.find_all(exp.Placeholder, exp.Parameter)):
        name = place.name
        if not isinstance(place, exp.Placeholder) or not name:
            raise ConfigError(f"{where}: a parameter is written :name.")
        if name not in parameters:
            raise ConfigError(f"The policy needs the parameter {name!r}: give its value.")
        value = parameters[name]
        if isinstance(value, Sequence) and not isinstance(value, str):
            _bind_list(place, value, name, where)
        else:
            place.replace(_literal(value, f"the parameter {name!r}"))


def _bind_list(place: exp.Placeholder, values: Sequence[object], name: str, where: str) -> None:
    parent = place.parent
    if not isinstance(parent, exp.In) or place not in parent.expressions:
        raise ConfigError(f"{where}: the parameter {name!r} is a list: write IN (:{name}).")
    found = [_literal(value, f"the parameter {name!r}") for value in values]
    # Nothing is in an empty list, and nothing may pass by not being in it.
    written = [found or [exp.null()] if e is place else [e] for e in parent.expressions]
    parent.set("expressions", [e for group in written for e in group])


def _literal(value: object, what: str) -> exp.Expr:
    if value is None:
        return exp.null()
    if isinstance(value, bool):
        return exp.Literal.number(int(value))
    if isinstance(value, int | float | Decimal):
        if not math.isfinite(value):
            raise ConfigError(f"{what} of the policy is not a finite number.")
        number = exp.Literal.number(str(abs(value)))
        return exp.Paren(this=exp.Neg(this=number)) if value < 0 else number
    if isinstance(value, str) and "\x00" not in value:
        return exp.Literal.string(value)
    raise ConfigError(f"{what} of the policy must be a text, a number or a truth value.")
