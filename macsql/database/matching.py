"""Which stored texts resemble a given one."""

import unicodedata
from collections.abc import Sequence

SCORE_CUTOFF = 75.0


def nearest(text: str, stored: Sequence[str], *, limit: int) -> list[str]:
    """Up to ``limit`` of ``stored`` that resemble ``text``, without repeats.

    First what is equal, then equal when case, accents and spacing are ignored, then by likeness.

    >>> nearest("manhattan", ["BRONX", "Manhatan", "MANHATTAN"], limit=5)
    ['MANHATTAN', 'Manhatan']
    """
    from rapidfuzz import fuzz, process

    wanted = _folded(text)
    values = list(dict.fromkeys(stored))
    scored = process.extract(
        wanted,
        [_folded(value) for value in values],
        scorer=fuzz.WRatio,
        limit=limit * 4,
        score_cutoff=SCORE_CUTOFF,
    )
    same = [index for index, value in enumerate(values) if _folded(value) == wanted]
    found = [*same, *(index for _, _, index in scored)]
    ranked = dict.fromkeys(values[index] for index in found)
    return sorted(ranked, key=lambda value: value != text)[:limit]


def _folded(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(plain.split())
