"""Reads SQL into clauses, with the grammar of Spider's official parser.

What counts as readable decides verdicts, so this grammar is as narrow, and as odd, as the
official one: no column aliases, no outer or comma joins, one value in brackets; words left over
behind a whole query are ignored, and so is what follows a column on the right of a comparison
(up to the next clause, join, "and", comma or bracket).
"""

from collections.abc import Collection, Mapping, Sequence

from macsql.evaluation.clauses import (
    ColumnUse,
    Condition,
    Conditions,
    OrderBy,
    Query,
    Selected,
    Term,
    Value,
)
from macsql.evaluation.clauses_text import words
from macsql.schema import Schema

SET_OPERATORS = ("intersect", "union", "except")
AGGREGATES = ("max", "min", "count", "sum", "avg")
ARITHMETIC = ("-", "+", "*", "/")
COMPARISONS = frozenset(
    ("not", "between", "=", ">", "<", ">=", "<=", "!=", "in", "like", "is", "exists")
)
CLAUSES = frozenset(("select", "from", "where", "group", "order", "limit", *SET_OPERATORS))
CLAUSE_END = CLAUSES | {")", ";"}
CONDITIONS_END = CLAUSE_END | {"join", "on", "as"}
VALUE_END = CLAUSES | {"join", "on", "as", "and", ",", ")"}
DEEPEST = 50

Names = Mapping[str, frozenset[str]]
"""The columns of each table, all in lower case."""


class Unreadable(ValueError):
    """The official parser has no reading for this SQL; the message says where it stops."""


def names_of(schema: Schema) -> Names:
    """Tables and columns by their lower-case names. Views are left out, as in the official rule."""
    return {
        table.name.lower(): frozenset(c.name.lower() for c in table.columns)
        for table in schema.tables
        if not table.is_view
    }


def read_clauses(sql: str, schema: Schema) -> Query:
    """The clauses of ``sql``. Raises ``Unreadable`` where the official parser would fail."""
    return read_words(words(sql), names_of(schema))


def read_words(text: Sequence[str] | None, names: Names) -> Query:
    """As ``read_clauses``, for SQL already cut into words."""
    if text is None:
        raise Unreadable("a quote is left open")
    return _Reader(text, names, _aliases(text, names)).query()


def _aliases(text: Sequence[str], names: Names) -> dict[str, str]:
    """What every name in FROM stands for.

    Aliases hold for the whole text, sub-queries too; of two with the same name, the last counts.
    """
    aliases: dict[str, str] = {}
    for at, word in enumerate(text):
        if word == "as":
            if at + 1 == len(text):
                raise Unreadable("nothing follows AS")
            aliases[text[at + 1]] = text[at - 1]
    for name in names:
        if name in aliases:
            raise Unreadable(f"alias {name} is the name of a table")
    return {**aliases, **{name: name for name in names}}


