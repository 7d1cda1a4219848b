"""What was learnt of a model from questions with known answers (``macsql tune``)."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from macsql.config import config_file
from macsql.errors import ConfigError
from macsql.folders import write_whole

FILE = "tuned.json"
CERTAIN = 0.1
"""The p-value at most with which the dearer way is taken."""


@dataclass(frozen=True, slots=True)
class Trained:
    """One model asked the same questions at once and by sub-questions.

    ``won`` and ``lost`` are the questions that only sub-questions, or only the direct way, got
    right; ``p`` is McNemar's exact p-value, ``data`` the checksum of the questions.
    """

    questions: int
    won: int
    lost: int
    p: float
    data: str = ""

    @property
    def steps_pay(self) -> bool | None:
        """Whether sub-questions pay; None when the questions do not say.

        They cost several times the tokens: they have to win, and not by chance. That they do not
        win is enough against them.

        >>> Trained(40, won=9, lost=1, p=0.02).steps_pay, Trained(40, won=2, lost=2, p=1).steps_pay
        (True, False)
        """
        if self.won <= self.lost:
            return False
        return True if self.p <= CERTAIN else None


def tuned_file() -> Path:
    """Where it is kept: beside the settings file."""
    return config_file().parent / FILE


def steps_pay(model: str) -> bool | None:
    """What was learnt of the model of that name; None when nothing was.

    Raises ConfigError when the file cannot be read.
    """
    known = _read(tuned_file()).get(model)
    return known.steps_pay if known else None


def remember(model: str, found: Trained) -> Path:
    """Keep ``found`` for the model of that name, and return the file. Raises ConfigError."""
    path = tuned_file()
    known = {**_read(path), model: found}
    text = json.dumps({name: asdict(entry) for name, entry in known.items()}, indent=1)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, f"{text}\n".encode())
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}.") from error
    return path


def _read(path: Path) -> dict[str, Trained]:
    try:
        entries: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return {model: Trained(**entry) for model, entry in entries.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{path} cannot be read ({error}): delete it, and run macsql tune again."
        ) from error
