"""Stored texts to be looked up by key or by likeness, kept in a SQLite file or in memory."""

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from macsql.database.value_keys import folded_words, initials_key, value_key

MAX_TEXT = 100
"""Longer texts are no names of anything, and are not kept."""
MAX_VALUES = 500_000
"""Different texts kept of one column."""
MAX_SHORTENED = 1_000
"""Initials are kept of this many texts of a column: beyond, they tell nothing."""
SCANNED = 60_000
"""Comparing with so many texts is faster than making a full-text index of them."""
MORE_SCANNED = 4
"""Times as many are compared where SQLite has no such index."""
CANDIDATES = 60
LIKENESS = 0.75
SPELLING_SECONDS = 0.25
LOOKED_UP = 400
MAX_TRIGRAMS = 40

_TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, content TEXT) WITHOUT ROWID",
    "CREATE TABLE progress (tbl TEXT PRIMARY KEY, state TEXT) WITHOUT ROWID",
    # A text is old while it was ``seen`` in an earlier ``reading`` only; ``before`` is how many
    # texts the last one found, until the table is read to the end again.
    "CREATE TABLE place (id INTEGER PRIMARY KEY, tbl TEXT, col TEXT, texts INTEGER,"
    " before INTEGER, reading INTEGER, UNIQUE (tbl, col))",
    # The full-text index knows texts by number, so that no number may come again.
    "CREATE TABLE value (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT, place INTEGER, text TEXT,"
    " seen INTEGER)",
    "CREATE UNIQUE INDEX by_key ON value (key, place, text)",
    "CREATE TABLE short (key TEXT, value INTEGER, PRIMARY KEY (key, value)) WITHOUT ROWID",
)
_FIELDS = "tbl, col, text, max(texts, before), seen < reading"
_IS_KNOWN = "(seen = reading OR before > 0)"
# The trigrams alone, without the text: what is found is compared again.
_SPELLING = "CREATE VIRTUAL TABLE spelling USING fts5 (words, content='', tokenize='trigram')"


class StoredValue(NamedTuple):
    """A text of a column, and how many different texts are known of that column.

    ``is_old``: it was stored when the database was another version, and may be no more.
    """

    table: str
    column: str
    text: str
    texts: int
    is_old: bool = False


class StoreError(Exception):
    """The file cannot be used; the message says why. It never leaves this package.

    ``is_busy``: another process is writing. ``is_damaged``: the file is worth nothing.
    """

    def __init__(self, why: str, *, is_busy: bool = False, is_damaged: bool = False) -> None:
        super().__init__(why)
        self.is_busy = is_busy
        self.is_damaged = is_damaged


