"""``ExampleStore``: worked examples, and the few of them that help with a question most."""

import hashlib
import logging
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from weakref import WeakKeyDictionary

from macsql.database import Database
from macsql.database.guard import guard_sql
from macsql.errors import ConfigError, DatabaseError, QueryTimeout
from macsql.llm.base import estimate_tokens
from macsql.shots.shape import shape_of
from macsql.shots.similarity import FEWEST, QuestionIndex
from macsql.shots.worked import WorkedExample, read_examples

_log = logging.getLogger(__name__)

FIXED, BUILTIN = "fixed", "builtin"
_BUILTIN_FILE = Path(__file__).with_name("builtin.jsonl")
MAX_TOKENS = 120
"""Of one example. Selected examples change with each question, so no cache holds them."""
NEIGHBOURS = 30
SHARPNESS = 4
"""A neighbour's vote is its similarity to this power."""
NAMED = 3
"""Examples with wrong SQL that the log shows."""
MIN_SIMILARITY = 0.15
"""Below it, the SQL of two questions is hardly ever of one shape."""
MIN_OF_FEW = 0.05
"""The same in a small store, where words that only the question has weigh much."""
TRIED, TRIED_IN_ALL = 0.5, 1.5
"""Seconds that one example may run to show that it fits the asked database, and all of a question.
One that runs longer fits: its names are there."""


_Known = dict[tuple[str, bool], bool]
"""Whether SQL may be shown, by its text and whether it is about the asked database."""


class ExampleStore:
    """Worked examples that are chosen for each question.

    Those with more than ``MAX_TOKENS`` tokens are left out. Nothing is changed after the start:
    one store serves many threads.
    """

    def __init__(self, examples: Sequence[WorkedExample], *, checksum: str = "") -> None:
        self.examples = tuple(e for e in examples if _tokens(e) <= MAX_TOKENS)
        self.checksum = checksum
        self._hidden: str | None = None
        self._valid: WeakKeyDictionary[Database, _Known] = WeakKeyDictionary()

    def unseen(self, db_id: str) -> "ExampleStore":
        """The same store, for measuring: it shows no example about the database ``db_id``, and
        none with the very question that is asked, which would give the answer away.
        """
        # Worked out before the copy, so that all copies share them.
        _ = self._index, self._shapes, self._numbers, self._with_evidence, self._without_evidence
        store = copy(self)
        store._hidden = db_id
        return store

    def select(
        self, question: str, database: Database, count: int, *, has_evidence: bool = False
    ) -> list[WorkedExample]:
        """Up to ``count`` valid examples that fit ``question``, the best one last.

        Valid is one harmless query; on the asked database, one that it executes. Those that are not
        are told to the log, once.
        """
        deadline = time.monotonic() + TRIED_IN_ALL
        known = self._valid.setdefault(database, {})
        before = _invalid(known)
        chosen: list[WorkedExample] = []
        for example in self.rank(question, has_evidence=has_evidence):
            if len(chosen) == count:
                break
            if _is_valid(example, database, known, deadline):
                chosen.append(example)
        if wrong := [sql for sql in _invalid(known) if sql not in before]:
            _log.warning(
                "worked examples that cannot be shown, since %s does not execute their SQL: %d, %s",
                database.name,
                len(wrong),
                "; ".join(wrong[:NAMED]),
            )
        return chosen[::-1]

    def rank(self, question: str, *, has_evidence: bool = False) -> Iterator[WorkedExample]:
        """Examples for ``question``, the best first; only those with evidence when it has some,
        and only those without when it has none, where there are enough of them.

        Its neighbours vote, each by its similarity, for the shape of their SQL: what most
        questions of this kind are answered with comes first, shown by the most similar of them.
        Then shapes take turns as parties take seats, but a shape's n-th example counts for 1/n²
        of its votes: examples that are all alike say little more than one.
        """
        votes: defaultdict[str, float] = defaultdict(float)
        members: defaultdict[str, list[int]] = defaultdict(list)
        for similarity, number in self._nearest(question, has_evidence):
            shape = self._shapes[number]
            votes[shape] += similarity**SHARPNESS
            members[shape].append(number)
        seats = [
            (votes[shape] / turn**2, number)
            for shape, numbers in members.items()
            for turn, number in enumerate(numbers, 1)
        ]
        for _, number in sorted(seats, key=lambda seat: -seat[0]):
            yield self.examples[number]

    def _nearest(self, question: str, has_evidence: bool) -> list[tuple[float, int]]:
        of_kind = self._with_evidence if has_evidence else self._without_evidence
        others = self._without_evidence if has_evidence else self._with_evidence
        left_out = set(others) if len(of_kind) >= NEIGHBOURS else set()
        if self._hidden is not None:
            for key in (_about(self._hidden), _asks(question)):
                left_out.update(self._numbers.get(key, ()))
        nearest = self._index.nearest(question, NEIGHBOURS, leave_out=left_out)
        least = MIN_OF_FEW if len(self.examples) < FEWEST else MIN_SIMILARITY
        return [(score, number) for score, number in nearest if score >= least]

    @cached_property
    def _numbers(self) -> defaultdict[str, list[int]]:
        """Which examples are about a database, and which ask a question."""
        numbers: defaultdict[str, list[int]] = defaultdict(list)
        for number, example in enumerate(self.examples):
            numbers[_asks(example.question)].append(number)
            if example.db_id:
                numbers[_about(example.db_id)].append(number)
        return numbers

    @cached_property
    def _with_evidence(self) -> frozenset[int]:
        return frozenset(n for n, e in enumerate(self.examples) if e.evidence)

    @cached_property
    def _without_evidence(self) -> frozenset[int]:
        return frozenset(range(len(self.examples))) - self._with_evidence

    @cached_property
    def _index(self) -> QuestionIndex:
        return QuestionIndex([e.question for e in self.examples])

    @cached_property
    def _shapes(self) -> list[str]:
        return [shape_of(e.sql) for e in self.examples]


