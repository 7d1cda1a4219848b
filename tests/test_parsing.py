"""What is read from replies, family by family; the pairs are in fixtures/replies.txt."""

import re
from pathlib import Path

import pytest

from macsql.errors import ParseError
from macsql.message import SubQuestion
from macsql.parsing import read_abstention, read_selection, read_sql, read_sub_questions
from macsql.schema import Column, Schema, Table

FIXTURE = Path(__file__).parent / "fixtures" / "replies.txt"


def _characters(text: str) -> str:
    text = text.replace("{{CR}}\n", "\r\n").replace("{{CR}}", "\r").replace("{{SP}}", " ")
    return re.sub(r"\{\{U\+([0-9A-F]{4})\}\}", lambda m: chr(int(m[1], 16)), text)


def _cases() -> list[object]:
    found = []
    for case in re.split(r"^######## ", FIXTURE.read_text("utf-8"), flags=re.M)[1:]:
        title, _, body = case.partition("\n")
        reply, _, expected = body.partition("-------->\n")
        found.append(
            pytest.param(
                _characters(reply.removesuffix("\n")), _characters(expected.strip()), id=title
            )
        )
    return found


@pytest.mark.parametrize(("reply", "expected"), _cases())
def test_reply_gives_its_sql_or_the_named_error(reply: str, expected: str) -> None:
    if expected.startswith("ParseError "):
        with pytest.raises(ParseError, match=expected.removeprefix("ParseError ")) as caught:
            read_sql(reply)
        assert caught.value.reply == reply
    else:
        assert read_sql(reply) == expected


def test_every_family_has_pairs() -> None:
    assert len(_cases()) >= 80
