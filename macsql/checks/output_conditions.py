"""The conditions of a query against those that its question states."""

import re
from collections.abc import Iterator

from sqlglot import exp

from macsql.checks.names import words
from macsql.checks.output_shape import Output, finding
from macsql.checks.question import Question
from macsql.checks.scopes import Resolution, Status
from macsql.checks.text import shorten
from macsql.message import Finding

_NEGATION = (
    r"not|no|never|none|nor|neither|without|except|excluding|exclude|other than|n't|\w+n't|\w+nt'|"
    r"(?:do|does|did|is|are|was|were|has|have)nt|"
    r"cannot|nobody|nothing|unknown|missing|lacks?|lacking|but|only|zero|outside|different|besides|"
    r"null|empty|un\w+|in\w+able|free|absent|fail\w*|rather than|still|any|non|exclu\w+|ignor\w+|"
    r"dis\w+|instead|rest|remaining|apart|minus|differ|other|another|avoid\w*"
)
_MUST_NEGATE = r"not|never|without|except|excluding|\w+n't|other than|neither|nor|no(?!\.? ?\d)"
_NEVER_MEANT = r"not only|no more|no less|no later|no earlier|whether"
_NO = frozenset({"0", "f", "n", "no", "false", "null", "none", "", "nil"})
_UP = (
    r"(?:more|greater|larger|higher|bigger|longer|heavier|taller|over|above|exceed\w*|at least|"
    r"(?:after|since) (?:\w+ ){0,2}\d+)"
)
_DOWN = (
    r"(?:less|fewer|smaller|lower|cheaper|shorter|lighter|under|below|at most|"
    r"before (?:\w+ ){0,2}\d+)"
)
_PART_OF_TEXT = (
    r"substring|starts? with|starting with|begins? with|beginning with|ends? with|ending with|"
    r"contain(?:s|ing)? the (?:word|letter|string|phrase|character)s?"
)
_OR_OTHERWISE = (
    r"or (?:more|less|fewer|greater|higher|equal|not|older|later|lower|above|after|before|over|"
    r"under|below|younger|earlier|so)|whether|either of|good or bad|bad or good"
)
NUMBER_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10}
_NUMBER = re.compile(r"(?<![\w.,:/-])\d+(?:\.\d+)?(?![\w:/-]|[.,]\d)")


def negation(question: Question, output: Output) -> Iterator[Finding]:
    """ "not" and its like without a negation in the query, or the other way round."""
    negated = output.has(exp.NEQ, exp.Except) or any(
        isinstance(n, exp.Not) and not _asks_for_a_value(n) for n in output.nodes
    )
    if question.says(_MUST_NEGATE) and not question.says(_NEVER_MEANT):
        zero = any(isinstance(n, exp.Literal) and n.this.casefold() in _NO for n in output.nodes)
        if not negated and not zero and not output.has(exp.Not, exp.Null, exp.LT, exp.LTE):
            message = "the question excludes something, and the query does not"
            yield finding("negation-missing", "warning", message, "use NOT IN, EXCEPT or <>")
    elif negated and not question.says(_NEGATION):
        message = "the query excludes something, and the question says nothing of it"
        yield finding("negation-unasked", "warning", message, "leave the exclusion out")


def _asks_for_a_value(node: exp.Not) -> bool:
    """``x IS NOT NULL`` goes without saying."""
    return isinstance(node.this, exp.Is) and isinstance(node.this.expression, exp.Null)


def alternatives(question: Question, output: Output) -> Iterator[Finding]:
    """ "both A and B" answered with OR, or "A or B" with AND."""
    both = re.search(r"\bboth\b[^.?]*\band\b", question.plain)
    if (
        both
        and output.has(exp.Or, exp.Union)
        and not output.has(exp.Intersect, exp.Having, exp.Exists)
    ):
        message = "the question asks for both, and the query is content with one"
        yield finding("both-missing", "warning", message, "use INTERSECT, or IN twice")
    either = question.says(r"(?<!and/)or") and not question.says(_OR_OTHERWISE)
    kinds = (exp.Or, exp.In, exp.Union, exp.Like, exp.Between, exp.GTE, exp.LTE)
    if either and output.has(exp.Where, exp.Having) and not output.has(*kinds):
        message = "the question gives a choice, and the query does not"
        yield finding("or-missing", "hint", message, "use OR or IN")


def contradiction(question: Question, output: Output) -> Iterator[Finding]:
    """``x = 'a' AND x = 'b'``: no row is both."""
    for scope in output.resolution.scopes:
        where = scope.select.args.get("where")
        seen: dict[str, str] = {}
        for part in _conjuncts(where.this) if where is not None else ():
            value = part.expression if isinstance(part, exp.EQ) else None
            if not isinstance(value, exp.Literal) or not isinstance(part.this, exp.Column):
                continue
            first = seen.setdefault(part.this.sql().casefold(), value.this)
            if first != value.this:
                message = f"{part.this.sql()} cannot be both {first!r} and {value.this!r}"
                hint = "use IN or OR for either, INTERSECT for both"
                yield finding("contradiction", "warning", message, hint, part.this)


