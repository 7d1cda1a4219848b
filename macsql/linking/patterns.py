"""Parts of texts that a question describes, which are no whole value: "starts with M"."""

import re

from macsql.linking.dates import Span

_LETTERS = r"(?:letters?|substrings?|sub-strings?|prefix|suffix|initials?|characters?)"
_PART = rf"(?:(?:{_LETTERS}|words?|strings?|phrase|text|article|the|an|a|either)\b|:)"
_MARKED = "|".join(
    rf"(?<!\w){a}[^{b}\n]{{1,100}}{b}(?!\w)" for a, b in ("''", '""', "``", "“”", "‘’", "«»")
)
_LETTER = r"\b[^\W\d_]\b(?!')"
_BEGINS = r"\b(?:start|starts|starting|started|begin|begins|beginning|end|ends|ending|ended)"
_OPENINGS = (
    (
        rf"{_BEGINS}\s+(?:with|by)\s+(?:{_PART}\s*)*",
        rf"{_MARKED}|{_LETTER}(?=\W*$|\W+(?:or|and)\b)|(?!{_PART})\w+",
    ),
    (rf"\bcontain(?:s|ing|ed)?\s+(?:{_PART}\s*)*", rf"{_MARKED}|{_LETTER}"),
    (
        rf"\b(?:includes?|including|ha(?:s|ve|d|ving))\s+(?:(?:the|a|an)\s+)?{_LETTERS}\s+",
        rf"{_MARKED}|{_LETTER}",
    ),
    (rf"\b{_LETTERS}\s+(?:of\s+)?", rf"{_MARKED}|{_LETTER}"),
)
_DESCRIBED = tuple(
    re.compile(
        rf"{opening}(?P<part>(?:{operand})(?:(?:\s*,\s*(?:or|and)?|\s+(?:or|and))"
        rf"\s+(?:the\s+)?(?:{_LETTERS}\s+)?(?:{_MARKED}|{_LETTER}))*)",
        re.IGNORECASE,
    )
    for opening, operand in _OPENINGS
)


def described_parts(line: str) -> list[Span]:
    """Where a line says what texts begin with, end with or contain: never a whole text.

    >>> line = "Whose name starts with 'M' or 'N', or has the letter x?"
    >>> [line[start:end] for start, end in described_parts(line)]
    ["'M' or 'N'", 'x']
    """
    return list(dict.fromkeys(m.span("part") for p in _DESCRIBED for m in p.finditer(line)))
