"""Mistakes of language models, made on purpose: each function breaks one right query.

A mutation returns the right query and the broken one: the right one is the gold query, or the gold
query with an expression that the gold queries have too seldom. None where it cannot be made.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from repair import dropped_join, misspelt_column, misspelt_table, wrong_qualifier

from macsql.checks.analysis import Analysis
from macsql.checks.scopes import Relation, Status, Use
from macsql.checks.text import Edit, apply_edits, span

Pair = tuple[str, str]
_TEXT = re.compile(r"""(["'])((?:(?!\1).)+)\1""")
_SHORT_FORMS = {
    **{"department": "dept", "number": "num", "address": "addr", "description": "desc"},
    **{"amount": "amt", "quantity": "qty", "student": "stu", "customer": "cust"},
    **{"employee": "emp", "manager": "mgr", "category": "cat", "product": "prod"},
    **{"account": "acct", "organization": "org", "average": "avg", "maximum": "max"},
    **{"minimum": "min", "date": "dt", "document": "doc", "position": "pos"},
    **{"reference": "ref", "institution": "inst", "countries": "ctry", "company": "comp"},
    **{"transaction": "txn", "message": "msg", "total": "tot", "state": "st", "order": "ord"},
}


@dataclass(frozen=True, slots=True)
class Gold:
    """A right query, read, and the source of chance."""

    sql: str
    analysis: Analysis
    chance: random.Random

    @property
    def found(self) -> list[Use]:
        """The columns that are read, leaving out what is only an alias."""
        return [u for u in self.analysis.resolution.uses if u.status is Status.FOUND]

    @property
    def relations(self) -> list[Relation]:
        """The tables that are read."""
        return [r for s in self.analysis.resolution.scopes for r in s.relations if r.table]

    def edited(self, edits: Sequence[Edit]) -> Pair | None:
        """The gold query, and the same with ``edits``."""
        text = apply_edits(self.sql, edits) if edits else None
        return (self.sql, text) if text is not None and text != self.sql else None

    def sub(self, pattern: str, new: str | Callable[[re.Match[str]], str]) -> Pair | None:
        """The gold query, and the same with one replacement of ``pattern``, by chance."""
        found = list(re.finditer(pattern, self.sql, re.IGNORECASE | re.DOTALL))
        if not found:
            return None
        match = self.chance.choice(found)
        text = match.expand(new) if isinstance(new, str) else new(match)
        return self.edited([Edit(*match.span(), text)])


# Names ----------------------------------------------------------------------------------------


def _renamed_column(gold: Gold, change: Callable[[str, str], str]) -> Pair | None:
    """Every mention of one column called otherwise; ``change`` sees name and table."""
    uses = [u for u in gold.found if u.relation and u.relation.table]
    choices = []
    for use in uses:
        table = use.relation.table if use.relation else None
        new = change(use.name, table.name if table else "")
        if new.casefold() != use.name.casefold():
            choices.append((use, new))
    if not choices:
        return None
    chosen, new = gold.chance.choice(choices)
    places = [span(u.column.this) for u in uses if u.name.casefold() == chosen.name.casefold()]
    return gold.edited([Edit(*p, new) for p in places if p])


def _renamed_table(gold: Gold, change: Callable[[str], str]) -> Pair | None:
    """Every mention of one table called otherwise."""
    choices = [(r.node.name, new) for r in gold.relations if (new := change(r.node.name))]
    choices = [(old, new) for old, new in choices if old.casefold() != new.casefold()]
    if not choices:
        return None
    old, new = gold.chance.choice(choices)
    text = re.sub(rf"(?<![\w.\"']){re.escape(old)}(?![\w\"'])", new, gold.sql, flags=re.IGNORECASE)
    return (gold.sql, text)


def _camel(name: str) -> str:
    first, *more = name.split("_")
    return first.lower() + "".join(w.capitalize() for w in more) if more and first else name


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _plural(name: str) -> str:
    return name[:-1] if name.lower().endswith("s") else f"{name}s"


def _shortened(name: str) -> str:
    return "_".join(_SHORT_FORMS.get(w.lower(), w) for w in name.split("_"))


def _lengthened(name: str) -> str:
    full = {v: k for k, v in _SHORT_FORMS.items()}
    return "_".join(full.get(w.lower(), w) for w in name.split("_"))


def _without_first_word(name: str, table: str) -> str:
    first, _, rest = name.partition("_")
    return rest if len(rest) > 3 and first.lower() in table.lower() else name


def _letter(gold: Gold, name: str) -> str:
    if len(name) < 5:
        return name
    at = gold.chance.randrange(1, len(name) - 1)
    other = gold.chance.choice("aeinorst")
    return gold.chance.choice(
        (
            name[:at] + name[at:][1:],
            name[:at] + name[at] + name[at:],
            name[:at] + other + name[at:][1:],
        )
    )


def _synonym(name: str) -> str:
    new = name
    for one, other in (("name", "title"), ("price", "cost"), ("year", "date"), ("num", "count")):
        new = re.sub(rf"\b{one}\b|(?<=_){one}", other, new, flags=re.IGNORECASE)
    return new


def _spaced(name: str) -> str:
    return f'"{name.replace("_", " ")}"' if "_" in name else name


NAME_KINDS: dict[str, Callable[[Gold], Pair | None]] = {
    "column-letter": lambda g: _renamed_column(g, lambda n, t: _letter(g, n)),
    "column-slip": lambda g: _pair(g, misspelt_column(g.analysis, g.chance)),
    "column-no-underscore": lambda g: _renamed_column(g, lambda n, t: n.replace("_", "")),
    "column-plural": lambda g: _renamed_column(g, lambda n, t: _plural(n)),
    "column-camel": lambda g: _renamed_column(g, lambda n, t: _camel(n)),
    "column-snake": lambda g: _renamed_column(g, lambda n, t: _snake(n)),
    "column-spaced": lambda g: _renamed_column(g, lambda n, t: _spaced(n)),
    "column-table-prefix": lambda g: _renamed_column(g, lambda n, t: f"{t}_{n}"),
    "column-singular-prefix": lambda g: _renamed_column(g, lambda n, t: f"{t.rstrip('s')}_{n}"),
    "column-suffix": lambda g: _renamed_column(
        g, lambda n, t: n + g.chance.choice(("_name", "_id", "_value", "_code"))
    ),
    "column-prefix-lost": lambda g: _renamed_column(g, _without_first_word),
    "column-last-word-lost": lambda g: _renamed_column(g, lambda n, t: n.rpartition("_")[0] or n),
    "column-short": lambda g: _renamed_column(g, lambda n, t: _shortened(n)),
    "column-long": lambda g: _renamed_column(g, lambda n, t: _lengthened(n)),
    "column-synonym": lambda g: _renamed_column(g, lambda n, t: _synonym(n)),
    "table-letter": lambda g: _renamed_table(g, lambda n: _letter(g, n)),
    "table-slip": lambda g: _pair(g, misspelt_table(g.analysis, g.chance)),
    "table-plural": lambda g: _renamed_table(g, _plural),
    "table-no-underscore": lambda g: _renamed_table(g, lambda n: n.replace("_", "")),
    "table-camel": lambda g: _renamed_table(g, _camel),
    "table-prefix": lambda g: _renamed_table(g, lambda n: g.chance.choice(("tbl_", "dim_")) + n),
    "table-suffix": lambda g: _renamed_table(
        g, lambda n: n + g.chance.choice(("_info", "_table", "_data", "_list"))
    ),
    "table-last-word-lost": lambda g: _renamed_table(g, lambda n: n.rpartition("_")[0]),
    "table-short": lambda g: _renamed_table(g, _shortened),
}


def _pair(gold: Gold, broken: str | None) -> Pair | None:
    return None if broken is None or broken == gold.sql else (gold.sql, broken)


# Qualifiers and joins ---------------------------------------------------------------------------


def undefined_alias(gold: Gold) -> Pair | None:
    """``T1`` is written as ``T4`` wherever a column is read."""
    return gold.edited(_requalified(gold, lambda use: "T4"))


def table_for_alias(gold: Gold) -> Pair | None:
    """``student.name`` though student is called T1."""
    return gold.edited(
        _requalified(
            gold, lambda u: u.relation.node.name if u.relation and u.relation.table else ""
        )
    )


def _requalified(gold: Gold, name: Callable[[Use], str]) -> list[Edit]:
    uses = [u for u in gold.found if u.qualifier]
    chosen = gold.chance.choice(uses).qualifier if uses else ""
    return [
        Edit(*place, name(use))
        for use in uses
        if use.qualifier == chosen and (place := span(use.column.args["table"])) and name(use)
    ]


def unqualified(gold: Gold) -> Pair | None:
    """No column says of which table it is."""
    edits = []
    for use in gold.found:
        whole, name = span(use.column), span(use.column.this)
        if use.qualifier and whole and name and use.clause != "join":
            edits.append(Edit(whole[0], name[0], ""))
    return gold.edited(edits)


def two_joins_dropped(gold: Gold) -> Pair | None:
    """Only the first table is left."""
    if len(re.findall(r"\bjoin\b", gold.sql, re.IGNORECASE)) < 2:
        return None
    return gold.sub(r"\sJOIN .*?(?=\s+(?:WHERE|GROUP|ORDER|INTERSECT|UNION|EXCEPT)\b|$|\))", "")


_ON = r"\bJOIN (\S+) AS (T\d)\s+ON\s+(T\d)\.(\w+)\s*=\s*(T\d)\.(\w+)"


def one_key_name(gold: Gold) -> Pair | None:
    """Both sides of a join are called as the key of one side."""

    def write(match: re.Match[str]) -> str:
        _, _, one, first, other, second = match.groups()
        name = gold.chance.choice((first, second))
        return match[0].split(" ON ")[0].split(" on ")[0] + f" ON {one}.{name} = {other}.{name}"

    return gold.sub(_ON, write)


def primary_keys(gold: Gold) -> Pair | None:
    """The two primary keys are compared, whatever they identify."""
    keys = {
        r.name.upper(): r.table.primary_key[0]
        for r in gold.relations
        if r.table and r.table.primary_key
    }

    def write(match: re.Match[str]) -> str:
        _, _, one, first, other, second = match.groups()
        keyed = keys.get(one.upper(), first), keys.get(other.upper(), second)
        return re.sub(
            r"\bON\b.*", f"ON {one}.{keyed[0]} = {other}.{keyed[1]}", match[0], flags=re.I
        )

    return gold.sub(_ON, write)


def using(gold: Gold) -> Pair | None:
    """USING the name of one side's key."""
    return gold.sub(
        _ON, lambda m: f"JOIN {m[1]} AS {m[2]} USING ({gold.chance.choice((m[4], m[6]))})"
    )


def late_alias(gold: Gold) -> Pair | None:
    """Two joins change places, so that a condition names a table that comes later."""
    part = r"(JOIN \S+ AS T\d\s+ON\s+T\d\.\w+\s*=\s*T\d\.\w+)"
    return gold.sub(rf"{part}\s+{part}", r"\2 \1")


JOIN_KINDS: dict[str, Callable[[Gold], Pair | None]] = {
    "wrong-qualifier": lambda g: _pair(g, wrong_qualifier(g.analysis, g.chance)),
    "undefined-alias": undefined_alias,
    "table-for-alias": table_for_alias,
    "alias-not-given": lambda g: g.sub(r"(?<=\s)(FROM|JOIN)\s+(\w+) AS T\d", r"\1 \2"),
    "unqualified": unqualified,
    "dropped-join": lambda g: _pair(g, dropped_join(g.analysis, g.chance)),
    "two-joins-dropped": two_joins_dropped,
    "one-key-name": one_key_name,
    "primary-keys": primary_keys,
    "using": using,
    "natural-join": lambda g: g.sub(_ON, r"NATURAL JOIN \1 AS \2"),
    "join-without-on": lambda g: g.sub(_ON, r"JOIN \1 AS \2"),
    "comma-without-condition": lambda g: g.sub(rf"\s+{_ON}", r", \1 AS \2"),
    "late-alias": late_alias,
    "sub-query-alias-lost": lambda g: _around(g, "SELECT sub.{0} FROM ({1})"),
    "inner-alias-outside": lambda g: _around(g, "SELECT T1.{0} FROM ({1}) AS sub"),
}


def _around(gold: Gold, template: str) -> Pair | None:
    """The gold query as a sub-query of which one column is read."""
    first = re.match(
        r"SELECT\s+(?:DISTINCT\s+)?(?:T\d\.)?(\w+)\s*(?:,|FROM)", gold.sql, re.IGNORECASE
    )
    if first is None or re.search(r"\b(union|except|intersect)\b", gold.sql, re.IGNORECASE):
        return None
    right = f"SELECT {first[1]} FROM ({gold.sql}) AS sub"
    return right, template.format(first[1], gold.sql)


# Texts ------------------------------------------------------------------------------------------


def _text(gold: Gold, change: Callable[[str], str]) -> Pair | None:
    found = [
        m for m in _TEXT.finditer(gold.sql) if re.search(r"[A-Za-z]{3}", m[2]) and "%" not in m[2]
    ]
    found = [m for m in found if change(m[2]) != m[2]]
    if not found:
        return None
    match = gold.chance.choice(found)
    return gold.edited([Edit(*match.span(), f"'{change(match[2])}'")])


def _unquoted(gold: Gold) -> Pair | None:
    found = [m for m in _TEXT.finditer(gold.sql) if re.fullmatch(r"[A-Za-z][\w ]+", m[2])]
    if not found:
        return None
    match = gold.chance.choice(found)
    return gold.edited([Edit(*match.span(), match[2])])


def _quoted_column(gold: Gold, signs: str, whole: bool) -> Pair | None:
    uses = [u for u in gold.found if bool(u.qualifier) == whole and u.clause != "join"]
    if not uses:
        return None
    place = span(gold.chance.choice(uses).column)
    return (
        gold.edited([Edit(*place, signs[0] + gold.sql[slice(*place)] + signs[1])])
        if place
        else None
    )


TEXT_KINDS: dict[str, Callable[[Gold], Pair | None]] = {
    "text-lower": lambda g: _text(g, str.lower),
    "text-upper": lambda g: _text(g, str.upper),
    "text-title": lambda g: _text(g, str.title),
    "text-plural": lambda g: _text(g, _plural),
    "text-no-blank": lambda g: _text(g, lambda t: t.replace(" ", "")),
    "text-underscore": lambda g: _text(g, lambda t: t.replace(" ", "_")),
    "text-blank-behind": lambda g: _text(g, lambda t: f"{t} "),
    "text-slip": lambda g: _text(g, lambda t: _letter(g, t)),
    "text-unquoted": _unquoted,
    "text-curly": lambda g: _text_signs(g, "\u2018\u2019"),
    "text-curly-double": lambda g: _text_signs(g, "\u201c\u201d"),
    "text-backticks": lambda g: _text_signs(g, "``"),
    "column-single-quotes": lambda g: _quoted_column(g, "''", False),
    "qualified-in-double-quotes": lambda g: _quoted_column(g, '""', True),
    "qualified-in-backticks": lambda g: _quoted_column(g, "``", True),
    "qualified-in-brackets": lambda g: _quoted_column(g, "[]", True),
    "apostrophe": lambda g: g.sub(r'"([^"]*\w\'\w[^"]*)"', r"'\1'"),
}


def _text_signs(gold: Gold, signs: str) -> Pair | None:
    return gold.sub(_TEXT.pattern, lambda m: signs[0] + m[2] + signs[1])
