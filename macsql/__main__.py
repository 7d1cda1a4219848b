"""``python -m macsql`` is the command line."""

from macsql.cli import main

if __name__ == "__main__":
    main()
