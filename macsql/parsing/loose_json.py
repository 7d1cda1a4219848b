"""JSON as models write it: valid, nearly valid, or cut off.

Comments, single and typographic quotes, bare words, missing or extra commas and brackets are read.
It takes linear time on any text, which the repair libraries at hand do not.
"""

import json
import re
from typing import Any


class Pairs(list[tuple[str, Any]]):
    """The members of an object in order; a key may come twice."""


MISSING = object()
"""The value of a key that stands alone."""

_END = r"""(?=\s*(?:[,:}\]]|//|\#|/\*|\Z)|\s+["'])"""
_TOKEN = re.compile(
    rf"""(?P<skip>\s++|//[^\n]*+|\#[^\n]*+|/\*(?s:.)*?(?:\*/|\Z))
    |"(?P<double>(?:[^"\\]++|\\.|"(?!{_END}))*+)(?:"|\\?\Z)
    |'(?P<single>(?:[^'\\]++|\\.|'(?!{_END}))*+)(?:'|\\?\Z)
    |[“”„](?P<smart>[^“”]*+)(?:[“”]|\Z)
    |(?P<mark>[{{}}\[\]:,()])
    |(?P<bare>[^\s,:{{}}\[\]()"'“”„]++(?:[ \t]++[^\s,:{{}}\[\]()"'“”„/\#]++)*+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_MAX_LOOSE = 200_000
_NEXT_KEY = re.compile(r"""\s*,\s*["'][^"'\n]{1,100}["']\s*:""")
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def read_json(text: str, start: int = 0) -> tuple[Any, int, bool]:
    """The value that begins at ``start``, where it ends, and whether it is complete.

    Objects come back as `Pairs`.

    >>> read_json("{'a': [1, b c,], // x\\n 'd': None")[0]
    [('a', [1, 'b c']), ('d', None)]
    """
    try:
        value, end = json.JSONDecoder(object_pairs_hook=Pairs).raw_decode(text, start)
    except (ValueError, RecursionError):
        return _read_loose(text, start)
    return value, end, True


def _read_loose(text: str, start: int) -> tuple[Any, int, bool]:
    root: list[Any] = []
    stack: list[Any] = [root]
    end = min(len(text), start + _MAX_LOOSE)
    for token in _TOKEN.finditer(text, start, end):
        kind = token.lastgroup
        if kind in ("skip", "other"):
            continue
        if kind != "mark":
            _add(stack[-1], _scalar(token))
        elif token.group() in "{[(":
            child: Any = Pairs() if token.group() == "{" else []
            _add(stack[-1], child)
            stack.append(child)
        elif token.group() == ":":
            _expect_value(stack[-1])
        elif token.group() in "}])":
            typo = not isinstance(stack[-1], Pairs) and _NEXT_KEY.match(text, token.end())
            _close(stack, "]" if typo else token.group())
        if len(stack) == 1 and root:
            end = token.end()
            break
    return (root[0] if root else None), end, len(stack) == 1 and bool(root)


_PENDING = object()


def _add(container: Any, value: Any) -> None:
    if not isinstance(container, Pairs):
        container.append(value)
    elif container and container[-1][1] is _PENDING:
        container[-1] = (container[-1][0], value)
    elif isinstance(value, str | int | float):
        container.append((str(value), MISSING))


def _expect_value(container: Any) -> None:
    if isinstance(container, Pairs) and container and container[-1][1] is MISSING:
        container[-1] = (container[-1][0], _PENDING)


def _close(stack: list[Any], mark: str) -> None:
    """Close the innermost container of the mark's kind, and what was left open inside it."""
    wanted = mark == "}"
    if any(isinstance(c, Pairs) == wanted for c in stack[1:][-8:]):
        while isinstance(stack[-1], Pairs) != wanted:
            stack.pop()
        stack.pop()


def _scalar(token: re.Match[str]) -> Any:
    text = token[token.lastgroup or 0]
    if token.lastgroup != "bare":
        return _ESCAPE.sub(_unescape, text)
    if text.casefold() in _WORDS:
        return _WORDS[text.casefold()]
    return int(text) if re.fullmatch(r"[0-9]{1,15}", text) else text


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) == 5 and not 0xD800 <= int(code[1:], 16) <= 0xDFFF:
        return chr(int(code[1:], 16))
    return _ESCAPES.get(code, code)
