"""SQL in running text: where a statement begins, where it ends, and whether it is one at all."""

import re
from typing import NamedTuple

from sqlglot import exp

from macsql.parsing.extent import end_of
from macsql.parsing.lexer import normalise, tokens
from macsql.parsing.statements import (
    MAX_PARSED,
    ends_open,
    error_position,
    is_open,
    is_plausible,
    last_read,
    parse,
)
from macsql.parsing.words import CANDIDATE, CERTAIN, CONTINUES, INTRODUCERS, WRITE

_MAX_CANDIDATES = 20
_CLOSING = {**{mark: mark for mark in "`\"'|$#"}, "“": "”", "{": "}"}
_EMPHASIS = re.compile(r"(?<![\w*])(?:\*{1,3}|_{1,3})\Z")
_SENTENCE = re.compile(r"(?:[A-Za-z']+,?[ \t]+){3,}[A-Za-z']+[.!:]?[ \t]*(?:\n|\Z)")
_LEADING_COMMENTS = re.compile(r"(?:(?:--[^\n]*+\n|/\*(?s:.)*?\*/)\s*+)+\Z")


class Extract(NamedTuple):
    """A statement found in text ("" when there is none), and whether the text ends inside one."""

    sql: str
    cut: bool = False


def find_statement(text: str, dialect: str) -> Extract:
    """The first statement in running text.

    >>> find_statement("Sure! SELECT count(*) FROM t Hope this helps", "sqlite").sql
    'SELECT count(*) FROM t'
    >>> find_statement("Please select the rows with care from the table", "sqlite").sql
    ''
    """
    cut = False
    budget = 3 * MAX_PARSED
    tried = 0
    for match in CANDIDATE.finditer(text):
        if not _may_begin(text, match):
            continue
        tried += 1
        if tried > _MAX_CANDIDATES or budget <= 0:
            break
        window = normalise(text[match.start() : match.start() + MAX_PARSED], dialect)
        found = (
            _bracketed(text, match.start(), dialect)
            or _quoted(text, match.start(), window, dialect)
            or _running(window, dialect)
        )
        if found.sql:
            return _with_context(text, match.start(), found)
        cut = cut or found.cut
        budget -= min(len(window), end_of(window, dialect)) + 1000
    return Extract("", cut)


def _with_context(text: str, start: int, found: Extract) -> Extract:
    """Add the comments that stand before the statement."""
    comments = _LEADING_COMMENTS.search(text, max(0, start - 500), start)
    if comments and (comments.start() == 0 or text[comments.start() - 1] == "\n"):
        return found._replace(sql=comments.group() + found.sql)
    return found


def _may_begin(text: str, match: re.Match[str]) -> bool:
    """Whether the words before leave room for a statement here: a line, a label, a sentence end.

    Within a sentence only upper-case SQL after a word that introduces it counts.
    """
    line_start = text.rfind("\n", max(0, match.start() - 300), match.start()) + 1
    before = text[max(line_start, match.start() - 300) : match.start()].rstrip(" \t\xa0(")
    if before in ("", "'") or not (before[-1].isalnum() or before[-1] in "_,;'’"):
        return True
    word = before.rstrip(" ,;'’").rpartition(" ")[2]
    introduced = word.casefold() in INTRODUCERS
    if before[-1] == ";" or WRITE.match(match.group()):
        return before[-1] == ";"
    return introduced and match.group().split()[0].isupper()


def _quoted(text: str, start: int, window: str, dialect: str) -> Extract | None:
    """A statement in inline code, quotation marks and the like, up to the mark that ends it."""
    before = text[max(0, start - 20) : start].rstrip(" ")
    if emphasis := _EMPHASIS.search(before):
        mark = re.escape(emphasis.group())
        ends = re.search(rf"(?<!\s){mark}(?=\W*$)", window, re.MULTILINE)
        sql = window[: ends.start()].strip().rstrip(";") if ends else ""
        return Extract(sql) if is_plausible(sql, dialect) else None
    closing = _CLOSING.get(before[-1:])
    if closing is None:
        return None
    end = -1
    for _ in range(12):
        end = window.find(closing, end + 1)
        if end < 0:
            return None
        sql = window[:end].strip().rstrip(";")
        if is_plausible(sql, dialect):
            return Extract(sql)
    return None


