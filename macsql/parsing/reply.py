"""What surrounds the answer in a reply: reasoning, control tokens, run-ons, fences."""

import re
from itertools import islice
from typing import NamedTuple

from macsql.parsing.lexer import is_balanced

_NAMES = (
    r"(?:think|thinking|thought|thoughts|reason|reasoning|scratchpad|analysis|reflection"
    r"|seed:think|inner_monologue|chain_of_thought)"
)
_REASONING = re.compile(
    rf"(?P<close></\s*{_NAMES}\s*>|\[/THINK(?:ING)?\]|◁/think▷|<\|end_of_thought\|>|<\|/think\|>"
    r"|<\|channel\|>\s*final[^<\n]{0,60}(?:<\|message\|>)?|\bassistantfinal)"
    rf"|(?P<open><\s*{_NAMES}(?:\s[^<>\n]{{0,100}})?>|\[THINK(?:ING)?\]|◁think▷"
    r"|<\|begin_of_thought\|>|<\|think\|>|<\|channel\|>\s*\w{0,20}[^<\n]{0,60}(?:<\|message\|>)?)",
    re.IGNORECASE,
)
_CONTROL = re.compile(
    r"<\|(?:im_start|im_end|eot_id|eom_id|end_of_text|endoftext|return|end|user|assistant|start"
    r"|begin_of_solution|end_of_solution|start_header_id|message)\|>|<end_of_turn>|</?s>"
)
_ANSWER = re.compile(r"<(answer|final_answer|final|solution|output)>(.*?)(?:</\1>|\Z)", re.S | re.I)
_RUN_ON = re.compile(
    r"^[ \t#*]*(?:={6,}|【|question solved|\[/?INST\]|(?:user|human)[ \t]*:)", re.M | re.I
)
_TRIPLE = re.compile(r"""(?:^|(?<=[:\s]))(?:\'\'\'|\"\"\")(\w*)[ \t]*$""", re.MULTILINE)
_SQL_HINT = re.compile(r"\bselect\b", re.IGNORECASE)


def strip_reasoning(reply: str) -> tuple[str, bool]:
    """The reply without its reasoning, and whether the reasoning never ended.

    A closing tag without an opening one ends reasoning that began in the prompt.

    >>> strip_reasoning("<think>or SELECT b?</think>SELECT a")
    ('SELECT a', False)
    """
    kept: list[str] = []
    start, inside = 0, False
    for tag in _REASONING.finditer(reply):
        if _is_quoted(reply, tag.start(), tag.end()):
            continue
        if tag.lastgroup == "close":
            if not inside:
                kept.clear()
            start, inside = tag.end(), False
        elif not inside:
            kept.append(reply[start : tag.start()])
            inside = True
    if not inside:
        kept.append(reply[start:])
    return "".join(kept), inside


def _is_quoted(reply: str, start: int, end: int) -> bool:
    before = reply[max(0, start - 200) : start].rpartition("\n")[2]
    after = reply[end : end + 200].partition("\n")[0]
    return before.count("'") % 2 == 1 and after.count("'") % 2 == 1


def clean(reply: str) -> tuple[str, bool]:
    """The part of a reply that holds the answer, and whether reasoning in it never ended."""
    text, unfinished = strip_reasoning(reply.replace("\r\n", "\n").lstrip("\ufeff"))
    parts = (re.sub(r"^\s*assistant\s*\n", "", p) for p in _CONTROL.split(text, maxsplit=20))
    text = next((p for p in parts if p.strip()), "")
    text = _plain_fences(text)
    answers = _ANSWER.findall(text)
    if answers and answers[-1][1].strip():
        text = answers[-1][1]
    if "\\_" in text and "ESCAPE" not in text.upper():
        # Markdown escapes the underscore of a name; in a text it may be a pattern of LIKE.
        text = _ESCAPED.sub(lambda match: match[1] or "_", text)
    return text, unfinished


_ESCAPED = re.compile(r"('(?:[^'\n]|'')*')|(?<=\w)\\_(?=\w)")
_SPACED = re.compile(r"^[ \t]*` ` `", re.M)


def _plain_fences(text: str) -> str:
    """Write fences of triple quotes, of marks with blanks, and of [SQL] … [/SQL] as usual."""
    text = _SPACED.sub("```", text)
    if "[/SQL]" in text:
        text = text.replace("[SQL]", "\n```sql\n").replace("[/SQL]", "\n```\n")
    if "```" not in text and len(_TRIPLE.findall(text)) > 1:
        text = _TRIPLE.sub(r"```\1", text)
    return text


