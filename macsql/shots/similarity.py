"""How alike two questions are in what they ask for, whatever they are about.

Of a question only the words that ask are kept ("how many", "for each", "the most"), synonyms
under one name; what lies between (names of the schema, values) becomes one blank. Questions are
compared by what is left: its words, pairs of neighbours, and any two words that stand in one
question, such as "each" and "most". Similarity is the cosine of their TF-IDF weights. The words
of the subject count a little, so that of two equal questions the one about the same things is
closer.
"""

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from itertools import combinations, pairwise

from macsql.linking.names import is_filler, words

_CUES = {
    "what": "what which show list give find return tell display provide retrieve get enumerate",
    "number": "number amount quantity count many much",
    "common": "common popular frequent frequently usual often",
    "each": "each every per",
    "average": "average mean avg",
    "total": "total sum overall combined altogether",
    "distinct": "different distinct unique",
    "not": "not no never without nor neither cannot t none nobody except exclude excluding",
    "more": "more greater higher above over larger exceed bigger older longer taller",
    "less": "less fewer lower below under smaller younger shorter",
    "highest": "highest largest greatest biggest top",
    "lowest": "lowest smallest fewest youngest shortest earliest cheapest lightest slowest",
    "maximum": "maximum max",
    "minimum": "minimum min",
    "descending": "descending decreasing",
    "ascending": "ascending increasing",
    "alphabetical": "alphabetical alphabetic alphabetically lexicographical",
    "ordered": "ordered sorted sort order arranged ranked",
    "percent": "percentage percent ratio proportion share",
    "is": "is are was were be been",
    "do": "do does did",
    "have": "have has had having",
    "that": "that who whose",
    "or": "or either",
    "like": "contain contains containing include includes including substring prefix",
    "start": "start starts starting begin begins beginning",
    "time": "year month day date time",
    "NUM": "two three four five six seven eight nine ten",
    "their": "their its his her",
    "they": "they them it",
    "group": "group grouped",
    "matching": "corresponding respective respectively",
}
_KEPT = (
    "how where when of for with in by to from than all any both only also but and between before"
    " after since until least most name id first last exist same letter end difference times the a"
    " most among"
)
_CUE = {stem: cue for cue, text in _CUES.items() for stem in words(text)}
_CUE |= {stem: stem for stem in words(_KEPT)}
_SUPERLATIVE = re.compile(r"\w{2,}est")
_NO_SUPERLATIVE = frozenset(
    words(
        "arrest chest contest forest guest harvest interest invest nest priest protest quest"
        " request rest suggest test west"
    )
)
_VALUE = re.compile(r"(?<!\w)(?P<quote>['\"])(?=\S).*?(?<=\S)(?P=quote)(?!\w)|\d[\d.,:/-]*")
BLANK, TEXT, NUMBER = "_", "TEXT", "NUM"
_FREQUENT = frozenset([BLANK, "^", "$", "the", "a", "of", "is", "what"])
SUBJECT = 0.25
"""Weight of a word of the subject, beside 1 for a word that asks."""
FEWEST = 100
"""A store with fewer questions is weighed as if it had so many, but for what every question has:
among five that all ask "how many", these words still say what is asked for.
"""
COMMON = 500
"""A word or pair in more questions than this, and in a quarter of all, tells them apart too
little for the time it takes."""


def mask(question: str) -> list[str]:
    """The words of ``question`` that ask, with a blank for what stands between them.

    >>> " ".join(mask("Which singers from 'New York' have the highest number of songs in 2014?"))
    'what _ from TEXT have the highest number of _ in NUM'
    """
    text = _VALUE.sub(lambda value: " 1 " if value["quote"] else " 0 ", question)
    asked: list[str] = []
    for stem in words(text):
        cue = _masked(stem)
        if cue != BLANK or asked[-1:] != [BLANK]:
            asked.append(cue)
    return asked


def _masked(stem: str) -> str:
    if stem in ("0", "1"):
        return NUMBER if stem == "0" else TEXT
    if stem in _CUE:
        return _CUE[stem]
    is_superlative = _SUPERLATIVE.fullmatch(stem) and stem not in _NO_SUPERLATIVE
    return "highest" if is_superlative else BLANK


class QuestionIndex:
    """Questions by what they ask for; ``nearest`` takes milliseconds for ten thousand of them."""

    def __init__(self, questions: Sequence[str]) -> None:
        bags = [_features(question) for question in questions]
        seen_in = Counter(feature for bag in bags for feature in bag)
        self._count = len(bags)
        common = max(COMMON, len(bags) / 4)
        self._weight = {
            feature: math.log((1 + self._number(feature)) / count) if count <= common else 0.0
            for feature, count in seen_in.items()
        }
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, bag in enumerate(bags):
            for feature, value in self._vector(bag).items():
                self._postings[feature].append((number, value))

    def nearest(
        self, question: str, limit: int, *, leave_out: Container[int] = ()
    ) -> list[tuple[float, int]]:
        """Similarity (0 to 1) and number of the closest questions, the closest first."""
        scores = [0.0] * self._count
        for feature, value in self._vector(_features(question)).items():
            for number, other in self._postings.get(feature, ()):
                scores[number] += value * other
        kept = (n for n in range(self._count) if scores[n] and n not in leave_out)
        return [(scores[n], n) for n in heapq.nlargest(limit, kept, key=scores.__getitem__)]

    def _number(self, feature: str) -> int:
        """How many questions a feature is weighed among."""
        is_everywhere = _FREQUENT.issuperset(feature.split())
        return self._count if is_everywhere else max(FEWEST, self._count)

    def _vector(self, bag: Counter[str]) -> dict[str, float]:
        """Weights of the features, of length 1."""
        raw = {
            feature: self._weight.get(feature, math.log(1 + self._number(feature)))
            * (1 + math.log(count))
            * (SUBJECT if feature[0] == "=" else 1.0)
            for feature, count in bag.items()
        }
        length = math.sqrt(sum(value * value for value in raw.values())) or 1.0
        return {feature: value / length for feature, value in raw.items() if value}


def _features(question: str) -> Counter[str]:
    """Words that ask, pairs of neighbours, any two of them (&), and words of the subject (=)."""
    asked = ["^", *mask(question), "$"]
    subject = {stem for stem in words(question) if stem not in _CUE and not is_filler(stem)}
    neighbours = (f"{one} {two}" for one, two in pairwise(asked))
    anywhere = (f"&{one} {two}" for one, two in combinations(sorted({*asked} - _FREQUENT), 2))
    return Counter([*asked[1:-1], *neighbours, *anywhere, *(f"={stem}" for stem in subject)])
