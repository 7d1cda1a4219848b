"""How likely a statement is the answer to a question, said without a model."""

from macsql.verifier.verifier import GAIN, Surprise, Verifier

__all__ = ["GAIN", "Surprise", "Verifier"]