def _invalid(known: _Known) -> list[str]:
    return [sql for (sql, _), is_valid in known.items() if not is_valid]


def _is_valid(example: WorkedExample, database: Database, known: _Known, deadline: float) -> bool:
    """Whether an example may be shown; what was found out is ``known`` later."""
    sql, is_about = example.sql, example.is_about(database.name)
    if (sql, is_about) not in known:
        if is_about and time.monotonic() + TRIED > deadline:
            return False
        is_valid = _executes(sql, database) if is_about else _is_harmless(sql, database.dialect)
        known[sql, is_about] = is_valid
    return known[sql, is_about]


def open_examples(name: str | Path) -> ExampleStore | None:
    """The store called ``name``: "builtin", or a file; None for "fixed", those of the prompt set.

    Raises ConfigError when the file is not there, or is no file of examples.
    """
    if str(name) == FIXED:
        return None
    path = _BUILTIN_FILE if str(name) == BUILTIN else Path(name)
    if not path.is_file():
        raise ConfigError(
            f"There are no examples {str(name)!r}: use {FIXED}, {BUILTIN}, or a file of questions "
            "with SQL."
        )
    examples = read_examples(path)
    store = ExampleStore(examples, checksum=hashlib.sha256(path.read_bytes()).hexdigest()[:12])
    if not store.examples:
        raise ConfigError(f"All examples in {path} have more than {MAX_TOKENS} tokens each.")
    if long := len(examples) - len(store.examples):
        _log.warning(
            "%d of %d examples in %s have more than %d tokens and are not used",
            long,
            len(examples),
            path,
            MAX_TOKENS,
        )
    return store


def _is_harmless(sql: str, dialect: str) -> bool:
    try:
        guard_sql(sql, dialect)
    except DatabaseError:
        return False
    return True


def _executes(sql: str, database: Database) -> bool:
    try:
        database.execute(sql, timeout=TRIED)
    except QueryTimeout:
        return True
    except DatabaseError:
        return False
    return True


def _tokens(example: WorkedExample) -> int:
    return estimate_tokens(f"{example.evidence} {example.question} {example.sql}")


def _about(db_id: str) -> str:
    return f"about {db_id.casefold()}"


def _asks(question: str) -> str:
    """The same for questions that differ in case, blanks and punctuation only."""
    spoken = "".join(c if c.isalnum() else " " for c in question.casefold())
    return f"asks {' '.join(spoken.split())}"
