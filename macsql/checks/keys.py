"""Keys as what they are: which columns identify rows, and where they lead; sums of them."""

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from macsql.checks.edits import Fix
from macsql.checks.joins import Link, links
from macsql.checks.names import words
from macsql.checks.problems import Problem
from macsql.checks.scopes import Resolution, Use
from macsql.checks.text import Edit, Statement, closing_parenthesis, span, token_at
from macsql.message import Finding
from macsql.schema import Schema, Table

_IDENTIFIERS = frozenset({"identifier", "code", "key", "number", "num", "no", "nr", "nbr"})


def summed_keys(statement: Statement, resolution: Resolution, schema: Schema) -> Iterator[Problem]:
    """SUM of an identifier, which has no meaning: rows were to be counted."""
    by_column = {id(u.column): u for u in resolution.uses}
    for scope in resolution.scopes:
        for node in scope.select.find_all(exp.Sum):
            use = by_column.get(id(_summed(node)))
            if use is not None and use.scope is scope and _is_identifier(use, schema):
                finding = _finding(use, schema)
                if isinstance(node.parent, exp.Window):  # a number for each row is no count
                    finding = replace(finding, severity="warning")
                yield Problem(finding, scope, (use,), node=node)


def _finding(use: Use, schema: Schema) -> Finding:
    if _says_identifier(use, schema):
        message = f"{use.name} identifies rows: its sum means nothing"
        return Finding("summed-key", "error", message, "count rows with COUNT(*)")
    message = f"{use.name} is a key: its sum means nothing, unless it is an amount as well"
    return Finding("summed-key", "warning", message, "count rows with COUNT(*) if it is none")


def _says_identifier(use: Use, schema: Schema) -> bool:
    """Whether the name of a key says that it identifies, by itself or by the table it leads to."""
    last = words(use.name)[-1]
    if last in _IDENTIFIERS or last.endswith("id"):
        return True
    table = use.relation.table if use.relation else None
    links = targets(table, use.name, schema) if table else []
    return any(set(words(link.right)) <= set(words(use.name)) for link in links)


def summed_key_fixes(problem: Problem, statement: Statement) -> list[Fix]:
    """COUNT in place of SUM."""
    node, column = problem.node, problem.uses[0].column
    place, inner = span(node), _argument(statement, node)
    if not problem.is_error or place is None or inner is None:
        return []
    name = statement.sql[place[0] : place[0] + 3]
    if not isinstance(node, exp.Sum) or name.upper() != "SUM":
        return []
    edits = [Edit(place[0], place[0] + 3, "COUNT")]
    if not isinstance(node.this, exp.Distinct):
        edits.append(Edit(*inner, "*"))
    return [Fix(tuple(edits), 0.5, f"counted rows in place of adding up {column.sql()}")]


def _argument(statement: Statement, call: exp.Expr | None) -> tuple[int, int] | None:
    """What stands between the parentheses of a call; the tree has lost a sign before a column."""
    place = span(call)
    index = token_at(statement, place[0]) if place else None
    closing = closing_parenthesis(statement, index + 1) if index is not None else None
    if index is None or closing is None or closing <= index + 2:
        return None
    return statement.tokens[index + 2].start, statement.tokens[closing - 1].end + 1


def _summed(node: exp.Sum) -> exp.Expr | None:
    inner = node.this
    if isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
        inner = inner.expressions[0]
    return inner if isinstance(inner, exp.Column) else None


def _is_identifier(use: Use, schema: Schema) -> bool:
    table = use.relation.table if use.relation else None
    if table is None or len(table.primary_key) > 1:
        return table is not None and bool(targets(table, use.name, schema))
    is_primary = use.name.casefold() in {k.casefold() for k in table.primary_key}
    return is_primary or bool(targets(table, use.name, schema))


def targets(table: Table, column: str, schema: Schema) -> list[Link]:
    """The declared keys that lead from this column alone to another table."""
    return [
        link
        for link in links(schema)
        if not link.inferred
        and link.left == table.name
        and len(link.pairs) == 1
        and link.pairs[0][0].casefold() == column.casefold()
    ]
