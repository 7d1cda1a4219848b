"""The SQL, the sub-questions or the refusal in a model's reply."""

import html
import re
from collections.abc import Iterator

from macsql.errors import ParseError
from macsql.message import SubQuestion
from macsql.parsing.lexer import normalise
from macsql.parsing.loose_json import Pairs, read_json
from macsql.parsing.reply import Block, blocks, clean, cut_run_on
from macsql.parsing.running import Extract, find_statement
from macsql.parsing.statements import ends_open, parse, statement_in
from macsql.parsing.words import CANDIDATE, CERTAIN, STATEMENT

_LABEL = re.compile(
    r"[*_#>]{0,6}[ \t]{0,8}(?:(?:final|the|corrected|fixed|new|sqlite|postgres|postgresql|mysql"
    r"|duckdb|t-?sql|sql|query|statement|code|answer)[ \t]{0,4}){1,5}[*_]{0,4}[ \t]{0,4}[:：\n]"
    r"[*_\s]*+",
    re.IGNORECASE,
)
_FINAL = re.compile(
    r"^\W{0,8}(?:the )?(?:final|corrected|fixed|revised|improved)[ \t]+(?:\w+[ \t]+)?"
    r"(?:sql|query|answer|version|statement)\b[^:\n]{0,20}:",
    re.IGNORECASE | re.MULTILINE,
)
_THOUGHT = re.compile(
    r"^\W{0,8}(?:thinking|thoughts?|reasoning|draft|plan|analysis|scratch ?pad)\b[^:\n]{0,20}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_ANSWER = re.compile(
    r"^\W{0,8}(?:(?:the|my) )?(?:answer|sql|query|output|result|response)\b[^:\n]{0,20}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_SUB_QUESTION = re.compile(
    r"^[ \t>#*\-]*+(?:\d{1,2}[.)][ \t]*+)?[*_]*+(?:sub[- ]?question|step)s?[ \t]*+\#?"
    r"[\d.]*+(?:(?<=\.)|[ \t]*+[*_]*+[ \t]*+[:)\-–—：])[ \t]*+[*_]*+(?P<question>[^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_NO_SQL = re.compile(
    r"^[ \t>#*`_\-]*+NO[ _\-]SQL[ \t*`_]*(?::[ \t*`_]*(?P<reason>[^\n]*))?$",
    re.IGNORECASE | re.MULTILINE,
)
_JSON_KEYS = (
    *("sql", "sqlquery", "query", "finalsql", "finalquery", "sqlstatement", "statement"),
    *("predictedsql", "sqlcode", "correctedsql", "answer", "finalanswer", "result", "response"),
    *("code", "output", "arguments", "parameters", "input"),
)
"""Keys for SQL, the plainest first, and for objects that have such a key inside."""
_HAS_JSON_KEY = re.compile(r"""\b(?:sql|query|statement|answer|code)\\?["'”]?\s*:""", re.IGNORECASE)
_ENTITY_AT_END = re.compile(r"&(?:lt|gt|amp|quot|apos|#\d{1,4})\Z")
_DEFINITION = re.compile(r"\s*CREATE\b", re.IGNORECASE)
_MAX_DEPTH = 4


def read_sql(reply: str, dialect: str = "sqlite") -> str:
    """The SQL of ``reply``, one statement without its semicolon.

    Of several fenced blocks it is the last one, of several queries in a block the last one. Text
    with a statement that is not a query comes back whole, for the guard to refuse. Broken SQL in a
    closed fence comes back as it is; outside a fence it has to parse.

    Raises ParseError when there is no SQL, or when the reply was cut within it.

    >>> read_sql("Here it is:\\n```sql\\nSELECT 1;\\n```\\nHope it helps")
    'SELECT 1'
    """
    text, unfinished = clean(reply)
    found = [_read(p, dialect) for p in dict.fromkeys((cut_run_on(text, questions=True), text))]
    if not any(f.sql for f in found) and "\\n" in text and "\n" not in text.strip():
        found.append(_read(re.sub(r'\\([nt"])', _unescaped, text), dialect))
    sql = next((f.sql for f in found if f.sql), "")
    if _ENTITY_AT_END.search(sql):
        # The semicolon of "&lt;" has ended the statement.
        found = [_read(html.unescape(text), dialect)]
        sql = found[0].sql
    if sql:
        return _encodable(sql)
    raise _error(reply, cut=any(f.cut for f in found), unfinished=unfinished)


