"""Everything that is wrong with one statement, found without running it."""

from collections.abc import Sequence
from dataclasses import dataclass

from macsql.checks.dialect_rules import foreign_syntax
from macsql.checks.forgiven import forgiven_faults
from macsql.checks.functions import foreign_functions
from macsql.checks.group_rules import GROUP_RULES
from macsql.checks.join_rules import JOIN_RULES
from macsql.checks.keys import summed_keys
from macsql.checks.meaning_rules import MEANING_RULES
from macsql.checks.misread import misread
from macsql.checks.nested import nested_in_having, windows_in_where
from macsql.checks.problems import Problem, name_problems
from macsql.checks.resolve import resolve
from macsql.checks.rules import RULES, Rule
from macsql.checks.scopes import Resolution
from macsql.checks.set_rules import SET_RULES
from macsql.checks.text import Statement, read
from macsql.checks.type_rules import TYPE_RULES
from macsql.message import Finding
from macsql.schema import Schema

CERTAIN_RULES: tuple[Rule, ...] = (
    *RULES,
    *MEANING_RULES,
    summed_keys,
    foreign_functions,
    foreign_syntax,
    forgiven_faults,
    misread,
    nested_in_having,
    windows_in_where,
)
"""The rules that may find an error; the others only doubt."""

ALL_RULES: tuple[Rule, ...] = (*CERTAIN_RULES, *TYPE_RULES, *GROUP_RULES, *JOIN_RULES, *SET_RULES)


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """A statement, what its names refer to, and its problems, errors first."""

    statement: Statement
    schema: Schema
    problems: tuple[Problem, ...]
    resolution: Resolution

    @property
    def errors(self) -> list[Problem]:
        """The problems that are certain."""
        return [p for p in self.problems if p.is_error]


def analyse(sql: str, schema: Schema, rules: Sequence[Rule] = ALL_RULES) -> Analysis:
    """Read and check ``sql`` by ``rules``, and its names; never raises."""
    statement = read(sql, schema.dialect)
    if statement.tree is None:
        problems = [Problem(statement.problem)] if statement.problem else []
        return Analysis(statement, schema, tuple(problems), Resolution())
    try:
        resolution = resolve(statement.tree, schema, statement.dialect, sql)
        problems = name_problems(statement, resolution, schema)
        for rule in rules:
            problems += rule(statement, resolution, schema)
    except RecursionError:
        # Nested too deeply to be followed: nothing is claimed, the database will tell.
        return Analysis(statement, schema, (), Resolution())
    return Analysis(
        statement, schema, tuple(sorted(problems, key=lambda p: not p.is_error)), resolution
    )


def check(sql: str, schema: Schema) -> list[Finding]:
    """What is wrong or doubtful about ``sql``, certain faults first; never raises.

    >>> from macsql.schema import Column, Table
    >>> users = Table("users", (Column("user_name", "TEXT"),))
    >>> [finding] = check("SELECT usr_nm FROM users", Schema("sqlite", (users,)))
    >>> finding.code, finding.hint
    ('unknown-column', 'did you mean users.user_name?')
    """
    return [problem.finding for problem in analyse(sql, schema).problems]
