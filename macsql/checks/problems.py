"""What is wrong with the names of a query: tables, columns, qualifiers, quotes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from macsql.checks.names import nearest, words
from macsql.checks.resolve import is_other_case
from macsql.checks.scopes import Relation, Resolution, Scope, Status, Use, star_qualifier
from macsql.checks.text import SQLITE_RESERVED, Statement, quote, span
from macsql.message import Finding
from macsql.schema import Schema, Table


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A finding together with the places of the tree that it is about."""

    finding: Finding
    scope: Scope | None = None
    uses: tuple[Use, ...] = ()
    relation: Relation | None = None
    node: exp.Expr | None = None

    @property
    def is_error(self) -> bool:
        """Whether the statement is certain to fail or to mean something else."""
        return self.finding.severity == "error"


def name_problems(statement: Statement, resolution: Resolution, schema: Schema) -> list[Problem]:
    """Every name that is not what it should be."""
    problems = list(_tables(statement, resolution, schema))
    for uses in _alike(resolution.uses):
        if problem := _column(uses, statement.dialect, schema):
            problems.append(problem)
    problems += _stars(resolution)
    problems += _shared_columns(resolution)
    problems += _reserved(statement)
    return problems


def _alike(uses: Iterable[Use]) -> list[tuple[Use, ...]]:
    """References that say the same thing in the same scope, together: they share a cure."""
    groups: dict[tuple[int, Status, str, str], list[Use]] = {}
    for use in uses:
        key = (id(use.scope), use.status, use.qualifier.casefold(), use.name.casefold())
        groups.setdefault(key, []).append(use)
    return [tuple(group) for group in groups.values()]


# Tables -----------------------------------------------------------------------------------


def _tables(statement: Statement, resolution: Resolution, schema: Schema) -> Iterator[Problem]:
    for scope in resolution.scopes:
        for relation in scope.relations:
            if relation.unknown:
                names = [*(t.name for t in schema.tables), *scope.ctes]
                name = relation.node.name
                finding = Finding(
                    "unknown-table",
                    "error",
                    f"no such table: {name}",
                    _did_you_mean(n for n, _ in nearest(name, names))
                    or _listing("tables: ", (t.name for t in schema.tables)),
                    span(relation.node),
                )
                yield Problem(finding, scope, relation=relation)
            elif is_other_case(relation, statement.dialect) and relation.table:
                finding = _case_finding(relation.node.name, relation.table.name, statement.dialect)
                yield Problem(finding, scope, relation=relation)


# Columns ----------------------------------------------------------------------------------


def _column(uses: tuple[Use, ...], dialect: str, schema: Schema) -> Problem | None:
    use = uses[0]
    if use.status is Status.FOUND:
        finding = _accidental_correlation(use)
    elif use.status is Status.TEXT:
        finding = _quoted_text(use)
    elif use.status is Status.AMBIGUOUS:
        finding = _ambiguous(use)
    elif use.status is Status.CASE and use.relation and use.relation.table:
        stored = use.relation.table.column(use.name)
        finding = _case_finding(use.name, stored.name if stored else use.name, dialect)
    elif use.status is Status.NO_QUALIFIER:
        finding = _no_qualifier(use, schema)
    elif use.status in (Status.MISSING, Status.NOT_IN_QUALIFIER):
        finding = _missing(use, schema)
    else:
        return None
    if finding is None:
        return None
    placed = Finding(
        finding.code, finding.severity, finding.message, finding.hint, span(use.column)
    )
    return Problem(placed, use.scope, uses, use.relation)


def _missing(use: Use, schema: Schema) -> Finding:
    written = f"{use.qualifier}.{use.name}" if use.qualifier else use.name
    where = f"{_title(use.relation)} has no column {use.name}" if use.relation else ""
    in_scope = relations_with(use)
    if in_scope and use.qualifier:
        hint = _listing("write ", (f"{r.name}.{use.name}" for r in in_scope), " or ")
        return Finding("wrong-qualifier", "error", where, hint)
    owners = tables_with(schema, use.name)
    if owners:
        hint = _listing(f"{use.name} is a column of ", (t.name for t in owners), ", ")
        message = where or f"no table of this query has a column {use.name}"
        return Finding("unjoined-table", "error", message, f"{hint}: join it")
    hint = _did_you_mean(_nearest_columns(use, schema))
    if not hint and is_compared(use):
        hint = f"if it is text, write '{use.name}'"
    return Finding("unknown-column", "error", where or f"no such column: {written}", hint)