def read_sub_questions(reply: str, dialect: str = "sqlite") -> tuple[tuple[SubQuestion, ...], str]:
    """The steps of the Decomposer's reply and the SQL that answers the question, its last SQL.

    There are no steps when the reply names no sub-questions. A step that the reply gives no SQL
    for has an empty one.

    Raises ParseError when there is no SQL, or none for the last sub-question.

    >>> steps, sql = read_sub_questions(
    ...     "Sub question 1: Which?\\nSQL\\n```sql\\nSELECT 1\\n```\\n"
    ...     "Sub question 2: How many?\\nSQL\\n```sql\\nSELECT 2\\n```\\nQuestion Solved.")
    >>> steps[0], sql
    (SubQuestion(question='Which?', sql='SELECT 1'), 'SELECT 2')
    """
    text, unfinished = clean(reply)
    text = cut_run_on(text)
    labels = list(_SUB_QUESTION.finditer(text))
    if not labels:
        return (), read_sql(reply, dialect)
    starts = [m.start() for m in labels] + [len(text)]
    steps: list[SubQuestion] = []
    final = Extract("")
    for label, end in zip(labels, starts[1:], strict=True):
        body = text[label.end() : end]
        found = [f for f in _all_statements(body, dialect) if f.sql or f.cut]
        final = found[-1] if found else Extract("")
        question = re.split(r"```|~~~|\bSQL\s*:", label["question"])[0].strip(" \t*_")
        steps.append(SubQuestion(question, _encodable(found[0].sql) if found else ""))
    if not final.sql:
        raise _error(reply, cut=True, unfinished=unfinished)
    return tuple(steps), _encodable(final.sql)


def read_abstention(reply: str) -> str | None:
    """The reason when ``reply`` says, in a line ``NO SQL: reason``, that there is none to write.

    >>> read_abstention("NO SQL: the schema has no states.")
    'the schema has no states.'
    >>> read_abstention("SELECT 1") is None
    True
    """
    match = _NO_SQL.search(clean(reply)[0].lstrip("\u200b\ufeff"))
    if match is None:
        return None
    reason = (match["reason"] or "").strip(" \t*`_\r")
    return reason or "the question cannot be answered from this database"


def _error(reply: str, *, cut: bool, unfinished: bool) -> ParseError:
    if unfinished:
        what = "The model's reply stops within its reasoning, before any SQL"
    elif cut:
        what = "The model's reply was cut within the SQL"
    else:
        return ParseError(
            "The model's reply has no SQL in it; ask again or name the tables you mean.",
            reply=reply,
        )
    return ParseError(f"{what}; ask again or allow more output tokens.", reply=reply)