class ValueStore:
    """Texts of columns; safe for several threads, and several processes may share a file.

    ``path`` None keeps everything in memory. What one transaction adds is there whole or not at
    all, so that a build that was stopped goes on where it was. Every method raises StoreError when
    the file cannot be used, or stays locked for ``wait`` seconds. More than ``scanned`` texts get a
    full-text index.
    """

    def __init__(self, path: Path | None, *, wait: float = 1.0, scanned: int = SCANNED) -> None:
        self._most_scanned = scanned
        self._lock = threading.RLock()
        self._scanned: tuple[list[int], list[str]] = ([], [])
        with _as_store_error():
            if path is not None:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                if not path.exists():
                    path.touch(mode=0o600)
            self._connection = sqlite3.connect(
                path or ":memory:", timeout=wait, isolation_level=None, check_same_thread=False
            )
        try:
            if not self._has("meta"):
                with self.changing():
                    self._create()
            self._has_trigrams = self._has("spelling")
        except StoreError:
            self._connection.close()
            raise

    def _has(self, table: str) -> bool:
        return bool(self._rows("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)))

    def _create(self) -> None:
        if self._has("meta"):
            return
        for statement in _TABLES:
            self._connection.execute(statement)
        # An SQLite without FTS5, or older than 3.34, compares with every text instead.
        with suppress(sqlite3.OperationalError):
            self._connection.execute(_SPELLING)

    def _rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        with self._lock, _as_store_error():
            return self._connection.execute(sql, parameters).fetchall()

    def close(self) -> None:
        """Close the file. May be called twice."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """A transaction that nobody else can be in; after an error nothing is changed."""
        with self._lock, _as_store_error():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise

    def is_of(self, version: str) -> bool:
        """Whether what is kept is of this version of the database."""
        return self.meta("version") == version

    def renew(self, version: str) -> None:
        """Unless it is of ``version``: what is there is old, what is added from now on is of it."""
        if not self.is_of(version):
            with self.changing():
                if not self.is_of(version):
                    self._restart(version)

    def _restart(self, version: str) -> None:
        self._connection.execute("DELETE FROM progress")
        self._connection.execute(
            "UPDATE place SET before = max(texts, before), texts = 0, reading = reading + 1"
        )
        self.set_meta("version", version)
        if self.counts():
            self.set_meta("has_old", "yes")

    def finish(self, table: str) -> None:
        """The table was read: its old texts are no more. Inside ``changing``."""
        self._connection.execute("UPDATE place SET before = 0 WHERE tbl = ?", (table,))

    def drop_old(self, count: int) -> bool:
        """Remove up to ``count`` old texts; False when there was none to remove."""
        if not self.meta("has_old"):
            return False
        with self.changing():
            rows = self._rows(
                "SELECT value.id, text FROM value JOIN place ON place.id = place"
                " WHERE seen < reading LIMIT ?",
                (count,),
            )
            self._remove(rows)
            if not rows:
                self._connection.execute("UPDATE place SET before = 0")
                self.set_meta("has_old", "")
        return bool(rows)

    def _remove(self, rows: Sequence[tuple[int, str]]) -> None:
        last = int(self.meta("spelled") or 0)
        if self._has_trigrams:
            self._connection.executemany(
                "INSERT INTO spelling (spelling, rowid, words) VALUES ('delete', ?, ?)",
                [(row, " ".join(folded_words(text))) for row, text in rows if row <= last],
            )
        self._connection.executemany(
            "DELETE FROM short WHERE key = ? AND value = ?",
            [(short, row) for row, text in rows if (short := initials_key(text))],
        )
        self._connection.executemany("DELETE FROM value WHERE id = ?", [(r,) for r, _ in rows])
        self._scanned = ([], [])

    def meta(self, name: str) -> str:
        """A remark kept with the texts; empty when there is none."""
        rows = self._rows("SELECT content FROM meta WHERE name = ?", (name,))
        return str(rows[0][0]) if rows else ""

    def set_meta(self, name: str, content: str) -> None:
        """Keep a remark; inside ``changing``."""
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, content))

    def progress(self) -> dict[str, str]:
        """How far each table was read, in the words of ``set_progress``."""
        return dict(self._rows("SELECT tbl, state FROM progress"))

    def set_progress(self, table: str, state: str) -> None:
        """Note how far a table was read; inside ``changing``."""
        self._connection.execute("INSERT OR REPLACE INTO progress VALUES (?, ?)", (table, state))

    def add(self, table: str, column: str, texts: Iterable[str]) -> None:
        """Keep texts of a column, those that are not there yet; inside ``changing``."""
        self._connection.execute(
            "INSERT OR IGNORE INTO place (tbl, col, texts, before, reading) VALUES (?, ?, 0, 0, 1)",
            (table, column),
        )
        place, count, reading = self._rows(
            "SELECT id, texts, reading FROM place WHERE tbl = ? AND col = ?", (table, column)
        )[0]
        keyed = [(key, place, text) for text in texts if (key := value_key(text))]
        before = self._connection.total_changes
        self._connection.executemany(
            "INSERT INTO value (key, place, text, seen) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET seen = excluded.seen WHERE seen < excluded.seen",
            [(*row, reading) for row in keyed[: MAX_VALUES - count]],
        )
        count += self._connection.total_changes - before
        self._connection.execute("UPDATE place SET texts = ? WHERE id = ?", (count, place))
        if count <= MAX_SHORTENED:
            self._connection.executemany(
                "INSERT OR IGNORE INTO short"
                " SELECT ?, id FROM value WHERE key = ? AND place = ? AND text = ?",
                [(short, *row) for row in keyed if (short := initials_key(row[2]))],
            )

    def counts(self) -> Mapping[tuple[str, str], int]:
        """How many different texts are kept of each (table, column)."""
        return {(t, c): n for t, c, n in self._rows("SELECT tbl, col, texts FROM place")}

    def index_spelling(self, count: int) -> bool:
        """Index up to ``count`` more texts for ``near``; False when there was none to index."""
        if not self._has_trigrams or sum(self.counts().values()) <= self._most_scanned:
            return False
        if not self._unspelled(1):
            return False
        with self.changing():
            rows = self._unspelled(count)
            self._connection.executemany(
                "INSERT INTO spelling (rowid, words) VALUES (?, ?)",
                [(row, " ".join(folded_words(text))) for row, text in rows],
            )
            if rows:
                self.set_meta("spelled", str(rows[-1][0]))
        return bool(rows)

    def _unspelled(self, count: int) -> list[Any]:
        """Numbers and texts of the next ``count`` that are not in the full-text index."""
        done = int(self.meta("spelled") or 0)
        return self._rows(
            "SELECT id, text FROM value WHERE id > ? ORDER BY id LIMIT ?", (done, count)
        )

    def find(self, keys: Iterable[str]) -> list[tuple[str, StoredValue]]:
        """The texts with one of the keys, each with the key it was found by."""
        wanted = sorted(set(keys) - {""})
        found: list[tuple[str, StoredValue]] = []
        for start in range(0, len(wanted), LOOKED_UP):
            part = wanted[start : start + LOOKED_UP]
            marks = ", ".join("?" * len(part))
            rows = self._rows(
                f"SELECT value.key, {_FIELDS} FROM value"  # noqa: S608 - marks
                " JOIN place ON place.id = value.place"
                f" WHERE value.key IN ({marks}) AND {_IS_KNOWN}"
                f" UNION ALL SELECT short.key, {_FIELDS} FROM short"
                " JOIN value ON value.id = short.value JOIN place ON place.id = value.place"
                f" WHERE short.key IN ({marks}) AND {_IS_KNOWN}",
                [*part, *part],
            )
            found += ((row[0], _stored_value(*row[1:])) for row in rows)
        return found

    def near(self, text: str) -> list[StoredValue]:
        """The texts that are spelt like ``text``, the likest first.

        Case, accents and punctuation do not count.
        """
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        wanted = " ".join(folded_words(text))
        ids, texts = self._like(wanted) if self._uses_trigrams() else self._all()
        scored = process.extract(
            wanted,
            texts,
            scorer=OSA.normalized_similarity,
            score_cutoff=LIKENESS,
            limit=CANDIDATES,
        )
        chosen = [ids[index] for _, _, index in scored]
        rows = self._rows(
            f"SELECT value.id, {_FIELDS} FROM value JOIN place ON place.id = place"  # noqa: S608 - marks
            f" WHERE value.id IN ({', '.join('?' * len(chosen))}) AND {_IS_KNOWN}",
            chosen,
        )
        by_id = {row[0]: _stored_value(*row[1:]) for row in rows}
        return [by_id[i] for i in chosen if i in by_id]

    def column_texts(self, table: str, column: str, text: str, limit: int) -> list[str]:
        """Texts of one column: all, or, where they are more than ``limit``, those like ``text``.

        What has its key is always among them. None is old.
        """
        count = self.counts().get((table, column), 0)
        texts = (
            "SELECT text FROM value JOIN place ON place.id = place"
            " WHERE tbl = ? AND col = ? AND seen = reading"
        )
        rows = self._rows(f"{texts} AND key = ?", (table, column, value_key(text)))
        if count <= limit or not self._uses_trigrams():
            rows += self._rows(f"{texts} LIMIT ?", (table, column, limit))
        else:
            rows += self._spelt_alike(
                "SELECT text FROM spelling JOIN value ON value.id = spelling.rowid"
                " JOIN place ON place.id = place WHERE spelling MATCH ? AND tbl = ? AND col = ?"
                " AND seen = reading ORDER BY rank LIMIT ?",
                (_trigrams(text), table, column, CANDIDATES),
            )
        return list(dict.fromkeys(row[0] for row in rows))

    def _uses_trigrams(self) -> bool:
        return self._has_trigrams and bool(self.meta("spelled"))

    def _like(self, folded: str) -> tuple[list[int], list[str]]:
        """Numbers and folded texts of those that share most trigrams with ``folded``."""
        rows = self._spelt_alike(
            "SELECT id, text FROM spelling JOIN value ON value.id = spelling.rowid"
            " WHERE spelling MATCH ? ORDER BY rank LIMIT ?",
            (_trigrams(folded), CANDIDATES),
        )
        return [row[0] for row in rows], [" ".join(folded_words(row[1])) for row in rows]

    def _spelt_alike(self, sql: str, parameters: Sequence[Any]) -> list[Any]:
        """The rows of a full-text query; none if it takes too long, as for common trigrams only."""
        deadline = time.monotonic() + SPELLING_SECONDS
        with self._lock, _as_store_error():
            self._connection.set_progress_handler(lambda: time.monotonic() > deadline, 5_000)
            try:
                return self._connection.execute(sql, parameters).fetchall()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                    raise
                return []
            finally:
                self._connection.set_progress_handler(None, 0)

    def _all(self) -> tuple[list[int], list[str]]:
        """The same of all texts, or the first ones where there are very many."""
        most = self._most_scanned * (1 if self._has_trigrams else MORE_SCANNED)
        with self._lock:
            ids, folded = self._scanned
            last = ids[-1] if ids else 0
            for row, text in self._rows(
                "SELECT id, text FROM value WHERE id > ? ORDER BY id LIMIT ?",
                (last, most - len(ids)),
            ):
                ids.append(row)
                folded.append(" ".join(folded_words(text)))
            return ids, folded


def _stored_value(table: str, column: str, text: str, texts: int, is_old: int) -> StoredValue:
    return StoredValue(table, column, text, texts, bool(is_old))


def _trigrams(text: str) -> str:
    """A full-text query for any of the trigrams of ``text``; one that finds nothing if none."""
    folded = " ".join(folded_words(text))
    parts = dict.fromkeys(folded[i : i + 3] for i in range(len(folded) - 2))
    return " OR ".join(f'"{part}"' for part in list(parts)[:MAX_TRIGRAMS]) or '""'


@contextmanager
def _as_store_error() -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        raise StoreError(
            str(error),
            is_busy=code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED),
            is_damaged=code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB),
        ) from error
