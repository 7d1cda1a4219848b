"""Other names of countries and states."""

from importlib.resources import files

import pytest

from macsql.regions import OtherName, other_names


def texts(name: str) -> list[str]:
    return [n.text for n in other_names(name)]


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("French", "France"),
        ("the Netherlands", "NL"),
        ("Holland", "Netherlands"),
        ("USA", "United States"),
        ("america", "USA"),
        ("British", "UK"),
        ("UK", "Great Britain"),
        ("U.S.", "United States"),
        ("U.S.A.", "United States"),
        ("cote d'ivoire", "Ivory Coast"),
        ("Côte d’Ivoire", "CIV"),
        ("California", "CA"),
        ("TX", "Texas"),
        ("Germany", "German"),
    ],
)
def test_a_region_has_other_names(written: str, other: str) -> None:
    assert other in texts(written)
    assert texts(other)


@pytest.mark.parametrize(
    "word", ["in", "or", "me", "us", "no", "Paris", "Smith", "", "42", "x" * 99]
)
def test_other_words_name_no_region(word: str) -> None:
    assert other_names(word) == ()


def test_a_column_called_name_or_code_is_of_what_its_table_is_of() -> None:
    code = OtherName("CA", "code", is_state=False)
    assert code.fits("code", "country")
    assert not code.fits("code", "product")
    assert not code.fits("code", "states")


def test_a_code_may_be_of_two_regions() -> None:
    assert {"Canada", "California"} <= set(texts("CA"))
    assert not any(n.is_certain("country") for n in other_names("CA"))
    assert all(n.is_certain("country") for n in other_names("FR"))
    assert {"GE", "GA"} <= set(texts("Georgia"))


@pytest.mark.parametrize(
    ("name", "column", "fits"),
    [
        (OtherName("CA", "code", is_state=True), "billing_state", True),
        (OtherName("CA", "code", is_state=True), "country", False),
        (OtherName("CA", "code", is_state=False), "state", False),
        (OtherName("CA", "code", is_state=False), "code", False),
        (OtherName("USA", "code", is_state=False), "headquarters", True),
        (OtherName("Georgia", "name", is_state=False, said="people"), "first_name", False),
        (OtherName("Chad", "name", is_state=False, said="code"), "first_name", False),
        (OtherName("French", "people", is_state=False), "language", False),
        (OtherName("French", "people", is_state=False), "name", False),
        (OtherName("French", "people", is_state=False), "Nationality", True),
        (OtherName("IT", "code", is_state=False), "lang", False),
        (OtherName("Germany", "name", is_state=False), "statement", True),
    ],
)
def test_the_column_must_fit(name: OtherName, column: str, fits: bool) -> None:
    assert name.fits(column) is fits


def test_codes_are_compared_with_their_case_and_names_without() -> None:
    assert not OtherName("IN", "code", is_state=True).is_written("in")
    assert OtherName("France", "name", is_state=False).is_written("FRANCE")


def test_every_line_has_names_people_and_codes() -> None:
    lines = files("macsql").joinpath("regions.txt").read_text(encoding="utf-8").splitlines()
    regions = [line for line in lines if line and not line.startswith("#")]
    assert len(regions) > 200
    for line in regions:
        names, people, codes = line.split(";")
        assert names.strip(), line
        assert codes.split(), line
        assert all(2 <= len(c) <= 3 and c.isupper() for c in codes.split()), line
        for word in [*names.split(","), *people.split(",")]:
            assert not word.strip() or texts(word.strip()), line