def _bracketed(text: str, start: int, dialect: str) -> Extract | None:
    """A set operation whose first query stands in brackets."""
    before = text[max(0, start - 20) : start]
    opening = len(before) - len(before.rstrip("( \t\n"))
    if "(" not in before[len(before) - opening :]:
        return None
    window = normalise(text[start - opening : start + MAX_PARSED], dialect).lstrip()
    sql = window[: end_of(window, dialect)].strip()
    return Extract(sql) if isinstance(parse(sql, dialect), exp.SetOperation) else None


def _running(window: str, dialect: str) -> Extract:
    """What ``window`` begins with: the last of its queries, or, if one writes, all statements."""
    first, end = _one(window, dialect)
    if not first.sql:
        return first
    statements = [first.sql]
    while len(statements) < _MAX_CANDIDATES:
        rest = window[end:].lstrip("; \t\n")
        begins = CERTAIN if window.startswith(";", end) else WRITE
        following, length = _one(rest, dialect) if begins.match(rest) else (Extract(""), 0)
        if not following.sql:
            break
        statements.append(following.sql)
        end = len(window) - len(rest) + length
    chosen = last_read(statements, dialect)
    return Extract(";\n".join(statements) if chosen is None else chosen)


def _one(window: str, dialect: str) -> tuple[Extract, int]:
    """The one statement that ``window`` begins with, without the prose after it, and its end."""
    end = end_of(window, dialect)
    sql = window[:end].strip()
    if not CERTAIN.match(sql) or len(sql) >= MAX_PARSED:
        return Extract(""), end
    if WRITE.match(sql):
        return Extract(sql if parse(sql, dialect) else ""), end
    if ends_open(sql, dialect):
        return Extract("", cut=not window[end:].strip()), end
    return _without_tail(sql, dialect), end


def _without_tail(sql: str, dialect: str) -> Extract:
    """``sql`` itself, or its beginning when words that are no SQL follow on the same line."""
    if is_plausible(sql, dialect):
        return Extract(sql)
    position = error_position(sql, dialect)
    if position is None:
        return Extract("")
    tail = sql[position:]
    if not tail or not _is_prose(tail, sql):
        return Extract("", cut=len(tail.split()) <= 1)
    head = sql[:position].strip()
    head = head.rstrip("*_`~ ") if tail[0] in "*_`~" else _without_alias(head, dialect)
    if ends_open(head, dialect):
        return Extract("", cut=True)
    is_whole_line = "\n" in sql[len(head) : position]
    return Extract(
        head if (is_whole_line or _is_strong(head)) and is_plausible(head, dialect) else ""
    )


def _is_prose(tail: str, sql: str) -> bool:
    """Whether what the parser stumbled over is text after the statement, not broken SQL."""
    word = re.match(r"[^\W\d][\w$]*", tail)
    if word is None:
        return not tail.strip("*_`~\"'”’)!.:\\ \n")
    if word[0].upper() not in CONTINUES:
        return True
    if _SENTENCE.match(tail) and "\n" + tail in sql:
        return True
    return sql.split(None, 1)[0].isupper() and not word[0].isupper() and " " in tail.strip()


def _without_alias(sql: str, dialect: str) -> str:
    """``sql`` without a last bare word that is only the beginning of the prose after it."""
    code = [t for t in tokens(sql, dialect) if t.kind not in ("space", "comment")]
    if len(code) < 3 or code[-1].kind != "word" or is_open(code[-2]):
        return sql
    alias = code[-1].text
    if alias.upper() in CONTINUES or code[-2].text.upper() in CONTINUES | {"DESC", "ASC"}:
        return sql
    if re.search(rf"\b{re.escape(alias)}\s*\.", sql):
        return sql
    shorter = sql[: code[-1].start].rstrip()
    return shorter if parse(shorter, dialect) else sql


def _is_strong(sql: str) -> bool:
    """Whether more than plain words says that this is SQL."""
    return bool(re.search(r"[*()=<>_'\"`.,;]|\d", sql)) or sql.startswith(("SELECT ", "SELECT\n"))
