"""The command line: macsql ask, schema, model, trace and settings."""

import logging
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command in ``sys.argv`` and exit with its code."""
    # The parser's remarks about odd statements are no messages for people.
    logging.getLogger("sqlglot").addHandler(logging.NullHandler())
    try:
        from macsql.cli.app import app
    except KeyboardInterrupt:
        sys.stderr.write("macsql: stopped\n")
        raise SystemExit(130) from None
    app()
