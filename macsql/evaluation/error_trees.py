"""Two statements reduced to what they read, join, ask for, group, sort and show, for comparing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import UnionType

from sqlglot import exp

from macsql.checks.resolve import resolve
from macsql.checks.scopes import Scope, Status, clauses
from macsql.checks.text import read
from macsql.schema import Schema

_TURNED: Mapping[str, str] = {"gt": "lt", "gte": "lte"}
_EITHER_WAY = (exp.EQ, exp.NEQ, exp.Add, exp.Mul, exp.And, exp.Or)
_MATCHES = frozenset({"eq", "like", "ilike", "glob"})


@dataclass(frozen=True, slots=True)
class Predicate:
    """One condition as text, also with "?" for each value or "@" for each column.

    Without its values it is the same for ``=``, LIKE and GLOB. ``columns`` are sorted.
    """

    text: str
    without_values: str
    without_columns: str
    columns: tuple[str, ...]


@dataclass(slots=True)
class Reading:
    """What a statement does, clause by clause; columns are "table.column" in lower case.

    ``columns`` leaves out those that only join. ``nested`` counts the queries inside conditions
    and expressions, but not those that only look up a key, which count as joins and in
    ``lookups``; ``ors`` counts the alternatives.
    """

    tables: Counter[str] = field(default_factory=Counter)
    columns: set[str] = field(default_factory=set)
    joins: Counter[frozenset[str]] = field(default_factory=Counter)
    outer_joins: Counter[str] = field(default_factory=Counter)
    set_operations: Counter[str] = field(default_factory=Counter)
    nested: int = 0
    lookups: int = 0
    aggregates: Counter[str] = field(default_factory=Counter)
    groups: Counter[str] = field(default_factory=Counter)
    predicates: Counter[Predicate] = field(default_factory=Counter)
    ors: int = 0
    order: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    output_shapes: list[str] = field(default_factory=list)
    output_columns: set[str] = field(default_factory=set)


def read_both(gold_sql: str, predicted_sql: str, schema: Schema) -> tuple[Reading, Reading] | None:
    """Both statements; columns that either of them joins to each other count as one.

    None when one of them cannot be read. Raises RecursionError on one nested too deeply.
    """
    trees = [_named_tree(sql, schema) for sql in (gold_sql, predicted_sql)]
    gold, predicted = trees
    if gold is None or predicted is None:
        return None
    joined = [_joins(tree) for tree in (gold, predicted)]
    names = _one_name_each(pair for found in joined for pair, _ in found)
    readings = []
    for tree, found in zip((gold, predicted), joined, strict=True):
        lookups = sum(1 for _, node in found if _looked_up(node))
        reading = Reading(joins=Counter(pair for pair, _ in found), lookups=lookups)
        _fill(reading, tree, names, {id(node) for _, node in found})
        readings.append(reading)
    return readings[0], readings[1]


def _named_tree(sql: str, schema: Schema) -> exp.Query | None:
    """The tree with each column named by its table, and aliases replaced by what they stand for."""
    parsed = read(sql, schema.dialect).tree
    if parsed is None:
        return None
    tree = parsed.copy()
    resolution = resolve(tree, schema, schema.dialect, sql)
    uses = list(resolution.uses)
    for scope in resolution.scopes:
        _spell_out_using(scope)
    for use in uses:
        if use.status is Status.TEXT:
            use.column.replace(exp.Literal.string(use.name))
            continue
        table = use.relation.table if use.relation else None
        owner = table.name if table else "" if use.relation is None else "(query)"
        use.column.set("table", exp.to_identifier(owner.casefold()) if owner else None)
        use.column.set("this", exp.to_identifier(use.name.casefold()))
    for use in uses:
        meant = use.scope.aliases.get(use.name.casefold())
        if use.status is Status.ALIAS and meant is not None and use.clause != "select":
            use.column.replace(meant.copy())
    return tree


def _spell_out_using(scope: Scope) -> None:
    """Turn each USING (a) into ON t.a = u.a."""
    for join in scope.select.args.get("joins") or ():
        shared = [name.name.casefold() for name in join.args.get("using") or ()]
        place = next((i for i, r in enumerate(scope.relations) if r.node is join.this), 0)
        for name in shared if place else ():
            first = next((r for r in scope.relations[:place] if r.has(name)), None)
            owners = [
                r.table.name.casefold() for r in (first, scope.relations[place]) if r and r.table
            ]
            if len(owners) == 2:
                left, right = (exp.column(name, owner) for owner in owners)
                join.on(exp.EQ(this=left, expression=right), copy=False)
        join.set("using", None)


def _joins(tree: exp.Query) -> list[tuple[frozenset[str], exp.Expr]]:
    """Each pair of columns of different tables that must be equal, with the condition's node."""
    found: list[tuple[frozenset[str], exp.Expr]] = []
    for node in tree.find_all(exp.EQ):
        left, right = _unwrapped(node.this), _unwrapped(node.expression)
        if isinstance(left, exp.Column) and isinstance(right, exp.Column):
            pair = frozenset({_column(left), _column(right)})
            is_on = isinstance(node.find_ancestor(exp.Join, exp.Query), exp.Join)
            if is_on or left.table != right.table:
                found.append((pair, node))
    for test in tree.find_all(exp.EQ, exp.In):
        if (columns := _looked_up(test)) is not None:
            found.append((columns, test))
    return found


