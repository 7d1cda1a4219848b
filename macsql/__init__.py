"""Ask a relational database in plain language."""

__version__ = "0.1.0"
