"""The command that judges SQL without a model; what it does is in ``check``."""

from typing import Annotated

import typer

from macsql.cli.options import Db, Json, Parameters, PolicyFile, Role

checking = typer.Typer(rich_markup_mode=None)


@checking.command()
def check(
    sql: Annotated[str, typer.Argument(help="The SQL; - reads it from stdin.")],
    db: Db = None,
    policy: PolicyFile = None,
    role: Role = None,
    param: Parameters = None,
    as_json: Json = False,
) -> int:
    """Say what the safety layers and the checks think of SQL; it is not run, no model is asked.

    Exit code 0: it may run. 1: it may, but it is certainly wrong. 5: it is refused.
    """
    from macsql.cli.check import check as run
    from macsql.cli.opening import Caller
    from macsql.config import load_settings

    settings = load_settings({"db": db, "policy": policy}).settings
    return run(sql, settings, Caller(role, tuple(param or ())), as_json=as_json)
