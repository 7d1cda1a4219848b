"""The folders of the user that macsql writes to."""

import os
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