def _conjuncts(root: exp.Expr) -> Iterator[exp.Expr]:
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, exp.And):
            pending += [node.right, node.left]
        elif isinstance(node, exp.Paren):
            pending.append(node.this)
        else:
            yield node


def numbers(question: Question, output: Output) -> Iterator[Finding]:
    """A number of the question that stands nowhere in the query."""
    asked = set(_NUMBER.findall(question.text))
    asked |= {
        str(n)
        for word, n in NUMBER_WORDS.items()
        if question.says(f"(?:than|least|most|exactly) {word}")
    }
    if not asked:
        return
    written = {float(n) for n in re.findall(r"\d+(?:\.\d+)?", output.statement.sql)}
    for number in sorted(asked):
        # "more than 3" may be written >= 4, "at least 3" as > 2.
        if written.isdisjoint({float(number) + step for step in (-1, 0, 1)}) and float(number):
            message = f"the question says {number}, and the query does not"
            yield finding("number-unused", "warning", message, f"use {number} in a condition")


def texts(question: Question, output: Output) -> Iterator[Finding]:
    """Text in quotes that the query does not use, and text in the query that nobody spoke of."""
    squeezed = _squeezed(output.statement.sql)
    for text in question.quoted:
        if not all(_squeezed(word) in squeezed for word in text.split()):
            message = f"the question says {text!r}, and the query does not"
            yield finding("quoted-unused", "warning", message, "compare a column with it")
    said = question.said
    for literal in text_literals(output.resolution):
        if not _is_spoken_of(literal.name.casefold(), said):
            message = f"{literal.name!r} is not a word of the question"
            yield finding("text-unasked", "warning", message, "use its words", literal)


def _is_spoken_of(text: str, said: str) -> bool:
    """Whether one word of ``text`` begins like one that is said, or is short for several."""
    parts = [w for w in re.findall(r"[^\W_]+", text) if len(w) > 2]
    known = not parts or text in _NO or text in {"yes", "true"}
    return known or any(word[:4] in said for word in parts) or _is_short_for(text, said)


def text_literals(resolution: Resolution) -> Iterator[exp.Expr]:
    """Every text in a query, SQLite's in double quotes included."""
    for scope in resolution.scopes:
        for node in scope.select.find_all(exp.Literal):
            if node.is_string and node.parent_select is scope.select:
                yield node
        yield from (use.column for use in scope.uses if use.status is Status.TEXT)


def _is_short_for(text: str, said: str) -> bool:
    """ "USA" for "united states of america", and "United States" for "american" or "us"."""
    initials = "".join(word[0] for word in re.findall(r"[^\W_]+", said))
    own = "".join(word[0] for word in re.findall(r"[^\W_]+", text))
    short = len(text) <= 4 and any(text[:n] in initials for n in {2, len(text)})
    return short or (len(own) > 1 and re.search(rf"\b{re.escape(own)}\b", said) is not None)


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def comparison(question: Question, output: Output) -> Iterator[Finding]:
    """ "more than" in the question and only "less than" in the query, or the other way round."""
    up, down = question.says(_UP), question.says(_DOWN)
    above, below = output.has(exp.GT, exp.GTE), output.has(exp.LT, exp.LTE)
    if up == down or above == below or output.has(exp.Not, exp.Except, exp.Between):
        return
    if up != above:
        said, done = ("more", "<") if up else ("less", ">")
        message = f"the question says {said}, and the query compares with {done}"
        yield finding("comparison-direction", "warning", message, "turn the comparison round")


def like_missing(question: Question, output: Output) -> Iterator[Finding]:
    """Part of a text is asked for, and the query compares whole texts."""
    kinds = (exp.Like, exp.ILike, exp.Glob, exp.StrPosition, exp.Substring, exp.RegexpLike)
    if question.says(_PART_OF_TEXT) and not output.has(*kinds):
        message = "the question asks for part of a text, and the query compares all of it"
        yield finding("like-missing", "warning", message, "use LIKE '%...%'")


def column_unnamed(question: Question, output: Output) -> Iterator[Finding]:
    """A column is shown whose name has no word of the question."""
    for expression in output.shown:
        found = output.column(expression)
        if found is None or expression in output.group or output.is_key(expression):
            continue
        name = [*words(found[1].name), *words(found[1].description)]
        if {"name", "title"} & set(name) or any(question.speaks_of(word) for word in name):
            continue
        message = f"{shorten(expression)} is shown, and the question does not speak of it"
        yield finding("column-unnamed", "hint", message, "leave it out", expression)
