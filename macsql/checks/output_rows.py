"""The rows that a query gives, and their order, against those that its question asks for."""

import re
from collections.abc import Iterator

from sqlglot import exp

from macsql.checks.names import words
from macsql.checks.output_shape import Output, finding
from macsql.checks.question import Question
from macsql.checks.rules import aggregates
from macsql.checks.text import shorten
from macsql.message import Finding

_EXTREME = (
    r"(?<!at )(?:most|least)|highest|lowest|largest|smallest|biggest|greatest|fewest|maximum|"
    r"minimum|oldest|youngest|longest|shortest|heaviest|cheapest|latest|earliest|newest|tallest|"
    r"best|worst|top|max|min|lightest|slowest"
)
_HIGH = r"(?<!at )most|highest|largest|biggest|greatest|maximum|longest|tallest|max"
_LOW = r"(?<!at )least|lowest|smallest|fewest|minimum|shortest|min|cheapest"
_IN_NAMES = {
    **dict.fromkeys(("highest", "maximum", "largest", "most", "max"), ("max", "maximum", "high")),
    **dict.fromkeys(("lowest", "minimum", "smallest", "least", "min"), ("min", "minimum", "low")),
}
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "ten": 10}
_FOR_LIMIT = (
    rf"{_EXTREME}|\w+est|first|last|recent|recently|\d+|one|{'|'.join(_NUMBERS)}|more|less|any|"
    r"single|common|popular|mostly|only|ever|some|an example|majority|predominant\w*|main(?:ly)?|"
    r"primary|primarily|leading|favou?rite|dominant"
)
_SORTED = (
    r"sort(?:ed)? by|order(?:ed)? by|ascending|descending|alphabetical(?:ly)?|sorted|"
    r"in (?:\w+ )?order(?! (?:to|that|for))|lexicographic\w*|chronological\w*"
)
_SORTED_AT_LAST = re.compile(
    r"(?:\b(?:sorted|ordered|arranged)"
    r"|(?:^|[.;:,?!]|\band|\bplease)\s*(?:sort|order|arrange)\b[^.;:,?!()]*?)"
    r"\s+by\s+([^.;:,?!()]+?)\s*[.?!]*\s*$"
)
"""A question that ends with what its answer is sorted by."""
_ARTICLES = frozenset({"the", "their", "its", "his", "her", "of", "each", "every"})
_IN_WORDS: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.Count: ("number", "count"),
    exp.Sum: ("total", "sum"),
    exp.Avg: ("average", "mean"),
}
_DOWNWARDS = (
    r"desc\w*|decreas\w*|revers\w*|\w+est|most|best|worst|top|recent\w*|more|less|last|first|down|"
    r"high\w*|large\w*|big\w*|old\w*|new\w*|maximum|popular\w*|rank\w*|to|this|these|those|"
    r"fall\w*|declin\w*|z"
)
"""Words that may mean a descending order."""
_ORDERLY = (
    r"sort\w*|order\w*|ascend\w*|descend\w*|alphabet\w*|lexico\w*|chronolog\w*|from \w+ to|"
    r"rank\w*|increasing|decreasing|by|first|last|list"
)


def extreme_missing(question: Question, output: Output) -> Iterator[Finding]:
    """A superlative, and neither an order nor a maximum or minimum."""
    word = re.search(rf"\b(?:{_EXTREME})\b", question.plain)
    kinds = (exp.Max, exp.Min, exp.Limit, exp.Fetch, exp.Window, exp.All)
    if word is None or output.has(*kinds):
        return
    if output.has(exp.Order):
        if output.tree.args.get("order") and not question.says(rf"{_SORTED}|from|in terms of"):
            message = f"the question says {word[0]}, and the query lists all in order"
            yield finding("limit-missing", "warning", message, "add LIMIT 1")
    elif not output.names(word[0], *_IN_NAMES.get(word[0], ())):
        message = f"the question says {word[0]}, and the query has no extreme"
        hint = "use ORDER BY ... LIMIT 1, or MAX or MIN"
        yield finding("extreme-missing", "warning", message, hint)


def extreme_direction(question: Question, output: Output) -> Iterator[Finding]:
    """The highest is asked for, and the query takes the lowest, or the other way round."""
    high = question.says(_HIGH)
    if high == question.says(_LOW):
        return
    highest, lowest = output.has(exp.Max), output.has(exp.Min)
    if not highest and not lowest:
        highest, lowest = _ends(output)
    if (
        highest != lowest
        and highest != high
        and (not output.has(exp.Limit) or not output.has(exp.Max, exp.Min))
    ):
        said, done = ("most", "least") if high else ("least", "most")
        message = f"the question asks for the {said}, and the query takes the {done}"
        yield finding("extreme-direction", "warning", message, f"take the {said}")


