"""Countries and states under their other names: "French", "France", FR; "California", CA."""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from macsql.database.value_keys import folded_words

Kind = Literal["name", "people", "code"]

_OF_COUNTRIES = re.compile(r"countr|nation|citizen", re.IGNORECASE)
_OF_STATES = re.compile(r"state(?!ment)|provinc", re.IGNORECASE)
_OF_PEOPLE = re.compile(r"national|citizen|origin|ethnic|demonym", re.IGNORECASE)
_OF_OTHER_THINGS = re.compile(r"lang|currenc|status|grade|gender|sex|initial", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OtherName:
    """One more way to write a country, or a state of one.

    ``kind`` is "name", "people" (what comes from there is called so) or "code" (in capitals).
    """

    text: str
    kind: Kind
    is_state: bool

    def fits(self, column: str) -> bool:
        """Whether a column of that name may hold it: CA is no country in a column of states.

        >>> ca = OtherName("CA", "code", is_state=True)
        >>> ca.fits("billing_state"), ca.fits("country_code"), ca.fits("language")
        (True, False, False)
        """
        if _OF_OTHER_THINGS.search(column):
            return False
        if self.kind == "people":
            return bool(_OF_PEOPLE.search(column))
        unfit = _OF_COUNTRIES if self.is_state else _OF_STATES
        return not unfit.search(column)

    def is_written(self, stored: str) -> bool:
        """Whether a stored text is this name; case counts for codes alone."""
        return stored == self.text if self.kind == "code" else _key(stored) == _key(self.text)


def other_names(text: str) -> tuple[OtherName, ...]:
    """The other ways to write the country or state that ``text`` names; codes only in capitals.

    >>> [n.text for n in other_names("french")], other_names("fr"), other_names("Paris")
    (['France', 'FR', 'FRA'], (), ())
    >>> [n.text for n in other_names("GA")]
    ['Gabon', 'Gabonese', 'GAB', 'Georgia']
    """
    key = _key(text)
    return tuple(
        name
        for region in dict.fromkeys((*_regions().get(key, ()), *_coded(text)))
        for name in region
        if name.text != text and _key(name.text) != key
    )


def _coded(text: str) -> tuple[tuple[OtherName, ...], ...]:
    return _regions().get(f"={text}", ()) if text.isupper() else ()


def _key(text: str) -> str:
    return " ".join(folded_words(text)).removeprefix("the ")


@cache
def _regions() -> dict[str, tuple[tuple[OtherName, ...], ...]]:
    """All ways to write a region, by each of its names, and by "=" and each of its codes."""
    found: dict[str, dict[tuple[OtherName, ...], None]] = defaultdict(dict)
    text = files("macsql").joinpath("regions.txt").read_text(encoding="utf-8")
    countries, _, states = text.partition("\n\n")
    for lines, is_state in ((countries, False), (states, True)):
        for line in lines.splitlines():
            if line.startswith("#"):
                continue
            names, people, codes = (part.strip() for part in line.split(";"))
            region = (
                *(OtherName(n.strip(), "name", is_state) for n in names.split(",")),
                *(OtherName(n.strip(), "people", is_state) for n in people.split(",") if n),
                *(OtherName(code, "code", is_state) for code in codes.split()),
            )
            for name in region:
                key = f"={name.text}" if name.kind == "code" else _key(name.text)
                found[key][region] = None
    return {key: tuple(regions) for key, regions in found.items()}