def cut_run_on(text: str, *, questions: bool = False) -> str:
    """``text`` up to where the model goes on with a conversation or example of its own.

    ``questions`` says that a new line "Question: …" after SQL is such a place too.
    """
    hint = _SQL_HINT.search(text)
    if hint is None:
        return text
    pattern = _QUESTION if questions else _RUN_ON
    match = pattern.search(text, hint.end())
    return text[: match.start()] if match else text


_QUESTION = re.compile(
    _RUN_ON.pattern + r"|^[ \t#*\-]*(?:question|new question|next question|q|input|【question】)"
    r"[ \t]*\d*[ \t]*\**[ \t]*:",
    re.M | re.I,
)


class Block(NamedTuple):
    """A fenced block: its tag in lower case, its text, and where it stood in the reply."""

    tag: str
    text: str
    closed: bool
    start: int
    end: int


_OPEN = re.compile(
    r"(?P<mark>`{3,}|~{3,})[ \t]*+\{?\.?(?P<tag>[A-Za-z][\w+.#-]*+)?\}?"
    r"|<(?P<element>sql|sql_query|query|code|pre)\b[^<>\n]{0,60}>",
    re.IGNORECASE,
)
_MAX_BLOCKS = 5000
_ATTRIBUTES = re.compile(r"[ \t]*(?:\{[^\n}]*\}|[a-z_]+=[^\n]*|)\n", re.IGNORECASE)
_STATEMENT_TAG = re.compile(
    r"(?:select|with|insert|update|delete|drop|values|pragma|explain|create|alter)\Z", re.IGNORECASE
)


def blocks(text: str, dialect: str) -> list[Block]:
    """All fenced blocks in order: ``` and ~~~ of any length, with or without a tag, indented, in
    lists and quotes, on one line, never closed; and the elements <sql>, <query>, <code>, <pre>.

    >>> blocks("So:\\n```sql\\nSELECT '```'\\n```", "sqlite")[0].text
    "SELECT '```'"
    """
    found: list[Block] = []
    position = 0
    while len(found) < _MAX_BLOCKS and (opening := _OPEN.search(text, position)):
        block, position = _read_block(text, opening, dialect)
        found.append(block)
    return found


def _read_block(text: str, opening: re.Match[str], dialect: str) -> tuple[Block, int]:
    tag = opening["tag"] or ""
    start = opening.end()
    if _STATEMENT_TAG.match(tag):
        start, tag = opening.start("tag"), ""
    attributes = _ATTRIBUTES.match(text, start)
    start = attributes.end() if attributes else start
    if opening["element"]:
        close = re.compile(rf"</{opening['element']}>", re.IGNORECASE).search(text, start)
        stop, after = (close.start(), close.end()) if close else (len(text), len(text))
        tag, closed = "sql" if "q" in opening["element"].lower() else "", close is not None
    else:
        stop, after, closed = _find_close(text, start, opening["mark"], dialect)
    content = text[start:stop].strip()
    if ">" in text[max(0, opening.start() - 20) : opening.start()].rpartition("\n")[2]:
        content = re.sub(r"^[ \t]*>[ \t]?", "", content, flags=re.M).rstrip("> \t\n")
    return Block(tag.lower(), content, closed, opening.start(), after), after


def _find_close(text: str, start: int, mark: str, dialect: str) -> tuple[int, int, bool]:
    """Start and end of the closing mark, and whether there is one.

    A mark inside an SQL literal does not count; when every mark seems to be inside one, a literal
    is not closed, and the first mark that has its line for itself ends the block.
    """
    fallback: tuple[int, int, bool] | None = None
    marks = re.compile(re.escape(mark[0]) + f"{{{len(mark)},}}")
    for m in islice(marks.finditer(text, start), 8):
        before = text[max(start, m.start() - 80) : m.start()].rpartition("\n")[2].strip(" \t>")
        rest = text[m.end() : m.end() + 80].partition("\n")[0].rstrip()
        alone = not before and not rest
        reopens = not before and re.fullmatch(r"\{?\.?[A-Za-z][\w+.#-]*\}?", rest) is not None
        if is_balanced(text[start : m.start()], dialect):
            return m.start(), m.start() if reopens else m.end(), True
        if fallback is None and (alone or reopens):
            fallback = m.start(), m.start() if reopens else m.end(), True
    return fallback or (len(text), len(text), False)