def _ends(output: Output) -> tuple[bool, bool]:
    """Whether the one cut-off list of the query begins with the highest, or with the lowest."""
    limited = [n for n in output.nodes if isinstance(n, exp.Query) and n.args.get("limit")]
    orders = [n.args["order"].expressions for n in limited if n.args.get("order")]
    if len(orders) != 1 or len(orders[0]) != 1:
        return False, False
    descending = bool(orders[0][0].args.get("desc"))
    return descending, not descending


def limits(question: Question, output: Output) -> Iterator[Finding]:
    """Rows are cut off, and the question does not say so, or says another number."""
    limit = output.tree.args.get("limit")
    if not isinstance(limit, exp.Limit):
        return
    if not question.says(_FOR_LIMIT):
        message = f"the question asks for all, and the query stops after {limit.expression.sql()}"
        yield finding("limit-unasked", "warning", message, "leave LIMIT out")
        return
    number = limit.expression.name
    said = {int(n) for n in re.findall(r"(?<![\w.])\d{1,5}(?![\w.])", question.said)}
    said |= {value for word, value in _NUMBERS.items() if question.says(word)}
    if number.isdigit() and number != "1" and int(number) not in said:
        message = f"the query stops after {number} rows, and the question does not say {number}"
        yield finding("limit-number", "warning", message, "write LIMIT 1")
    elif number == "1" and (top := _top(question)):
        message = f"the question asks for {top} rows, and the query gives one"
        yield finding("limit-number", "warning", message, f"write LIMIT {top}")


def _top(question: Question) -> int | None:
    """The number of "top 3" and "three oldest"."""
    number = rf"({'|'.join(_NUMBERS)}|[2-9]|10)"
    found = re.search(rf"\btop {number}\b|\b{number} (?:most|least|\w+est)\b", question.plain)
    word = next(filter(None, found.groups())) if found else ""
    return _NUMBERS.get(word) or (int(word) if word else None)


def is_backwards(question: Question, output: Output) -> bool:
    """Whether all rows descend, and the question ends with "sorted by age", in the query's words.

    Whatever follows may turn the order round in more ways than can be listed.
    Of the gold queries for such questions of Spider's training set one in 300 descends.
    """
    order = output.tree.args.get("order")
    said = _SORTED_AT_LAST.search(question.plain)
    return (
        order is not None
        and said is not None
        and [bool(t.args.get("desc")) for t in order.expressions] == [True]
        and output.tree.args.get("limit") is None
        and _names_term(said[1], order.expressions[0].this, output)
        and re.search(r"\b(?:sort|order|rank)", question.plain[: said.start()]) is None
        and re.search(rf"\b(?:{_DOWNWARDS})\b", question.said) is None
    )


def _names_term(said: str, term: exp.Expr, output: Output) -> bool:
    """Whether ``said`` names the column or the aggregate of ORDER BY, and nothing else."""
    names = [term.name]
    if isinstance(term, exp.Literal) and term.is_int and 0 < int(term.this) <= len(output.shown):
        term = output.shown[int(term.this) - 1]
    elif isinstance(term, exp.Column):
        term = output.scope.aliases.get(term.name.casefold(), term)
    names += [column.name for column in term.find_all(exp.Column)]
    of = {w for n in names for w in words(n)}
    of |= {w for call in aggregates(term) for w in _IN_WORDS.get(type(call), ())}
    around = {w for r in output.scope.relations for w in words(r.table.name if r.table else r.name)}
    found = {w for part in re.findall(r"[^\W_]+", said) for w in words(part)} - _ARTICLES
    return bool(found & of) and found <= of | around


def orders(question: Question, output: Output) -> Iterator[Finding]:
    """An order is asked for in words and not given, given the other way, or given unasked."""
    order = output.tree.args.get("order")
    if order is None:
        if question.says(_SORTED) and not output.has(exp.Order):
            message = "the question asks for an order"
            yield finding("order-missing", "warning", message, "add ORDER BY")
        return
    down = question.says("descending|decreasing|reverse")
    up = question.says(r"ascending|increasing|alphabetical(?:ly)?|alphabetic") and not down
    descending = [bool(t.args.get("desc")) for t in order.expressions]
    if down != up and descending == [up]:
        said = "descending" if down else "ascending"
        message = f"the question asks for {said} order, and the query gives the opposite"
        yield finding("order-direction", "warning", message, f"write {'DESC' if down else 'ASC'}")
    elif is_backwards(question, output):
        message = "the question asks for an order and for none that descends; the query's does"
        yield finding("order-direction", "warning", message, "leave DESC out")
    elif output.tree.args.get("limit") is None and not question.says(_ORDERLY):
        message = f"the question asks for no order, and the query orders by {shorten(order)}"
        yield finding("order-unasked", "hint", message, "leave ORDER BY out")
