"""How every command ends: errors as one line, exit codes, Ctrl-C, a closed pipe."""

import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from macsql.cli.exits import ANSWERED, STOPPED, code_of_error
from macsql.cli.streams import discard_stdout, open_streams, report
from macsql.errors import MacSQLError


class Commands(TyperGroup):
    """The commands of macsql. Each returns its exit code, or None for 0."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command and exit; only a fault in macsql itself leaves a traceback."""
        open_streams()
        if not (sys.argv[1:] if args is None else args):
            args = ["--help"]
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except typer.TyperException as error:
            code = error.exit_code
            report(_usage_line(error))
        except MacSQLError as error:
            code = code_of_error(error)
            report(str(error))
        if code == STOPPED:
            report("stopped")
        sys.exit(code or ANSWERED)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; that nobody reads stdout any more is no failure."""
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            discard_stdout()
            return ANSWERED
        return code


def _usage_line(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "macsql"
    message = error.format_message().strip()
    if message and message[-1] not in ".?!":
        message += "."
    return f'{message} See "{command} --help".'
