"""The columns that a query shows against those that its question asks for."""

import re
from collections.abc import Iterator

from sqlglot import exp

from macsql.checks.names import nearest, words
from macsql.checks.output_shape import Output, finding
from macsql.checks.question import HOW_MANY, Question, asked_items, counted_things
from macsql.checks.text import quote, shorten
from macsql.message import Finding

_NUMBER_WORDS = ("number", "num", "count", "total", "amount", "quantity", "population", "size")
_COUNT = (
    r"how many|numbers?|nums?|count(?:s|ed|ing)?|amounts?|total|quantity|how often|frequency|"
    r"frequent(?:ly)?|times|many|popular(?:ity)?|most|fewest|least|occurrences?|common|size"
)
_AGGREGATES: dict[type[exp.Expr], tuple[str, str]] = {
    exp.Count: ("number", _COUNT),
    exp.Avg: ("average", r"averages?|averaged|avg|mean"),
    exp.Sum: (
        "total",
        r"totals?|totaled|sums?|how many|how much|numbers?|overall|altogether|all|combined|whole|"
        r"entire|amounts?|count|most|least",
    ),
    exp.Max: (
        "maximum",
        r"max|maximum|maximal|most|\w+est|best|top|last|upper|peak|first|recent|recently|range|more",
    ),
    exp.Min: (
        "minimum",
        r"min|minimum|minimal|least|\w+est|worst|first|last|fewest|bottom|range|less|recent",
    ),
}
_SHARE = ("percentage", "percent", "proportion", "ratio", "rate", "pct")
_NUMBER_OF = frozenset({"number", "num", "no", "nr", "of", "total", "count", "cnt"})
_ID_WORDS = frozenset({"id", "code", "number", "key", "no", "ssn", "identifier"})
_ORDINALS = frozenset(
    [
        "season",
        "week",
        "round",
        "episode",
        "floor",
        "level",
        "rank",
        "position",
        "semester",
        "quarter",
        "version",
        "period",
        "stage",
        "line",
        "chapter",
        "volume",
        "issue",
        "game",
        "lap",
        "part",
        "heat",
    ]
)
"""Columns that say which one it is, not how many there are."""
_EACH = r"each|for every|of every"
_GROUPED = (
    r"each|every|per|different|by|all|respective\w*|distinct|various|their|its|grouped|any|both|"
    r"corresponding|across|list|along|with|and (?:the |how |what )\w+|times"
)


def count_missing(question: Question, output: Output) -> Iterator[Finding]:
    """The question begins with "how many", and the query lists instead of counting."""
    if not HOW_MANY.match(question.plain) or output.has(exp.Count, exp.Sum, exp.Window):
        return
    if any(map(output.is_number, output.shown)) or output.names(*_NUMBER_WORDS):
        return  # a stored number may be the answer
    message = "the question asks for a number, and the query counts nothing"
    yield finding("count-missing", "warning", message, "show COUNT(*) or COUNT(DISTINCT ...)")


def stored_number(question: Question, output: Output) -> Iterator[Finding]:
    """ "How many beds", rows are counted, and a table of the query has a number ``beds``."""
    if not output.has(exp.Count):
        return
    used = {use.name.casefold() for use in output.resolution.uses}
    tables = {r.table.name: r.table for r in output.resolution.relations if r.table}
    named = {w for table in tables.values() for w in words(table.name)}
    for counted in counted_things(question):
        for table in tables.values():
            for column in table.columns:
                about = tuple(w for w in words(column.name) if w not in _NUMBER_OF)
                if not about or counted[-len(about) :] != about or not named.isdisjoint(about):
                    continue
                if about == words(column.name) and column.name.casefold() in _ORDINALS:
                    continue
                if output.is_amount(table, column) and column.name.casefold() not in used:
                    message = f"rows are counted, and {table.name} has a number {column.name}"
                    name = quote(column.name, output.statement.dialect)
                    hint = f"use {name}, or SUM({name})"
                    yield finding("stored-number", "warning", message, hint)


def aggregate_unasked(question: Question, output: Output) -> Iterator[Finding]:
    """COUNT, AVG, SUM, MAX or MIN is shown, and no word of the question asks for it."""
    parts = [a for a in output.shown_aggregates if not a.find_ancestor(exp.Div)]
    for call in parts:
        for kind, (name, pattern) in _AGGREGATES.items():
            if isinstance(call, kind) and not question.says(pattern):
                message = f"{shorten(call)} is shown, and the question asks for no {name}"
                yield finding("aggregate-unasked", "warning", message, "leave it out", call)


def aggregate_missing(question: Question, output: Output) -> Iterator[Finding]:
    """The question says average or percentage, and the query computes none."""
    average = question.says(r"averages?|mean") and not output.names("average", "avg", "mean")
    if average and not output.has(exp.Avg, exp.Div):
        message = "the question asks for an average, and the query computes none"
        yield finding("average-missing", "warning", message, "use AVG(...)")
    share = question.says("percentage|percent|proportion|ratio") and not output.names(*_SHARE)
    if share and not output.has(exp.Div):
        message = "the question asks for a share, and the query divides nothing"
        yield finding("share-missing", "warning", message, "divide by the whole, as REAL")


