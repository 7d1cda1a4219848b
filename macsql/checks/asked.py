"""What the question says for one cure and against another that changes as much."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from macsql.checks.corrections import is_short_form
from macsql.checks.edits import Fix
from macsql.checks.names import words
from macsql.checks.text import Statement

_NAME = re.compile(r"\w+")
_SQL = frozenset(["JOIN", "LEFT", "ON", "AS", "AND", "IN", "SELECT", "FROM", "WHERE", "DISTINCT"])
"""What cures write beside names, in capitals."""
_NAMED, _UNNAMED, _LOST = 0.15, 0.05, 0.2
_MOST = 2
"""Words that count, of each kind: enough to decide between cures that are about as likely."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of the question, folded and in the singular; none when it is not known."""

    words: frozenset[str] = frozenset()

    @classmethod
    def of(cls, question: str) -> "Asked":
        """The words of ``question``."""
        return cls(frozenset(w for token in _NAME.findall(question) for w in words(token)))

    def ranked(self, fixes: Sequence[Fix], statement: Statement, wrong: str) -> list[Fix]:
        """Cures of the name ``wrong`` with what the question says of them in their cost."""
        if not self.words:
            return list(fixes)
        weighed = [
            replace(f, cost=max(0.1, f.cost + self._weight(f, statement, wrong))) for f in fixes
        ]
        return sorted(weighed, key=lambda fix: fix.cost)

    def _weight(self, fix: Fix, statement: Statement, wrong: str) -> float:
        """Names that the question names speak for a fix, those it does not against it, and so does
        to lose one that it names.
        """
        old, new, written = (
            _words(" ".join(statement.sql[e.start : e.end] for e in fix.edits)),
            _words(" ".join(e.text for e in fix.edits)),
            _words(statement.sql),
        )
        added, lost = new - written, old - new - _words(wrong)
        named = {word for word in added if self._names(word)}
        gone = {word for word in lost if self._names(word)}
        return (
            _UNNAMED * min(_MOST, len(added - named))
            - _NAMED * min(_MOST, len(named))
            + _LOST * min(_MOST, len(gone))
        )

    def _names(self, word: str) -> bool:
        """Whether the question has the word, or one made of it: "transferred" names transfer, and
        "destination" names dst.
        """
        return (
            word in self.words
            or (len(word) >= 4 and any(said.startswith(word) for said in self.words))
            or (len(word) >= 3 and any(is_short_form(word, said) for said in self.words))
        )


def _words(text: str) -> frozenset[str]:
    names = (name for name in _NAME.findall(text) if name not in _SQL)
    return frozenset(w for name in names for w in words(name) if len(w) > 1)
