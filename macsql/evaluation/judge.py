"""``Judge``: what the benchmark's official script says about a prediction, and what it hides."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from macsql.checks.analysis import analyse
from macsql.errors import DatabaseError, MacSQLError
from macsql.evaluation.compare import Rows, bird_equal, spider_equal, strict_equal
from macsql.evaluation.compare_order import equal_but_for_ties, outermost_is_ordered, sort_keys
from macsql.evaluation.error_analysis import error_class
from macsql.evaluation.exact_match import ExactMatcher
from macsql.evaluation.exact_match_keys import KeyGroups
from macsql.evaluation.example import Example, Rule
from macsql.evaluation.execution_results import Outcome, Results
from macsql.evaluation.hardness import hardness
from macsql.evaluation.linking_recall import used_columns
from macsql.evaluation.official_text import (
    bird_prediction,
    is_ordered,
    spider_executed,
    spider_prediction,
)
from macsql.evaluation.soft_f1 import soft_f1
from macsql.evaluation.verdict import Verdict
from macsql.evaluation.ves import r_ves, time_ratio, ves
from macsql.schema import Schema

GOLD, PREDICTION, COMPARISON = "gold", "prediction", "comparison"
"""The steps of judging, as ``on_step`` hears of them."""

VERDICTS_KEPT = 20_000
NO_SQL = "There is no SQL."


@dataclass(frozen=True, slots=True)
class Known:
    """What earlier attempts at judging have shown: a statement with an error here is not run."""

    gold_error: str = ""
    error: str = ""
    error_kind: str = ""


NOTHING = Known()


@dataclass(frozen=True, slots=True)
class _Gold:
    """What the text of a gold query says: its hardness (Spider's rule only), the columns read."""

    hardness: str
    columns: tuple[str, ...]


_Seen = tuple[Rows | None, Rows | None] | None


class Judge:
    """Judges predictions by one benchmark's rule; keeps what is worth keeping between questions.

    Everything that an official script would do is done as it does it (``official_text``,
    ``compare``); strict EX runs both statements as they are written. A statement may run for
    ``timeout`` seconds. ``key_groups`` gives, by ``db_id``, which key columns exact match takes as
    the same; without it the database's own foreign keys say so. With ``ves_repeats`` correct
    predictions are timed so often. With ``official_only`` a verdict has what the official scripts
    say and no more: no strict EX, no names, no class of mistake. ``on_step`` is called as each step
    begins, so that whoever watches knows what hangs.

    Statements run in this process. What may hang, or eat its memory, belongs into ``JudgePool``.
    """

    def __init__(
        self,
        rule: Rule,
        *,
        timeout: float = 30.0,
        ves_repeats: int = 0,
        official_only: bool = False,
        key_groups: Mapping[str, KeyGroups] | None = None,
        on_step: Callable[[str], None] = lambda step: None,
    ) -> None:
        self.rule = rule
        self._results = Results(rule, timeout=timeout)
        self._repeats = ves_repeats
        self._official_only = official_only
        self._key_groups = key_groups or {}
        self._on_step = on_step
        self._matchers: dict[str, ExactMatcher] = {}
        self._verdicts: OrderedDict[tuple[Example, str, str, str], Verdict] = OrderedDict()
        self._golds: dict[tuple[str, str], _Gold] = {}

    def judge(
        self,
        example: Example,
        sql: str,
        error: str = "",
        error_kind: str = "",
        *,
        known: Known = NOTHING,
    ) -> Verdict:
        """The verdict on ``sql``, which is empty where there is no answer; never raises for it.

        ``error`` and ``error_kind`` are what the answer says of itself; they count where there is
        no SQL. What several systems answered alike is judged once, unless it is timed.
        """
        key = (example, sql, error, error_kind)
        if known != NOTHING or self._repeats:
            return self._judge(example, sql, error, error_kind, known)
        if key not in self._verdicts:
            self._verdicts[key] = self._judge(example, sql, error, error_kind, NOTHING)
            if len(self._verdicts) > VERDICTS_KEPT:
                self._verdicts.popitem(last=False)
        return self._verdicts[key]

    def _judge(
        self, example: Example, sql: str, error: str, error_kind: str, known: Known
    ) -> Verdict:
        verdict = Verdict(id=example.id, db_id=example.db_id, difficulty=example.difficulty)
        if self.rule == "bird":
            sql = bird_prediction(sql)
            verdict = replace(verdict, soft_f1=0.0)
        gold = Outcome(None, 0.0, known.gold_error)
        if not known.gold_error:
            gold = self._run(example.database, self._gold_text(example), GOLD)
        verdict = replace(
            verdict,
            gold_error=gold.error,
            gold_empty=gold.rows is not None and not gold.rows,
            gold_seconds=gold.seconds,
        )
        predicted = Outcome(None, 0.0, error or NO_SQL, error_kind or "Missing")
        seen: _Seen = None
        if known.error:
            predicted = Outcome(None, 0.0, known.error, known.error_kind)
        elif sql.strip():
            predicted = self._run(example.database, self._text(sql), PREDICTION)
            verdict, seen = self._executed(example, sql, verdict, gold, predicted)
        if predicted.rows is None:
            verdict = replace(verdict, error=predicted.error, error_kind=predicted.error_kind)
        self._on_step(COMPARISON)
        try:
            schema = self._results.schema(example.database)
        except MacSQLError:
            return verdict
        return self._analysed(example, sql, schema, verdict, seen or (gold.rows, predicted.rows))

    # Execution ------------------------------------------------------------------------------

    def _text(self, sql: str) -> str:
        return spider_executed(spider_prediction(sql)) if self.rule == "spider" else sql

    def _gold_text(self, example: Example) -> str:
        return spider_executed(example.gold_sql) if self.rule == "spider" else example.gold_sql

    def _run(self, database: str, sql: str, step: str) -> Outcome:
        return self._results.run(database, sql, lambda: self._on_step(step))

    def _executed(
        self, example: Example, sql: str, verdict: Verdict, gold: Outcome, predicted: Outcome
    ) -> tuple[Verdict, "_Seen"]:
        """The verdict with all that comes from the rows, and those of a test suite that differ."""
        ex, score = False, verdict.soft_f1
        seen: _Seen = None
        if gold.rows is not None and predicted.rows is not None:
            self._on_step(COMPARISON)
            ex = self._is_right(example, gold.rows, predicted.rows)
            score = soft_f1(gold.rows, predicted.rows) if self.rule == "bird" else None
            if ex and example.test_suite:
                verdict, ex, seen = self._on_test_suite(example, sql, verdict)
        strict = runs = False
        if gold.rows is not None and not self._official_only:
            strict, runs = self._is_strictly_right(example, sql)
        verdict = replace(
            verdict,
            ex=ex,
            ex_strict=strict,
            soft_f1=score,
            valid=runs or predicted.rows is not None,
            seconds=predicted.seconds,
        )
        if ex and self._repeats:
            verdict = self._timed(example, sql, verdict)
        return verdict, seen

    def _is_right(self, example: Example, gold: Rows, predicted: Rows) -> bool:
        if self.rule == "bird":
            return bird_equal(gold, predicted)
        ordered = is_ordered(self._gold_text(example))
        return spider_equal(gold, predicted, ordered=ordered)

    def _on_test_suite(
        self, example: Example, sql: str, verdict: Verdict
    ) -> tuple[Verdict, bool, "_Seen"]:
        """Whether the prediction is right on every further database too; the first not ends it,
        and its rows say what the mistake is.
        """
        for database in example.test_suite:
            gold = self._run(database, self._gold_text(example), GOLD)
            predicted = self._run(database, self._text(sql), PREDICTION)
            if gold.rows is None:
                return replace(verdict, gold_error=f"{database}: {gold.error}"), False, None
            if predicted.rows is None:
                why = f"{database}: {predicted.error}"
                verdict = replace(verdict, error=why, error_kind=predicted.error_kind)
                return verdict, False, None
            self._on_step(COMPARISON)
            if not self._is_right(example, gold.rows, predicted.rows):
                return verdict, False, (gold.rows, predicted.rows)
        return verdict, True, None

    def _is_strictly_right(self, example: Example, sql: str) -> tuple[bool, bool]:
        """Strict EX on the statements as they are written, and whether the predicted one runs."""
        strict, runs = self._is_strict_on(example.database, example, sql)
        strict = strict and all(self._is_strict_on(d, example, sql)[0] for d in example.test_suite)
        return strict, runs

    def _is_strict_on(self, place: str, example: Example, sql: str) -> tuple[bool, bool]:
        predicted = self._run(place, sql, PREDICTION)
        if predicted.rows is None:
            return False, False
        gold = self._run(place, example.gold_sql, COMPARISON)
        if gold.rows is None:
            return False, True
        self._on_step(COMPARISON)
        free = self.rule == "spider"
        ordered = outermost_is_ordered(example.gold_sql)
        if strict_equal(gold.rows, predicted.rows, ordered=ordered, any_column_order=free):
            return True, True
        known = sort_keys(example.gold_sql) if ordered else None
        if known is None or len(gold.rows) != len(predicted.rows):
            return False, True
        keyed = self._run(place, known.sql, COMPARISON)
        is_tied = keyed.rows is not None and equal_but_for_ties(
            known, keyed.rows, gold.rows, predicted.rows, any_column_order=free
        )
        return is_tied, True

    def _timed(self, example: Example, sql: str, verdict: Verdict) -> Verdict:
        """With VES and R-VES; a statement that fails on the way leaves them unknown."""

        def timing(text: str) -> Callable[[], float]:
            def seconds() -> float:
                self._on_step(COMPARISON)
                return self._results.seconds(example.database, text)

            return seconds

        try:
            ratio = time_ratio(
                timing(self._gold_text(example)), timing(self._text(sql)), self._repeats
            )
        except DatabaseError:
            return verdict
        return replace(verdict, ves=ves(ratio), r_ves=r_ves(ratio))

    # Trees ----------------------------------------------------------------------------------

    def _analysed(
        self,
        example: Example,
        sql: str,
        schema: Schema,
        verdict: Verdict,
        rows: tuple[Rows | None, Rows | None],
    ) -> Verdict:
        """The verdict with all that comes from the texts."""
        gold = self._gold(example, schema)
        verdict = replace(
            verdict,
            hardness=gold.hardness,
            difficulty=verdict.difficulty or gold.hardness,
            gold_columns=gold.columns,
        )
        if self.rule == "spider":
            match = self._matcher(example, schema).match(example.gold_sql, spider_prediction(sql))
            verdict = replace(verdict, em=match.em, partial=match.partial, unparsed=match.unparsed)
        if self._official_only:
            return verdict
        if not verdict.valid:
            verdict = replace(verdict, unknown_names=unknown_names(sql, schema))
        if verdict.ex:
            return verdict
        found = error_class(example.gold_sql, sql, schema, *rows, verdict)
        return replace(verdict, error_class=found)

    def _gold(self, example: Example, schema: Schema) -> _Gold:
        key = (example.database, example.gold_sql)
        if key not in self._golds:
            kind = hardness(example.gold_sql, schema) if self.rule == "spider" else None
            columns = () if self._official_only else used_columns(example.gold_sql, schema)
            self._golds[key] = _Gold(kind or "", columns)
        return self._golds[key]

    def _matcher(self, example: Example, schema: Schema) -> ExactMatcher:
        if example.database not in self._matchers:
            groups = self._key_groups.get(example.db_id)
            self._matchers[example.database] = ExactMatcher(schema, key_groups=groups)
        return self._matchers[example.database]


def judge(example: Example, sql: str, *, rule: Rule, timeout: float = 30.0) -> Verdict:
    """The verdict on one prediction, judged in this process; see ``Judge``."""
    return Judge(rule, timeout=timeout).judge(example, sql)


def unknown_names(sql: str, schema: Schema) -> tuple[str, ...]:
    """Tables ("table") and columns ("column" or "table.column") of ``sql`` that are nowhere.

    Only what is certain: a column that another table has is misplaced, not invented.

    >>> from macsql.schema import Column, Table
    >>> shop = Schema("sqlite", (Table("item", (Column("id", "INTEGER"),)),))
    >>> unknown_names("SELECT T1.cost FROM item AS T1 JOIN shop", shop)
    ('item.cost', 'shop')
    """
    found: set[str] = set()
    for problem in analyse(sql, schema).problems:
        relation = problem.relation
        if problem.finding.code == "unknown-table" and relation is not None:
            found.add(relation.node.name)
        elif problem.finding.code == "unknown-column":
            for use in problem.uses:
                table = use.relation.table if use.relation else None
                found.add(f"{table.name}.{use.name}" if table else use.name)
    return tuple(sorted(found))