def width(question: Question, output: Output) -> Iterator[Finding]:
    """Another number of columns than the beginning of the question lists."""
    asked, shown = len(asked_items(question)), output.scope.outputs
    if not asked or shown is None:
        return
    if output.has_star:
        if not question.says("all|every|what|any") and len(shown) > asked:
            message = "all columns are shown, and the question asks for some"
            yield finding("star-unasked", "hint", message, "name the columns that are asked for")
    elif len(shown) < asked:
        message = f"the question lists {asked} things, and the query shows {_columns(len(shown))}"
        yield finding("column-missing", "warning", message, "show everything that is asked for")
    elif len(shown) - _group_keys(output) > asked:
        message = f"the question asks for {_columns(asked)}, and the query shows {len(shown)}"
        yield finding("column-unasked", "warning", message, "show only what is asked for")


def _columns(number: int) -> str:
    return "1 column" if number == 1 else f"{number} columns"


def _group_keys(output: Output) -> int:
    """Columns that only say which group an aggregate beside them is of."""
    if not output.shown_aggregates or not output.group:
        return 0
    return sum(not e.find(exp.AggFunc) for e in output.shown)


def other_column(question: Question, output: Output) -> Iterator[Finding]:
    """The question begins with "cities", the tables have a city, and something else is shown."""
    if output.has_star or output.shown_aggregates:
        return
    shown = [c.name for e in output.shown for c in e.find_all(exp.Column)]
    shown += [e.alias for e in output.scope.select.expressions if e.alias]
    there = [c for r in output.scope.relations for c in r.columns or ()]
    tables = {w for r in output.scope.relations if r.table for w in words(r.table.name)}
    for item in asked_items(question):
        asked = [w for part in re.findall(r"[^\W_]+", item) for w in words(part)]
        if not asked or asked[-1] in tables or any(_is_about(name, asked) for name in shown):
            continue
        meant = [c for c in there if asked[-1] in words(c)]
        if meant:
            message = f"the question asks for {item}, and the query shows {', '.join(shown[:3])}"
            hint = f"did you mean {nearest(' '.join(asked), meant, at_least=0.0)[0][0]}?"
            yield finding("column-other", "warning", message, hint)


def _is_about(column: str, asked: list[str]) -> bool:
    """Whether the name of a column has one of the words that are asked for, or its like."""
    folded = column.casefold()
    if asked[-1] in {"name", "title"} and {"name", "title"} & {*words(column)}:
        return True
    return any(w in folded for w in asked if len(w) > 1) or bool(
        nearest(asked[-1], words(column), at_least=0.7)
    )


def id_unasked(question: Question, output: Output) -> Iterator[Finding]:
    """A key column is shown beside others, and the question speaks of no id, code or number."""
    if len(output.shown) < 2 or output.has_star or _asks_for_id(question):
        return
    grouped = bool(output.shown_aggregates and output.group)
    for expression in output.shown:
        if not isinstance(expression, exp.Column) or not output.is_key(expression) or grouped:
            continue
        name = set(words(expression.name))
        if name & _ID_WORDS and not ("code" in name and (name - _ID_WORDS) & question.words):
            message = f"{shorten(expression)} is shown, and the question asks for no id"
            yield finding("id-unasked", "warning", message, "leave it out", expression)


def _asks_for_id(question: Question) -> bool:
    return bool(question.words & _ID_WORDS) or question.says(r"ids?|identif\w+")


def distinct_missing(question: Question, output: Output) -> Iterator[Finding]:
    """ "different", "distinct" or "unique" things are asked for, and duplicates may be shown."""
    opening = r"(?:show|list|give|find|return|what|which|how many|count)\b[^,.?]{0,60}?\b"
    if not re.search(opening + r"(?:different|distinct|unique)\b", question.plain):
        return
    if output.has(exp.Distinct, exp.Group, exp.Union, exp.Intersect, exp.Except):
        return
    if output.shown_aggregates and not output.has(exp.Count):
        return
    for expression in output.shown:
        found = output.column(expression)
        if found and (found[1].name,) == found[0].primary_key and len(output.scope.relations) == 1:
            return
    message = "the question asks for different ones, and duplicates may be shown"
    yield finding("distinct-missing", "warning", message, "write DISTINCT")


def order_shown(question: Question, output: Output) -> Iterator[Finding]:
    """An aggregate is shown that only ORDER BY needs."""
    order = output.scope.select.args.get("order")
    if order is None or len(output.shown) < 2 or output.scope.select.args.get("limit") is None:
        return
    if question.says(
        r"how many|numbers?|counts?|total|amount|how much|and (?:the|its|their)|times"
    ):
        return
    terms = [t.this for t in order.expressions]
    for expression in output.scope.select.expressions:
        call = expression.unalias()
        named = {expression.alias.casefold()} if expression.alias else set()
        ordered = any(t == call or t.name.casefold() in named for t in terms)
        if ordered and isinstance(call, exp.AggFunc):
            message = f"{shorten(call)} is shown, but only the order needs it"
            yield finding("order-shown", "warning", message, "write it in ORDER BY only", call)


def groups(question: Question, output: Output) -> Iterator[Finding]:
    """A number "for each" something computed once for all, groups not named, or not asked for."""
    if not output.shown_aggregates:
        return
    if question.says(_EACH):
        if not output.has(exp.Group, exp.Window, exp.Subquery):
            message = "the question asks for a number for each, and the query computes one for all"
            yield finding("group-missing", "warning", message, "add GROUP BY")
        elif output.group and len(output.shown) == len(output.shown_aggregates):
            message = "the query does not show which group a number is of"
            yield finding("group-unnamed", "hint", message, "show the column of GROUP BY")
    elif output.group and not question.says(_GROUPED) and not output.has(exp.Limit, exp.Having):
        message = "the query computes a number for each group, and the question asks for one"
        yield finding("group-unasked", "hint", message, "leave GROUP BY out")
