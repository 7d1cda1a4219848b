"""Countries and states under their other names: "French", "France", FR; "California", CA."""

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Literal

from macsql.database.value_keys import folded_words

Kind = Literal["name", "people", "code"]
Region = tuple["OtherName", ...]

PLAIN_CODES = frozenset({"US", "USA", "UK", "UAE", "PRC"})
"""Codes that hardly mean something else, in any column."""
_OF_COUNTRIES = re.compile(r"countr|nation|citizen", re.IGNORECASE)
_OF_STATES = re.compile(r"state(?!ment)|provinc", re.IGNORECASE)
_OF_PEOPLE = re.compile(r"national|citizen|origin|ethnic|demonym", re.IGNORECASE)
_OF_REGIONS = re.compile(
    rf"{_OF_COUNTRIES.pattern}|{_OF_STATES.pattern}|region|origin", re.IGNORECASE
)
_NAME_OF_ALL = re.compile(
    r"(?:(?:short|long|full|official|iso\d?)_?)?(?:name|code|title)", re.IGNORECASE
)
_OF_OTHER_THINGS = re.compile(r"lang|currenc|status|grade|gender|sex|initial", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OtherName:
    """One more way to write a country, or a state of one.

    ``kind`` is "name", "people" (what comes from there is called so) or "code" (in capitals), and
    ``said`` the kind of the text that it is another name of. ``is_one_of_two`` says that this text
    names another region, too: CA is Canada and California.
    """

    text: str
    kind: Kind
    is_state: bool
    said: Kind = "name"
    is_one_of_two: bool = False

    def fits(self, column: str, table: str = "") -> bool:
        """Whether a column of that name may hold it: CA is no country in a column of states.

        A column that is only called name or code is one of what its ``table`` is of.

        >>> ca = OtherName("CA", "code", is_state=True)
        >>> ca.fits("billing_state"), ca.fits("country_code"), ca.fits("language")
        (True, False, False)
        """
        place = _place(column, table)
        if _OF_OTHER_THINGS.search(place):
            return False
        if self.kind == "people":
            return bool(_OF_PEOPLE.search(place))
        if not (self._is_plain() or self.is_sure(column, table)):
            return False
        unfit = _OF_COUNTRIES if self.is_state else _OF_STATES
        return not unfit.search(place)

    def _is_plain(self) -> bool:
        """Whether nothing else is called so, or hardly."""
        is_code = self.kind == "code" and self.text not in PLAIN_CODES
        return self.said == "name" and not is_code

    def is_sure(self, column: str, table: str = "") -> bool:
        """Whether the names say that it holds regions: "Georgia" may be somebody's first name."""
        return may_be_regions(column, table)

    def is_certain(self, column: str, table: str = "") -> bool:
        """Whether it is what is meant, if the column has it and not the text that is another."""
        return self.is_sure(column, table) and not self.is_one_of_two

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
    named = _named(text, key)
    return tuple(
        replace(name, said=said, is_one_of_two=len(named) > 1)
        for region, said in named.items()
        for name in region
        if name.text != text and _key(name.text) != key
    )


def _named(text: str, key: str) -> dict["Region", Kind]:
    """The regions that the text names, and how it does."""
    found: dict[Region, Kind] = {}
    if text.isupper():
        code = text.replace(".", "")
        said: Kind = "name" if code in PLAIN_CODES else "code"
        found |= dict.fromkeys(_regions().get(f"={code}", ()), said)
    for region in _regions().get(key, ()):
        found[region] = next(n.kind for n in region if n.kind != "code" and _key(n.text) == key)
    return found


def may_be_regions(column: str, table: str = "") -> bool:
    """Whether the names of a column and its table say that it holds countries or states."""
    return _OF_REGIONS.search(_place(column, table)) is not None


def _place(column: str, table: str) -> str:
    return f"{table} {column}" if _NAME_OF_ALL.fullmatch(column) else column


def _key(text: str) -> str:
    return " ".join(folded_words(text)).removeprefix("the ")


@cache
def _regions() -> dict[str, tuple[Region, ...]]:
    """All ways to write a region, by each of its names, and by "=" and each of its codes."""
    found: dict[str, dict[Region, None]] = defaultdict(dict)
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
