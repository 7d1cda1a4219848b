"""Spider's exact set match: are two queries the same but for order, aliases and values?

The verdicts are those of the official script (``--etype match``, values and DISTINCT not
compared). It reads SQL word by word with a narrow grammar, and what it cannot read counts as an
empty query, so the clauses come from ``clauses_reader`` and not from a full SQL parser: half the
surprises of this score lie in what that grammar accepts.
"""

from dataclasses import dataclass, field

from macsql.evaluation.clauses import Query
from macsql.evaluation.clauses_reader import Unreadable, names_of, read_words
from macsql.evaluation.clauses_text import words
from macsql.evaluation.exact_match_keys import KeyGroups, schema_keys, shared_keys
from macsql.evaluation.exact_match_scores import (
    CLAUSE_SCORES,
    clause_scores,
    same_sources,
    with_shared_keys,
    without_values,
)
from macsql.evaluation.official_text import spider_prediction
from macsql.schema import Schema


@dataclass(frozen=True, slots=True)
class Match:
    """The verdict on one prediction.

    ``em`` is None where the official rule cannot read the gold query; then nothing is compared.
    ``partial`` gives the F1 of each clause, 0.0 or 1.0, under its official name. ``unparsed`` says
    that the prediction could not be read and counted as an empty query, ``reason`` why.
    """

    em: bool | None
    partial: dict[str, float] = field(default_factory=dict)
    unparsed: bool = False
    reason: str = ""


class ExactMatcher:
    """Compares queries on one database.

    ``key_groups`` says which key columns count as the same (see ``spider_keys``); without it, those
    tied by the foreign keys of ``schema``. Gold queries are read once and kept.
    """

    def __init__(self, schema: Schema, *, key_groups: KeyGroups | None = None) -> None:
        self._names = names_of(schema)
        self._keys = shared_keys(schema_keys(schema) if key_groups is None else key_groups)
        self._gold: dict[str, Query | str] = {}

    def match(self, gold_sql: str, predicted_sql: str) -> Match:
        """Compare a prediction with the gold query.

        The prediction is cut and changed first as the official script does (``spider_prediction``);
        the gold query is read as it is.
        """
        if gold_sql not in self._gold:
            self._gold[gold_sql] = self._read(gold_sql)
        gold = self._gold[gold_sql]
        predicted = self._read(spider_prediction(predicted_sql))
        reason = predicted if isinstance(predicted, str) else ""
        if isinstance(gold, str):
            return Match(None, {}, bool(reason), reason)
        query = Query() if isinstance(predicted, str) else predicted
        scores = clause_scores(gold, query)
        partial = {name: float(scores[name]) for name in CLAUSE_SCORES}
        em = all(scores.values()) and same_sources(gold, query)
        return Match(em, partial, bool(reason), reason)

    def _read(self, sql: str) -> Query | str:
        """The query in the form in which two are compared, or why it cannot be read."""
        try:
            query = read_words(words(sql), self._names)
        except Unreadable as error:
            return str(error)
        return with_shared_keys(without_values(query), self._keys)
