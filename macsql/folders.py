"""The folders of the user that macsql writes to, and how a file there appears whole."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def default_cache_dir() -> Path:
    """Where macsql keeps what it can make or fetch again: ``MACSQL_CACHE_DIR``, else the user's
    cache.
    """
    chosen = os.environ.get("MACSQL_CACHE_DIR")
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("macsql"))


def write_whole(path: Path, content: bytes, *, suffix: str = ".tmp") -> None:
    """The file has its old content or ``content``, never a part, whoever else writes it.

    What is under way has a name that ends in ``suffix``. Raises OSError.
    """
    handle, temporary = tempfile.mkstemp(suffix=suffix, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise
