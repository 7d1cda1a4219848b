"""Voter: further attempts at the SQL where the first is in doubt; the result most agree on wins."""

import math
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice

from macsql.agents.base import record, record_repairs, sample_model
from macsql.agents.decomposer import Decomposer
from macsql.agents.doubts import doubts_of_result, doubts_of_words
from macsql.agents.trial import Trial, finds_nothing, is_good, is_refused, quality
from macsql.chat import ChatMessage
from macsql.database import Database
from macsql.errors import ConfigError, LLMError, ParseError
from macsql.llm.base import LLM, Completion
from macsql.message import Candidate, Message, Step
from macsql.parsing import read_sql
from macsql.prompts import MOST_CANDIDATES, Count, EmptyRule
from macsql.shots import shape_of

AUTO = 3
TEMPERATURES = (0.7, 0.9)
"""Of the two calls that ask for further attempts."""
REPLY_TOKENS = 800
TRUST = 0.5
"""What is left of an attempt's weight with each finding that says it is wrong, or no answer."""
SIMPLE = 0.9
"""What is left of it with each table that is joined, and each SELECT after the first."""
ROWS_MIXED = frozenset(
    {"fan-out", "counted-twice", "none-counted", "merged-names", "null-in-not-in"}
)
"""What a result may be found wrong for that another statement would avoid."""
SURE = -0.1
"""Mean log-probability of the first reply's tokens above which the model is sure."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one question may take, from its start, before no further attempt is asked for."""

    seconds: float = math.inf
    tokens: float = math.inf

    def is_spent(self, message: Message, seconds: float) -> bool:
        """Whether ``message`` has taken that many tokens or ``seconds``, or more."""
        usage = message.usage
        tokens = usage.input_tokens - usage.cached_tokens + usage.output_tokens
        return tokens >= self.tokens or seconds >= self.seconds


NO_LIMIT = Budget()


