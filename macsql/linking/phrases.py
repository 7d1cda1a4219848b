"""The groups of words of a question that may stand for a stored value."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from macsql.database.value_keys import folded_words, value_key
from macsql.linking.dates import Span, day_orders
from macsql.linking.dates import dates as dates_of
from macsql.linking.names import is_filler
from macsql.linking.patterns import described_parts

MAX_WORDS = 6
MAX_QUOTED_WORDS = 16
MAX_TOKENS = 500
"""Words read of a question and its evidence: more than people write."""

_TOKEN = re.compile(r"(?:[^\W\d_]\.){2,}|[^\W_]+(?:['’&][^\W_]+)*")
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "`": "`", "«": "»"}
_QUOTED = re.compile(
    "|".join(rf"(?<!\w){a}([^{b}\n]{{1,100}}){b}(?!\w)" for a, b in _QUOTES.items())
)
_SENTENCE_END = re.compile(r"[?!]\W*$|\w{3}\.\W*$|^\W*$")
_BREAK = re.compile(r"[?!;]")
_COMMON = re.compile(
    """
    at|about|above|across|after|again|against|along|alphabetical|also|although|among|amount|
    another|around|ascending|associated|average|away|back|because|been|before|being|belong|
    below|best|between|both|but|called|came|can|come|compute|contain|corresponding|could|count|
    counts|data|date|day|descending|description|detail|details|different|distinct|down|during|
    earliest|eight|either|else|end|enough|even|ever|few|fewest|first|five|four|get|go|going|
    good|got|great|greater|group|having|her|here|high|higher|highest|him|himself|his|i|ids|if|
    include|including|information|into|item|items|just|keep|kind|large|larger|largest|last|late|
    later|latest|less|let|like|likely|live|long|longest|low|lower|lowest|made|make|makes|
    maximum|may|mean|might|minimum|money|month|more|much|must|my|need|never|new|newest|next|
    nine|none|nor|now|numbers|off|often|old|older|oldest|once|one|only|open|order|ordered|other|
    others|out|over|overall|own|part|past|per|place|please|price|put|respectively|same|say|
    second|see|select|set|seven|several|shall|share|she|should|since|six|so|some|sort|sorted|
    start|starting|state|still|such|sum|take|taken|ten|than|then|third|three|through|time|times|
    title|titles|today|together|too|top|total|toward|twice|two|under|unique|until|up|upon|us|
    use|used|uses|using|value|values|very|way|well|went|while|whole|why|with|within|without|
    work|would|year|years|yes|yet|young|younger|youngest|your|zero
    """,
    re.VERBOSE,
)
"""Words that ask, compare, count and order."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Neighbouring words as they are written, from the ``start``-th to before the ``end``-th.

    ``key`` is what it is looked up by. ``is_capital`` says that its first and last word have a
    capital letter that no start of a sentence explains. ``dates`` are the orders in which the
    numbers of a date may be stored; it is empty when the phrase is no date. ``is_of_date`` says
    that it is a part of one, as "May" of "May 2023".
    """

    text: str
    start: int
    end: int
    key: str
    is_quoted: bool = False
    is_capital: bool = False
    dates: tuple[list[str], ...] = ()
    is_of_date: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """Where it begins and ends."""
        return self.start, self.end

    @property
    def length(self) -> int:
        """How many words there are."""
        return self.end - self.start


def read_phrases(text: str) -> list[Phrase]:
    """Every group of up to six neighbouring words of a line, what stands in quotes, and dates.

    >>> [p.text for p in read_phrases('Is "Sky" blue?') if p.length == 1]
    ['Sky', 'Is', 'blue']
    >>> [p.dates[0] for p in read_phrases("since 5 May 2010") if p.dates]
    [['2010', '5', '5']]
    """
    found: list[Phrase] = []
    base = 0
    for line in text.splitlines():
        tokens = list(_TOKEN.finditer(line))[: MAX_TOKENS - base]
        quoted = list(_quoted(line, tokens, base))
        groups = [*quoted, *(p for p in _groups(line, tokens, base) if not _crosses(p, quoted))]
        described = [_place(span, tokens, base) for span in described_parts(line)]
        dates = [_place(span, tokens, base) for span in dates_of(line)]
        found += (_in_dates(p, dates) for p in groups if not _touches(p, described))
        base += len(tokens)
    return found


def _place(span: Span, tokens: Sequence[re.Match[str]], base: int) -> Span:
    """The words that stand between two characters of a line."""
    inside = [i for i, t in enumerate(tokens) if t.start() < span[1] and span[0] < t.end()]
    return (base + inside[0], base + inside[-1] + 1) if inside else (0, 0)


def _touches(phrase: Phrase, places: Sequence[Span]) -> bool:
    return any(phrase.start < end and start < phrase.end for start, end in places)


def _in_dates(phrase: Phrase, dates: Sequence[Span]) -> Phrase:
    is_part = any(
        start <= phrase.start and phrase.end <= end and phrase.place != (start, end)
        for start, end in dates
    )
    return replace(phrase, is_of_date=True) if is_part and not phrase.is_quoted else phrase


def _crosses(phrase: Phrase, quoted: Sequence[Phrase]) -> bool:
    return any(_cross(phrase, other) for other in quoted)


def _cross(phrase: Phrase, quoted: Phrase) -> bool:
    """Whether a group is the quoted one, or begins inside of it and ends outside, or reversely."""
    inside = quoted.start <= phrase.start and phrase.end <= quoted.end
    outside = phrase.end <= quoted.start or quoted.end <= phrase.start
    is_same = (phrase.start, phrase.end) == (quoted.start, quoted.end)
    return is_same or not (inside or outside)


def _groups(line: str, tokens: Sequence[re.Match[str]], base: int) -> Iterator[Phrase]:
    capitals = [_is_capital(line, token) for token in tokens]
    for length in range(1, MAX_WORDS + 1):
        for start in range(len(tokens) - length + 1):
            end = start + length
            written = line[tokens[start].start() : tokens[end - 1].end()]
            if _BREAK.search(written):
                continue
            capital = capitals[start] and capitals[end - 1]
            place = (base + start, base + end)
            yield Phrase(written, *place, value_key(written), is_capital=capital)
            if 3 <= length <= 4 and (dates := day_orders(written)):
                key = value_key(" ".join(dates[0]))
                yield Phrase(written, *place, key, is_capital=capital, dates=dates)


def _is_capital(line: str, token: re.Match[str]) -> bool:
    word = token[0]
    if any(c.isupper() for c in word[1:]):
        return True
    return word[0].isupper() and not _SENTENCE_END.search(line[: token.start()])


def _quoted(line: str, tokens: Sequence[re.Match[str]], base: int) -> Iterator[Phrase]:
    for match in _QUOTED.finditer(line):
        inside = next(group for group in match.groups() if group is not None)
        places = [i for i, t in enumerate(tokens) if match.start() < t.start() < match.end()]
        if places and len(places) <= MAX_QUOTED_WORDS:
            yield Phrase(
                inside.strip(),
                base + places[0],
                base + places[-1] + 1,
                value_key(inside),
                is_quoted=True,
                is_capital=True,
            )


def is_common(word: str) -> bool:
    """Whether a word is one of those that questions are made of, and hardly names a thing.

    >>> is_common("Two"), is_common("Paris")
    (True, False)
    """
    return bool(_COMMON.fullmatch(word.casefold())) or is_filler(word)


def is_number(text: str) -> bool:
    """Whether a phrase has no letters.

    >>> is_number("2010"), is_number("AB-12")
    (True, False)
    """
    return not any(w[0].isalpha() for w in folded_words(text))