def _no_qualifier(use: Use, schema: Schema) -> Finding:
    message = f"{use.qualifier} is not a table or alias of this query"
    table = schema.table(use.qualifier)
    if table is not None and table.column(use.name):
        return Finding("unjoined-table", "error", message, f"join {table.name}")
    in_scope = relations_with(use)
    if in_scope:
        hint = _listing("write ", (f"{r.name}.{use.name}" for r in in_scope), " or ")
        return Finding("wrong-qualifier", "error", message, hint)
    owners = tables_with(schema, use.name)
    if owners:
        hint = _listing(f"{use.name} is a column of ", (t.name for t in owners), ", ")
        return Finding("unjoined-table", "error", message, f"{hint}: join it")
    hint = _did_you_mean(_nearest_columns(use, schema))
    return Finding("unknown-column", "error", f"{message}, and no table has {use.name}", hint)


def _ambiguous(use: Use) -> Finding:
    written = f"{use.qualifier}.{use.name}" if use.qualifier else use.name
    owners = _listing("write ", (f"{r.name}.{use.name}" for r in use.owners), " or ")
    return Finding("ambiguous-column", "error", f"{written} is in more than one table", owners)


def _quoted_text(use: Use) -> Finding | None:
    """Text in double quotes where SQLite expects a name. Beside a comparison it is mostly meant."""
    names = [c for s in use.scope.chain() for r in s.relations for c in r.columns or ()]
    near = [name for name, _ in nearest(use.name, dict.fromkeys(names), at_least=0.8)]
    means_nothing = _means_nothing_as_text(use.column)
    written = f'"{use.name}" is no column, so SQLite reads it as text'
    same = [name for name in near if words(name) == words(use.name)]
    if same and not _may_be_text(use):
        return Finding("unknown-column", "error", written, _did_you_mean(same))
    if use.clause != "select" and not near and not means_nothing:
        return None
    text = "the same text for every row: name a column" if means_nothing else ""
    return Finding(
        "quoted-identifier-is-not-a-column",
        "warning" if use.clause == "select" or means_nothing else "hint",
        written,
        _did_you_mean(near) or text or "write text in single quotes",
    )


def _means_nothing_as_text(node: exp.Expr) -> bool:
    """Whether a text in the place of ``node`` is the same for every row, so that an order or a
    condition by it does nothing.
    """
    above = node.parent
    if isinstance(above, (exp.Ordered, exp.Group, exp.AggFunc)):
        return True
    if isinstance(above, (exp.In, exp.Between, exp.Is)):
        return above.this is node
    if not isinstance(above, (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like)):
        return False
    return isinstance(above.right if above.left is node else above.left, exp.Literal)


def _may_be_text(use: Use) -> bool:
    """Whether it stands where a text may: all but the left side of a comparison, and what is
    shown, grouped or ordered by itself or added up.
    """
    beside = use.column.parent
    if isinstance(beside, (exp.Predicate, exp.Binary)):
        return beside.this is not use.column or use.clause == "select"
    shown = (exp.Select, exp.Group, exp.Ordered, exp.Order, exp.AggFunc, exp.Distinct)
    return not isinstance(beside, shown)


def _accidental_correlation(use: Use) -> Finding | None:
    """A bare name that the sub-query's own tables lack is read from the outer query, silently."""
    if use.qualifier or not use.is_outer or use.relation is None or not use.scope.relations:
        return None
    return Finding(
        "outer-column",
        "warning",
        f"{use.name} is not a column of the sub-query's tables; it is read from "
        f"{_title(use.relation)} outside",
        f"write {use.relation.name}.{use.name} if that is meant",
    )


def _case_finding(written: str, stored: str, dialect: str) -> Finding:
    return Finding(
        "identifier-case",
        "error",
        f"{written} is not found: the stored name is {stored}, and unquoted names lose their case",
        f"write {quote(stored.rsplit('.', 1)[-1], dialect)}",
    )


# Stars and USING ----------------------------------------------------------------------------