class Voter:
    """Asks again when the first SQL is in doubt, and keeps what most attempts find.

    Every attempt is executed, checked and repaired like the first one; the results are compared,
    not the texts. They are asked for in other ways as far as the ``decomposer`` knows some, then by
    chance. ``candidates`` is the number of attempts with the first, "auto" up to three when
    the first is in doubt: the model was not sure of its words, or the statement had to be repaired,
    finds nothing, has a warning or does not look like an answer to the question. No more are asked
    for when most agree or ``budget`` is spent (tokens are those read anew and written). It runs
    before the Refiner, which takes over what was executed.
    """

    name = "voter"

    def __init__(
        self,
        llm: LLM,
        *,
        decomposer: Decomposer | None = None,
        candidates: Count = "auto",
        budget: Budget = NO_LIMIT,
        refine_empty: EmptyRule = "diagnosed",
        use_repair: bool = True,
    ) -> None:
        self.llm = llm
        self.decomposer = decomposer
        self.candidates = candidates
        self.budget = budget
        self.refine_empty = refine_empty
        self.use_repair = use_repair

    def run(self, message: Message, database: Database) -> Iterator[Step]:
        """Write sql, candidates and confidence."""
        # Queries that run long count as well as calls of the model.
        began = time.perf_counter() - sum(s.seconds for s in message.steps)
        wanted = AUTO if self.candidates == "auto" else self.candidates
        asked = next((s for s in reversed(message.steps) if s.messages and s.reply), None)
        if asked is None or message.error or not message.sql or wanted == 1:
            return
        trial = Trial(
            database, self.refine_empty, self.use_repair, message.question, message.evidence
        )
        best = trial.settle(message.sql, "decomposer")
        message.sql, message.candidates = best.sql, trial.candidates
        if is_refused(best):
            return
        yield from record_repairs(message, self.name, (), best)
        first = _ballot(best, asked.logprob, message, database)
        if self.candidates == "auto" and not is_doubtful(first, trial.candidates[0]):
            return
        ballots = [first]
        for conversation, count, temperature in self._ways(message, database, asked, wanted - 1):
            if _is_settled(ballots, wanted) or self.budget.is_spent(
                message, time.perf_counter() - began
            ):
                break
            try:
                replies = self._ask(message, conversation, count, temperature)
            except LLMError:
                # An answer is there; that no second opinion could be had does not spoil it.
                yield message.steps[-1]
                break
            ballots += self._cast(replies, trial, message)
            yield from message.steps[-len(replies) :]
        yield from self._count(message, ballots)

    def _count(self, message: Message, ballots: Sequence["Ballot"]) -> Iterator[Step]:
        """Write the SQL that is elected, and say how many agree."""
        best, share = elect(ballots)
        message.sql = best.sql
        said = f"{share:.0%} of {len(ballots)} attempts agree"
        if len(ballots) == 1:
            said = "no second opinion was had"
        elif best.result is None:
            said = f"none of {len(ballots)} attempts could be executed"
        else:
            message.confidence = round(share, 3)
        if best is not ballots[0].candidate:
            yield from record_repairs(message, self.name, (), best)
        yield record(message, self.name, said)

    def _ways(
        self, message: Message, database: Database, asked: Step, further: int
    ) -> Iterator[tuple[Sequence[ChatMessage], int, float]]:
        """Conversations for ``further`` attempts in all, how many by each, and the temperature.

        First what the Decomposer can ask in another way, each without chance, then the first
        conversation and the first of the other ones by chance.
        """
        variants = self.decomposer.variants(message, database) if self.decomposer else iter(())
        conversations: list[Sequence[ChatMessage]] = [asked.messages]
        for variant in islice(variants, further):
            conversations.append(variant)
            yield variant, 1, 0.0
        rest = further + 1 - len(conversations)
        by_chance = (conversations[0], rest - rest // 2), (conversations[:2][-1], rest // 2)
        for (conversation, count), temperature in zip(by_chance, TEMPERATURES, strict=True):
            if count:
                yield conversation, count, temperature

    def _ask(
        self, message: Message, conversation: Sequence[ChatMessage], n: int, temperature: float
    ) -> list[Completion]:
        return sample_model(
            message,
            self.llm,
            self.name,
            conversation,
            n=n,
            temperature=temperature,
            max_tokens=REPLY_TOKENS,
        )

    def _cast(
        self, replies: Sequence[Completion], trial: Trial, message: Message
    ) -> Iterator["Ballot"]:
        for reply in replies:
            try:
                sql = read_sql(reply.text, message.schema.dialect)
            except ParseError:
                continue
            settled = trial.settle(sql, self.name)
            yield _ballot(settled, reply.logprob, message, trial.database)


def read_count(text: str) -> Count | None:
    """The number of attempts that ``text`` says; None when it says nothing. Raises ConfigError.

    >>> read_count("5"), read_count("auto")
    (5, 'auto')
    """
    if not text:
        return None
    if text == "auto":
        return "auto"
    if text.isdecimal() and 1 <= int(text) <= MOST_CANDIDATES:
        return int(text)
    raise ConfigError(
        f"candidates must be auto, or a number from 1 to {MOST_CANDIDATES}: not {text!r}."
    )


@dataclass(frozen=True, slots=True)
class Ballot:
    """An attempt, with the mean log-probability of the words it was written in, if known, and the
    number of findings that say it is no answer to the question, or that it may be wrong.
    """

    candidate: Candidate
    logprob: float | None
    doubts: int = 0


def _ballot(
    candidate: Candidate, logprob: float | None, message: Message, database: Database
) -> Ballot:
    # A warning about joins or types is said of hardly any right query (docs/checks.md).
    warnings = {f.code for f in candidate.findings if f.severity == "warning"}
    found = doubts_of_result(candidate, database, question=message.question)
    multiplied = {f.code for f in found} & ROWS_MIXED
    doubts = len(warnings) + len(multiplied) + len(doubts_of_words(candidate.sql, message))
    return Ballot(candidate, logprob, doubts)


def is_doubtful(first: Ballot, written: Candidate) -> bool:
    """Whether the first SQL, ``written`` by the model, calls for a second opinion."""
    unsure = first.logprob is not None and first.logprob < SURE
    found = not finds_nothing(written.result)
    return unsure or first.doubts > 0 or not is_good(written) or not found


def elect(ballots: Sequence[Ballot]) -> tuple[Candidate, float]:
    """The candidate whose result has most weight behind it, and its share of the weight.

    Attempts that failed, or have a certain fault, count for nothing unless all do. Of those with
    the winning result the first is taken: the first of all was written without chance.
    """
    best = max(_standing(b) for b in ballots)
    eligible = [b for b in ballots if _standing(b) == best]
    groups: dict[object, list[Ballot]] = defaultdict(list)
    for ballot in eligible:
        groups[_same_rows(ballot.candidate)].append(ballot)
    weights = {key: sum(map(_weight, group)) for key, group in groups.items()}
    winner = max(weights, key=lambda key: weights[key])
    return groups[winner][0].candidate, weights[winner] / sum(map(_weight, ballots))


def _standing(ballot: Ballot) -> tuple[bool, bool, bool, bool]:
    return quality(ballot.candidate)


def _weight(ballot: Ballot) -> float:
    """How likely the words were for the model, less for each doubt and each further part of the
    statement, but never nothing.
    """
    likely = 1.0 if ballot.logprob is None else math.exp(max(ballot.logprob, -3.0))
    words = Counter(shape_of(ballot.candidate.sql).split())
    parts = words["JOIN"] + max(0, words["SELECT"] - 1)
    return float(likely * TRUST**ballot.doubts * SIMPLE ** min(parts, 20))


def _same_rows(candidate: Candidate) -> object:
    """Equal for results with the same rows, whatever their order, unless one descends.

    A failure is like no other, and that two queries find nothing makes them no more alike.
    """
    result = candidate.result
    if result is None or all(cell is None for row in result.rows for cell in row):
        return " ".join(candidate.sql.split()).casefold()
    rows = Counter(tuple(map(_same_cell, row)) for row in result.rows)
    descends = len(result.rows) > 1 and _descends(candidate.sql)
    return frozenset(rows.items()), result.truncated, descends


def _same_cell(cell: object) -> object:
    """Whole numbers are equal, whatever their type; others when they agree in ten digits."""
    if isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool):
        is_whole = math.isfinite(cell) and cell == int(cell)
        return str(int(cell)) if is_whole else f"{float(cell):.10g}"
    return repr(cell)


def _descends(sql: str) -> bool:
    """Whether the rows come in descending order, by the first term of it."""
    shape, inner = shape_of(sql), 1
    while inner:
        shape, inner = re.subn(r"\([^()]*\)", "", shape)
    order = re.search(r"ORDER BY ([^,]*)", shape)
    return order is not None and "DESC" in order[1].split()


def _is_settled(ballots: Sequence[Ballot], wanted: int) -> bool:
    """Whether one result has more than half of all the attempts there could be."""
    counts = Counter(_same_rows(b.candidate) for b in ballots if b.candidate.result)
    return bool(counts) and max(counts.values()) > wanted / 2
