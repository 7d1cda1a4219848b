"""What the words of a question ask for: kind of answer, columns, order, negation."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from macsql.checks.names import nearest, words

_NAME = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|(?<!\w)'([^']+)'(?!\w)|``([^`']+)''")
HOW_MANY = re.compile(
    r"\s*(?:so |and )?(?:how many|count (?:the|how|all)|"
    r"(?:what|give|find|show|tell|return)(?:'s| is| are| me)* the (?:total )?(?:number|count) of)\b"
)
"""The beginning of a question that asks for a number of things."""
_COUNTED = re.compile(
    r"\b(?:how many|number of|count (?:the|how many|all)|(?:the|has|have|had|with) (?:most|fewest))"
    r"((?:\s+(?!(?:of|with|in|that|who|whose|which|are|is|was|were|do|does|did|have|has|had|having|"
    r"for|from|by|on|at|and|or|to|than|as|each|per|there|live|living|not|never|ever|without|take|"
    r"took|taken|taking|get|got|make|made|can|could|will|belong|belonging|participate|participated|"
    r"the|an?|any|some|all|every|both|it|its|their|his|her|this|those|these|they|he|she|we|you|i|"
    r"through|into|under|over|about|during|since|within|between|after|before|until|when|where|"
    r"while|if|but|used|number)\b)[\w']+)+)"
)
_PLURAL = re.compile(r"people|children|men|women|(?!sales$|sports$|news$|goods$)\w{2,}[^\Wsui]s")
_QUALITY = re.compile(r"\w+(?:ar|ive|ent|ant|ous|ful|able|ible|ed|ing|ly)|common|recent|rich")
"""What "the most popular" has after most; "the most different" counts different ones."""
_OPENING = re.compile(
    r"^\s*(?:(?:please|can|could|would|will|you|i|want|need|to|know|and)\s+)*"
    r"(?:(?:what|which|who)(?:'s|\s+(?:is|are|was|were))|what|which|"
    r"(?:show|list|give|find|return|display|get|tell|report|select|compute|calculate|state|print|"
    r"provide|identify|name)(?:\s+(?:out|me|us|all))*)\s+"
)
_HEAD_END = re.compile(
    r"\b(?:of|for|that|who|whose|whom|which|with|in|by|from|where|on|at|to|as|sorted|ordered|when|"
    r"having|has|have|had|is|are|was|were|does|do|did|than|among|between|across|per|each|every|"
    r"without|after|before|belonging|located|if|but|not|using|used)\b|[?.;:()]"
)
# What is asked for in addition, after the beginning.
_FURTHER = re.compile(
    r"\b(?:their|its|his|her|corresponding|respective|respectively|also|along|together|include|"
    r"including|both|as well|with (?:the )?(?:total )?number)\b|,|[.?;:] *\w|"
    r"\band (?:\w+ ){1,4}of\b|"
    r"\band (?:the|how|what|which|where|when|who|find|list|show|give|return)\b"
)
_GROUPED = re.compile(r"\b(?:each|every|per|different|various|respective|and|by|all|their)\b|,")
# Words that stand for more columns than one, or for all.
_MANIFOLD = re.compile(
    r"\b(?:full names?|information|info|details?|everything|all (?:the )?(?:data|columns|fields)|"
    r"pairs?|oldest and|longest and|first and|statistics|range|records?)\b|\("
)
_BETWEEN = re.compile(r"\s*(?:,\s*and\b|,\s*or\b|,|\band\b|\bas well as\b)\s*")

_QUESTION_WORDS = (
    ("when", ("date", "time", "year", "day", "month")),
    ("where", ("place", "location", "city", "country", "address", "state")),
    ("how (?:long|far)", ("duration", "length", "distance", "time")),
    ("how (?:much|expensive)", ("price", "cost", "amount", "total", "money")),
    ("years? old|aged", ("age",)),
    ("how (?:old|tall|big|large|heavy)", ("age", "height", "size", "area", "weight", "capacity")),
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question: as written; in lower case without what is in quotes; and with its evidence.

    ``said`` is the question and its evidence in lower case, ``words`` are those of both, folded and
    in the singular.
    """

    text: str
    plain: str
    said: str
    words: frozenset[str]

    def says(self, pattern: str) -> bool:
        """Whether the regular expression is found in the plain text, at the bounds of words."""
        return re.search(rf"\b(?:{pattern})\b", self.plain) is not None

    def speaks_of(self, name: str) -> bool:
        """Whether a word of the question, or what its question word asks for, is like ``name``."""
        asked = (kind for word, kinds in _QUESTION_WORDS if self.says(word) for kind in kinds)
        near = nearest(name, (*self.words, *asked), at_least=0.7, limit=1)
        return bool(near) or any(len(w) > 4 and w[:5] == name[:5] for w in self.words)

    @property
    def quoted(self) -> list[str]:
        """The texts that stand in quotes."""
        return [next(filter(None, m.groups())) for m in _QUOTED.finditer(self.text)]


@lru_cache(maxsize=256)
def read_question(text: str, evidence: str = "") -> Question:
    """Read a question once for all checks.

    >>> read_question('Which singers are not from "New York"?').plain
    'which singers are not from  ?'
    """
    plain = _QUOTED.sub(" ", text.casefold().replace("’", "'"))
    both = f"{text}\n{evidence}" if evidence else text
    found = (w for part in re.findall(r"[^\W_]+", both) for w in words(part))
    return Question(text, plain, both.casefold(), frozenset(found))


def counted_things(question: Question) -> list[tuple[str, ...]]:
    """What the question asks the number of, each in its words, folded and in the singular.

    >>> counted_things(read_question("How many king beds are there, and who has the most rooms?"))
    [('king', 'bed'), ('room',)]
    >>> counted_things(read_question("How many students play football in the most popular clubs?"))
    [('student',)]
    """
    found = []
    for match in _COUNTED.finditer(question.plain):
        run = _NAME.findall(match[1])
        is_most = match[0].split()[1] in ("most", "fewest")
        if is_most and len(run) > 1 and _QUALITY.fullmatch(run[0]) and run[0] != "different":
            continue
        found.append(tuple(w for part in _without_verb(run) for w in words(part)))
    return found


def _without_verb(run: list[str]) -> list[str]:
    """What comes before the verb: "students play football", but not "sports clubs"."""
    for i, (word, following) in enumerate(pairwise(run)):
        if _PLURAL.fullmatch(word) and not _PLURAL.fullmatch(following):
            return run[: i + 1]
    return run


def asked_items(question: Question) -> tuple[str, ...]:
    """The columns that the beginning of a question asks for, in its words.

    Empty where it does not say clearly that these are all.

    >>> asked_items(read_question("What are the name, city and country of the airport?"))
    ('the name', 'city', 'country')
    >>> asked_items(read_question("How many singers are there?"))
    ('how many',)
    >>> asked_items(read_question("Who sang, and when?"))
    ()
    """
    if _MANIFOLD.search(question.plain):
        return ()
    if counted := HOW_MANY.match(question.plain):
        rest = question.plain[counted.end() :]
        return () if _GROUPED.search(rest) else (counted[0].strip(),)
    opening = _OPENING.match(question.plain)
    if opening is None:
        return ()
    rest = question.plain[opening.end() :]
    end = _HEAD_END.search(rest)
    head, tail = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")
    items = tuple(part.strip() for part in _BETWEEN.split(head) if part.strip())
    # "Which pupils take maths and art": where the verb begins is not known.
    unclear = len(items) > 1 and opening[0].split()[-1] in {"which", "what"}
    return () if unclear or _FURTHER.search(tail) else items