def _looked_up(node: exp.Expr) -> frozenset[str] | None:
    """The two columns that ``a IN (SELECT b FROM ...)`` joins, where the query only looks up."""
    query = node.args.get("query") if isinstance(node, exp.In) else node.args.get("expression")
    inner = query.this if isinstance(query, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
        return None
    if any(inner.args.get(clause) for clause in ("group", "having", "limit", "offset", "order")):
        return None
    outer, shown = _unwrapped(node.this), _unwrapped(inner.expressions[0])
    if not isinstance(outer, exp.Column) or not isinstance(shown, exp.Column):
        return None
    is_denied = isinstance(node.find_ancestor(exp.Not, exp.Query), exp.Not)
    return None if is_denied else frozenset({_column(outer), _column(shown)})


def _one_name_each(pairs: Iterable[frozenset[str]]) -> dict[str, str]:
    """For each joined column the first name, in order of names, of all that are equal to it."""
    names: dict[str, str] = {}
    for pair in pairs:
        group = {names.get(name, name) for name in pair}
        first = min(group)
        names |= dict.fromkeys(pair, first)
        names = {name: first if now in group else now for name, now in names.items()}
    return names


def _fill(reading: Reading, tree: exp.Query, names: Mapping[str, str], joins: set[int]) -> None:
    ctes = {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
    tables = (table.name.casefold() for table in tree.find_all(exp.Table))
    reading.tables.update(name for name in tables if name not in ctes)
    reading.set_operations.update(o.key for o in tree.find_all(exp.SetOperation))
    reading.outer_joins.update(j.side.upper() for j in tree.find_all(exp.Join) if j.side)
    text = _Text(names)
    for select in tree.find_all(exp.Select):
        reading.nested += _is_nested(select, joins)
        _fill_select(reading, select, text, joins)
    shown = [_unwrapped(e) for select in _sides(tree) for e in select.expressions]
    reading.outputs = [text.of(e) for e in shown]
    reading.output_shapes = [text.of(e, hides_values=True) for e in shown]
    reading.output_columns = {c for e in shown for c in text.columns(e)}
    for query in tree.find_all(exp.Query):
        reading.order += _order(query, text)
        limits = (query.args.get(clause) for clause in ("limit", "offset"))
        reading.limits += [text.of(node) for node in limits if isinstance(node, exp.Expr)]


def _fill_select(reading: Reading, select: exp.Select, text: "_Text", joins: set[int]) -> None:
    for clause, node in clauses(select):
        for aggregate in _own(node, exp.AggFunc):
            distinct = isinstance(aggregate.this, exp.Distinct)
            reading.aggregates[aggregate.key + (" distinct" if distinct else "")] += 1
        if clause == "group":
            reading.groups.update(text.of(_meant(e, select)) for e in node.expressions)
        elif clause in ("where", "having", "join", "qualify"):
            condition = node.this if clause in ("where", "having", "qualify") else node
            for leaf in _leaves(condition):
                if id(leaf) not in joins:
                    reading.predicates.update(_predicates(leaf, text))
                    reading.columns |= set(text.columns(leaf))
            reading.ors += sum(_alternatives(node) for node in _own(condition, exp.Or | exp.In))
            continue
        reading.columns |= set(text.columns(node))


def _predicates(leaf: exp.Expr, text: "_Text") -> Iterator[Predicate]:
    if isinstance(leaf, exp.Between):
        yield _predicate(exp.GTE(this=leaf.this, expression=leaf.args["low"]), text)
        yield _predicate(exp.LTE(this=leaf.this, expression=leaf.args["high"]), text)
    elif isinstance(leaf, exp.In) and leaf.expressions and not leaf.args.get("query"):
        for value in leaf.expressions:
            yield _predicate(exp.EQ(this=leaf.this, expression=value), text)
    else:
        yield _predicate(leaf, text)


def _predicate(leaf: exp.Expr, text: "_Text") -> Predicate:
    without_values = text.of(leaf, hides_values=True)
    if leaf.key in _MATCHES:
        without_values = without_values.replace(f"{leaf.key}(", "match(", 1)
    return Predicate(
        text.of(leaf),
        without_values,
        text.of(leaf, hides_columns=True),
        tuple(text.columns(leaf)),
    )


def _order(query: exp.Query, text: "_Text") -> list[str]:
    order = query.args.get("order")
    if not isinstance(order, exp.Order):
        return []
    select = _first_select(query)
    sorted_by = []
    for term in order.expressions:
        key = _meant(term.this if isinstance(term, exp.Ordered) else term, select)
        sorted_by.append(text.of(key) + (" desc" if term.args.get("desc") else ""))
    return sorted_by


def _meant(node: exp.Expr, select: exp.Select | None) -> exp.Expr:
    """What a position such as the 2 of ORDER BY 2 stands for."""
    if select and isinstance(node, exp.Literal) and node.is_int:
        place = int(node.this) - 1
        if 0 <= place < len(select.expressions):
            return _unwrapped(select.expressions[place])
    return node


def _leaves(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The conditions that AND, OR and parentheses bind together."""
    pending = [condition]
    while pending:
        node = pending.pop()
        if isinstance(node, exp.And | exp.Or):
            pending += [node.expression, node.this]
        elif isinstance(node, exp.Paren):
            pending.append(node.this)
        else:
            yield node


def _alternatives(node: exp.Expr) -> int:
    return 1 if isinstance(node, exp.Or) else max(0, len(node.expressions) - 1)


def _own(root: exp.Expr, kind: type[exp.Expr] | UnionType) -> Iterator[exp.Expr]:
    """The nodes of that kind that do not belong to a query further inside."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, kind):
            yield node
        pending += [n for n in node.iter_expressions() if not isinstance(n, exp.Query)]


def _is_nested(select: exp.Select, joins: set[int]) -> bool:
    """Whether the query stands inside a condition or expression, not in FROM, WITH or a UNION.

    One that only joins (``joins`` has its condition) does not count.
    """
    node: exp.Expr | None = select.parent
    while isinstance(node, exp.Subquery | exp.SetOperation | exp.Paren):
        node = node.parent
    if node is None or id(node) in joins:
        return False
    return not isinstance(node, exp.From | exp.Join | exp.CTE)


def _first_select(query: exp.Expr) -> exp.Select | None:
    node: exp.Expr | None = query
    while isinstance(node, exp.SetOperation | exp.Subquery):
        node = node.this
    return node if isinstance(node, exp.Select) else None


def _sides(query: exp.Expr) -> Iterator[exp.Select]:
    """The SELECTs that a query is made of on its outside: one, or the sides of a UNION."""
    pending = [query]
    while pending:
        node = pending.pop()
        if isinstance(node, exp.SetOperation):
            pending += [node.expression, node.this]
        elif isinstance(node, exp.Subquery):
            pending.append(node.this)
        elif isinstance(node, exp.Select):
            yield node


def _unwrapped(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren | exp.Alias):
        node = node.this
    return node


def _counts_rows(node: exp.Expr) -> bool:
    """COUNT of a column, which is nearly always meant as COUNT(*)."""
    return isinstance(node, exp.Count) and isinstance(node.this, exp.Column | exp.Star)


def _in_one_order(node: exp.Expr) -> Iterable[exp.Expr]:
    """What ``node`` is made of; of ``a > b`` what makes up ``b < a``."""
    parts = node.iter_expressions()
    return reversed(list(parts)) if node.key in _TURNED else parts


def _written(node: exp.Expr) -> list[str]:
    """The words in ``node`` that are no expressions, and the marks such as DESC that are set."""
    if isinstance(node, exp.DataType):
        return [str(node.this)]
    words = (name if value is True else value for name, value in node.args.items())
    return [str(word).casefold() for word in words if isinstance(word, str)]


def _column(column: exp.Column) -> str:
    return f"{column.table}.{column.name}" if column.table else column.name


@dataclass(frozen=True, slots=True)
class _Text:
    """Expressions as text that is equal where they are, whatever their spelling."""

    names: Mapping[str, str]

    def name(self, column: exp.Column) -> str:
        name = _column(column)
        return self.names.get(name, name)

    def of(self, node: exp.Expr, *, hides_values: bool = False, hides_columns: bool = False) -> str:
        """``node`` without the insides of queries, and with "?" and "@" for what is hidden."""
        node = _unwrapped(node)
        if isinstance(node, exp.Query):
            return "(query)"
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
            return "@" if hides_columns else self.name(node)
        if isinstance(node, exp.Literal | exp.Boolean):
            return "?" if hides_values else str(node.this)
        if isinstance(node, exp.Identifier):
            return node.name.casefold()
        if _counts_rows(node):
            return "count(star())"
        inside = [
            self.of(n, hides_values=hides_values, hides_columns=hides_columns)
            for n in _in_one_order(node)
        ]
        if isinstance(node, _EITHER_WAY):
            inside.sort(key=lambda text: (text == "?", text))
        key = _TURNED.get(node.key, node.key)
        return f"{key}({', '.join([*_written(node), *inside])})"

    def columns(self, node: exp.Expr) -> list[str]:
        """The columns in ``node``, but not in a query inside it, sorted."""
        if isinstance(node, exp.Query):
            return []
        counted = {id(c.this) for c in _own(node, exp.Count) if _counts_rows(c)}
        found = (
            c for c in _own(node, exp.Column) if isinstance(c, exp.Column) and id(c) not in counted
        )
        return sorted(self.name(c) for c in found if not isinstance(c.this, exp.Star))