def _unescaped(match: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t"}.get(match[1], match[1])


def _encodable(sql: str) -> str:
    return sql.encode("utf-8", "replace").decode("utf-8")


def _read(text: str, dialect: str, depth: int = 0) -> Extract:
    """The last of the statements of ``text``; the only one where it is not fenced.

    A table or an index that the model shows behind its query is not the answer.
    """
    found = list(_all_statements(text, dialect, depth))
    answers = [f for f in found if not _DEFINITION.match(f.sql)]
    return (answers or found or [Extract("")])[-1]


def _all_statements(text: str, dialect: str, depth: int = 0) -> Iterator[Extract]:
    """The statements of all fenced blocks in order; failing that, the first one outside them."""
    if depth > _MAX_DEPTH:
        return
    from_json = _from_json(text, dialect, depth)
    if from_json.sql or from_json.cut:
        yield from_json
        return
    if marked := _with_marks_inside(text, dialect):
        yield marked
        return
    found = blocks(text, dialect)
    fenced = [_from_block(block, dialect) for block in found]
    if any(f.sql or f.cut for f in fenced):
        yield from (f for f in fenced if f.sql or f.cut)
        return
    inner = [_read(b.text, dialect, depth + 1) for b in found[-3:] if b.text != text]
    if any(f.sql for f in inner):
        yield from (f for f in inner if f.sql)
        return
    outside = _outside(text, found)
    thought = _THOUGHT.search(outside)
    answers = _ANSWER.finditer(outside, thought.end()) if thought else ()
    final = max((m.end() for m in (*_FINAL.finditer(outside), *answers)), default=0)
    last = find_statement(outside[final:], dialect)
    yield last if last.sql or last.cut or not final else find_statement(outside, dialect)


def _with_marks_inside(text: str, dialect: str) -> Extract | None:
    """The unfenced statement of ``text`` that has marks of a fence in a literal."""
    mark = re.search(r"`{3}|~{3}", text)
    if mark is None or not CANDIDATE.search(text, 0, mark.start()):
        return None
    found = find_statement(text, dialect)
    return found if mark.group() in found.sql else None


def _outside(text: str, found: list[Block]) -> str:
    parts: list[str] = []
    position = 0
    for block in found:
        parts.append(text[position : block.start])
        position = block.end
    return "\n".join([*parts, text[position:]])


def _from_block(block: Block, dialect: str) -> Extract:
    """The statement of a block that begins with one, after at most a label."""
    text = normalise(block.text, dialect).strip()
    if not STATEMENT.match(text):
        label = _LABEL.match(text)
        text = text[label.end() :] if label else text
    begins = STATEMENT if "sql" in block.tag else CERTAIN
    if not begins.match(text):
        return Extract("")
    if block.closed:
        return Extract(statement_in(text, dialect))
    found = find_statement(text, dialect)
    if found.sql:
        return found
    whole = not ends_open(text, dialect) and parse(text.rstrip("; \n\t"), dialect)
    return Extract(statement_in(text, dialect)) if whole else Extract("", cut=True)


def _from_json(text: str, dialect: str, depth: int) -> Extract:
    """The statement in a JSON answer, when JSON comes before any SQL."""
    start = text.find("{")
    if start < 0 or not _HAS_JSON_KEY.search(text, start):
        return Extract("")
    first = CERTAIN.match(text) or re.search(r"```|~~~|\bSELECT\b", text[:start], re.IGNORECASE)
    if first and not re.fullmatch(r"\s*(?:```|~~~)\w*\s*", text[:start]):
        return Extract("")
    value, _, complete = read_json(text, start)
    sql = _json_sql(value, 0)
    if sql is None:
        return Extract("")
    found = _read(sql, dialect, depth + 1)
    broken = not found.sql and STATEMENT.match(sql)
    if broken and complete:
        return Extract(statement_in(normalise(sql, dialect).strip(), dialect))
    if not complete and ends_open(sql, dialect):
        return Extract("", cut=True)
    return found


def _json_sql(value: object, depth: int) -> str | None:
    """The text under the key that most plainly means SQL."""
    if depth > 8:
        return None
    if isinstance(value, Pairs):
        members = {re.sub(r"[\W_]", "", k).casefold(): v for k, v in value}
        for key in _JSON_KEYS:
            member = members.get(key)
            if isinstance(member, str) and re.search(r"\w", member):
                return _json_text(member, depth)
            if isinstance(member, list) and (found := _json_sql(member, depth + 1)):
                return found
        value = [v for _, v in value]
    if isinstance(value, list):
        return next(filter(None, (_json_sql(v, depth + 1) for v in reversed(value[-20:]))), None)
    return None


def _json_text(member: str, depth: int) -> str | None:
    if member.lstrip().startswith("{"):
        return _json_sql(read_json(member.lstrip())[0], depth + 1)
    return member