class _Reader:
    """A place in the words, and one method for each rule of the grammar."""

    def __init__(
        self, text: Sequence[str], names: Names, aliases: Mapping[str, str], depth: int = 0
    ) -> None:
        self._text = text
        self._names = names
        self._aliases = aliases
        self._depth = depth
        self._at = 0

    # Words

    @property
    def _more(self) -> bool:
        return self._at < len(self._text)

    def _word(self) -> str:
        """The word here. Nothing to read is an error, as in the official parser."""
        if not self._more:
            raise Unreadable("the query ends too early")
        return self._text[self._at]

    def _next(self) -> str:
        word = self._word()
        self._at += 1
        return word

    def _is(self, any_of: Collection[str]) -> bool:
        return self._more and self._text[self._at] in any_of

    def _skip(self, word: str) -> bool:
        """Step over ``word`` if it stands here."""
        found = self._is((word,))
        self._at += found
        return found

    def _expect(self, word: str) -> None:
        if self._next() != word:
            raise Unreadable(f"{word} expected, not {self._text[self._at - 1]}")

    # Queries

    def query(self) -> Query:
        """A whole query with what it is combined with. FROM is read first: it names the tables."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unreadable("nested too deeply")
        start = self._at
        self._word()
        bracket = self._skip("(")
        select_at = self._at
        self._at = self._find("from", start) + 1
        sources, joins = self._sources()
        tables = [s for s in sources if isinstance(s, str)]
        behind, self._at = self._at, select_at
        distinct, select = self._select(tables)
        self._at = behind
        where = self._conditions_after("where", tables)
        group_by = self._group_by(tables)
        having = self._conditions_after("having", tables)
        order_by = self._order_by(tables)
        limit = self._limit()
        self._skip_semicolons()
        if bracket:
            self._expect(")")
            self._skip_semicolons()
        operator, operand = self._set_operation()
        self._depth -= 1
        return Query(
            select=select,
            distinct=distinct,
            sources=sources,
            joins=joins,
            where=where,
            group_by=group_by,
            having=having,
            order_by=order_by,
            limit=limit,
            set_operator=operator,
            operand=operand,
        )

    def _find(self, word: str, start: int) -> int:
        for at in range(start, len(self._text)):
            if self._text[at] == word:
                return at
        raise Unreadable(f"{word} not found")

    def _skip_semicolons(self) -> None:
        while self._skip(";"):
            pass

    def _set_operation(self) -> tuple[str, Query | None]:
        if not self._is(SET_OPERATORS):
            return "", None
        return self._next(), self.query()

    # Clauses

    def _select(self, tables: Sequence[str]) -> tuple[bool, tuple[Selected, ...]]:
        self._expect("select")
        distinct = self._skip("distinct")
        entries: list[Selected] = []
        while self._more and not self._is(CLAUSES):
            aggregate = self._next() if self._is(AGGREGATES) else ""
            entries.append(Selected(aggregate, self._term(tables)))
            self._skip(",")
        return distinct, tuple(entries)

    def _sources(self) -> tuple[tuple[str | Query, ...], Conditions]:
        sources: list[str | Query] = []
        terms: list[Condition] = []
        between: list[str] = []
        while self._more:
            bracket = self._skip("(")
            if self._word() == "select":
                sources.append(self.query())
            else:
                self._skip("join")
                sources.append(self._table())
            if self._skip("on"):
                joins = self._conditions([s for s in sources if isinstance(s, str)])
                between.extend(["and"] if terms else [])
                terms.extend(joins.terms)
                between.extend(joins.words)
            if bracket:
                self._expect(")")
            if self._is(CLAUSE_END):
                break
        return tuple(sources), Conditions(tuple(terms), tuple(between))

    def _table(self) -> str:
        word = self._next()
        table = self._aliases.get(word, "")
        if table not in self._names:
            raise Unreadable(f"no table {word}")
        if self._skip("as"):
            self._at += 1
        return table

    def _conditions_after(self, word: str, tables: Sequence[str]) -> Conditions:
        return self._conditions(tables) if self._skip(word) else Conditions()

    def _conditions(self, tables: Sequence[str]) -> Conditions:
        terms: list[Condition] = []
        between: list[str] = []
        while self._more:
            terms.append(self._condition(tables))
            if not self._more or self._is(CONDITIONS_END):
                break
            if not self._is(("and", "or")):
                raise Unreadable(f"no condition can be followed by {self._word()}")
            between.append(self._next())
        return Conditions(tuple(terms), tuple(between))

    def _condition(self, tables: Sequence[str]) -> Condition:
        term = self._term(tables)
        self._word()
        negated = self._skip("not")
        operator = self._next()
        if operator not in COMPARISONS:
            raise Unreadable(f"{operator} is no comparison")
        value = self._value(tables)
        upper: Value = None
        if operator == "between":
            self._expect("and")
            upper = self._value(tables)
        return Condition(term, operator, value, upper, negated)

    def _group_by(self, tables: Sequence[str]) -> tuple[ColumnUse, ...]:
        columns: list[ColumnUse] = []
        if self._skip("group"):
            self._expect("by")
            while self._more and not self._is(CLAUSE_END):
                columns.append(self._column_use(tables))
                if not self._skip(","):
                    break
        return tuple(columns)

    def _order_by(self, tables: Sequence[str]) -> OrderBy | None:
        if not self._skip("order"):
            return None
        self._expect("by")
        direction = "asc"
        terms: list[Term] = []
        while self._more and not self._is(CLAUSE_END):
            terms.append(self._term(tables))
            if self._is(("asc", "desc")):
                direction = self._next()
            if not self._skip(","):
                break
        return OrderBy(direction, tuple(terms))

    def _limit(self) -> bool:
        if not self._skip("limit"):
            return False
        self._next()
        return True

    # Terms and values

    def _term(self, tables: Sequence[str]) -> Term:
        self._word()
        bracket = self._skip("(")
        left = self._column_use(tables)
        operator, right = "", None
        if self._is(ARITHMETIC):
            operator = self._next()
            right = self._column_use(tables)
        if bracket:
            self._expect(")")
        return Term(left, operator, right)

    def _column_use(self, tables: Sequence[str]) -> ColumnUse:
        bracket = self._skip("(")
        if self._word() in AGGREGATES:
            aggregate = self._next()
            self._expect("(")
            distinct = self._skip("distinct")
            column = self._column(tables)
            self._expect(")")
            # The official parser forgets here that a bracket was opened before the aggregate.
            return ColumnUse(aggregate, column, distinct)
        distinct = self._skip("distinct")
        column = self._column(tables)
        if bracket:
            self._expect(")")
        return ColumnUse("", column, distinct)

    def _column(self, tables: Sequence[str]) -> str:
        word = self._next()
        if word == "*":
            return word
        if "." in word:
            alias, *columns = word.split(".")
            table = self._aliases.get(alias, "")
            if len(columns) == 1 and columns[0] in self._names.get(table, ()):
                return f"{table}.{columns[0]}"
        else:
            for table in tables:
                if word in self._names[table]:
                    return f"{table}.{word}"
        raise Unreadable(f"no column {word}")

    def _value(self, tables: Sequence[str]) -> Value:
        start = self._at
        self._word()
        bracket = self._skip("(")
        value: Value
        word = self._word()
        if word == "select":
            value = self.query()
        elif '"' in word:
            value = self._next()
        else:
            value = self._number_or_column(start, tables)
        if bracket:
            self._expect(")")
        return value

    def _number_or_column(self, start: int, tables: Sequence[str]) -> float | ColumnUse:
        try:
            number = float(self._word())
        except ValueError:
            while self._more and not self._is(VALUE_END):
                self._at += 1
            part = _Reader(self._text[start : self._at], self._names, self._aliases)
            return part._column_use(tables)
        self._at += 1
        return number