def _stars(resolution: Resolution) -> Iterator[Problem]:
    """``T3.*`` without a T3."""
    for scope in resolution.scopes:
        for node in scope.select.expressions:
            qualifier = star_qualifier(node)
            if qualifier and scope.relation(qualifier) is None:
                message = f"{node.table} is not a table or alias of this query"
                hint = _listing("write ", (f"{r.name}.*" for r in scope.relations), " or ")
                finding = Finding("wrong-qualifier", "error", message, hint, span(node))
                yield Problem(finding, scope, node=node)


def _shared_columns(resolution: Resolution) -> Iterator[Problem]:
    """USING (x) where only one side has x."""
    for scope in resolution.scopes:
        for position, new in enumerate(scope.relations):
            join = new.node.parent
            named = join.args.get("using") or () if isinstance(join, exp.Join) else ()
            earlier = scope.relations[:position]
            if any(r.columns is None for r in [new, *earlier]):
                continue
            for column in named:
                lacking = [] if new.has(column.name) else [new]
                lacking += [] if any(r.has(column.name) for r in earlier) else earlier
                if lacking:
                    message = f"{column.name} is not a column of {_title(lacking[0])}"
                    hint = "USING needs a column of both sides: join with ON"
                    finding = Finding("using-column", "error", message, hint, span(column))
                    yield Problem(finding, scope, relation=new, node=column)


# Reserved words -----------------------------------------------------------------------------


def _reserved(statement: Statement) -> Iterator[Problem]:
    """Words that the parser takes for names and SQLite does not."""
    if statement.dialect != "sqlite" or statement.tree is None:
        return
    for node in statement.tree.find_all(exp.Identifier):
        place = span(node)
        if place is None or node.args.get("quoted") or node.name.lower() not in SQLITE_RESERVED:
            continue
        if statement.sql[place[0] : place[1]].lower() != node.name.lower():
            continue
        finding = Finding(
            "reserved-word",
            "error",
            f"{node.name} is a reserved word",
            f"write {quote(node.name, statement.dialect)}",
            place,
        )
        yield Problem(finding, node=node)


# Shared -------------------------------------------------------------------------------------


def is_compared(use: Use) -> bool:
    """Whether a bare name stands where a column is compared with a value."""
    node = use.column.parent
    if use.qualifier or use.clause not in ("where", "having", "join"):
        return False
    if use.name[:1] in ("$", "@", ":"):  # a placeholder, which is no text
        return False
    if isinstance(node, exp.In):
        return use.column is not node.this
    compared = isinstance(node, (exp.EQ, exp.NEQ, exp.Like)) and node.expression is use.column
    return compared and isinstance(node, exp.Binary) and isinstance(node.this, exp.Column)


def relations_with(use: Use) -> list[Relation]:
    """Relations that ``use`` could be given to: its own scope first, then the outer ones."""
    return [r for s in use.scope.chain() for r in s.relations if r.has(use.name)]


def tables_with(schema: Schema, column: str) -> list[Table]:
    """Tables and views that have a column of that name, ignoring case."""
    return [t for t in schema.tables if t.column(column)]


def _nearest_columns(use: Use, schema: Schema) -> list[str]:
    own = use.relation
    local = [own] if own is not None else use.scope.relations
    scored = [
        (score, f"{r.name}.{name}" if r.name else name)
        for r in local
        for name, score in nearest(
            use.name, r.columns or (), table=r.table.name if r.table else r.name
        )
    ]
    scored += [
        (score * 0.9, f"{t.name}.{name}")
        for t in schema.tables
        if all(r.table is not t for r in local)
        for name, score in nearest(use.name, (c.name for c in t.columns), table=t.name, limit=1)
    ]
    return [name for _, name in sorted(scored, key=lambda pair: -pair[0])[:3]]


def _title(relation: Relation) -> str:
    table = relation.table.name if relation.table else ""
    if not table or table.casefold() == relation.name.casefold():
        return relation.name or "the sub-query"
    return f"{relation.name} ({table})"


def _did_you_mean(names: Iterable[str]) -> str:
    return _listing("did you mean ", names, " or ", "?")


def _listing(before: str, names: Iterable[str], between: str = ", ", after: str = "") -> str:
    shown = list(dict.fromkeys(names))
    if not shown:
        return ""
    more = f" and {len(shown) - 6} more" if len(shown) > 6 else ""
    return before + between.join(shown[:6]) + more + after
