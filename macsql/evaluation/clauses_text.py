"""SQL cut into words as Spider's exact match does.

The official script cuts with NLTK's English word tokenizer, which decides what its parser can
read: ``age=5`` and ``1,2`` are one word each, ``!=`` is two that are joined again, a quote of
either kind starts a value. The rules of that tokenizer that can matter in SQL are written anew
here.
"""

import re

_OWN_WORD = re.compile(r"[()\[\]{}<>;@#$%&?!*«»“”„‘’]|`{1,2}|\.{2,}|--|[:,](?!\d)")
_LAST_PERIOD = re.compile(r"(?<=[^.])\.(?=[\])}>»”’ ]*\s*$)")
_QUOTED = re.compile(r'"[^"]*"')
_BEFORE_EQUALS = ("!", ">", "<")


def words(sql: str) -> list[str] | None:
    """The words of ``sql`` in lower case, texts in double quotes as written.

    None when a quote is left open.

    >>> words("SELECT Name FROM t WHERE age >= 5 AND b = 'Ann Lee'")[-7:]
    ['age', '>=', '5', 'and', 'b', '=', '"Ann Lee"']
    """
    sql = sql.replace("'", '"')
    if sql.count('"') % 2:
        return None
    texts: dict[str, str] = {}

    def hide(match: re.Match[str]) -> str:
        key = f"__text_{match.start()}__"
        texts[key] = match.group()
        return key

    bare = _QUOTED.sub(hide, sql)
    spaced = _OWN_WORD.sub(r" \g<0> ", _LAST_PERIOD.sub(" . ", bare))
    return _join_comparisons([texts.get(w, w) for w in spaced.lower().split()])


def _join_comparisons(parts: list[str]) -> list[str]:
    joined: list[str] = []
    for part in parts:
        if part == "=" and joined and joined[-1] in _BEFORE_EQUALS:
            joined[-1] += "="
        else:
            joined.append(part)
    return joined
