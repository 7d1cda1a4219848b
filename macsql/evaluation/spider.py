r"""Spider: questions on many small databases; the gold SQL in the JSON or in a file of its own.

    dev.json       [{"db_id": "concert_singer", "question": "How many singers do we have?",
                     "query": "SELECT count(*) FROM singer", ...}, ...]
    dev_gold.sql   SELECT count(*) FROM singer<TAB>concert_singer
    tables.json    [{"db_id": "concert_singer", "table_names_original": ["stadium", ...], ...}]
    database/concert_singer/concert_singer.sqlite

Further .sqlite files in the folder of a database, or in the folder of that name of a test suite,
are databases on which the prediction must agree too.
"""

from dataclasses import dataclass
from pathlib import Path

from macsql.errors import ConfigError
from macsql.evaluation.exact_match_keys import KeyGroups, spider_keys
from macsql.evaluation.example import Benchmark, Example
from macsql.evaluation.sources import (
    checksum,
    find_folder,
    listed,
    missing_databases,
    read_entries,
    read_json,
    read_text,
    refuse_missing,
)

FOLDERS = ("spider", "spider_data")
FILES = {"dev": ("dev.json",), "train": ("train_spider.json", "train_others.json")}
COMPLETE = {"dev": 1034, "train": 8659}
"""Questions of the official sets."""


@dataclass(frozen=True, slots=True)
class SpiderSource:
    """Files used instead of those that the folder has.

    ``questions`` is a file of the form of dev.json, ``gold`` one of the form of dev_gold.sql for
    the same questions, ``test_suite`` a folder with one folder of databases for each name.
    """

    questions: Path | None = None
    gold: Path | None = None
    test_suite: Path | None = None


def open_spider(data: Path, split: str, source: SpiderSource) -> Benchmark:
    """The questions of a split, "dev" or "train"; ids are positions in the file, from 0.

    Questions of "train" whose database is not there are left out, which a note says; in "dev" a
    missing database is an error. Raises ConfigError for a folder or file that is not as it must be.
    """
    title = f"Spider {split}"
    names = ("tables.json",) if source.questions else (*FILES[split], "tables.json")
    folder = find_folder(data, FOLDERS, names, title)
    files = [source.questions] if source.questions else [folder / n for n in FILES[split]]
    entries = [e for f in files for e in read_entries(f, ("db_id", "question"), "Spider")]
    gold_file = source.gold or _gold_beside(files[0], entries)
    gold = _gold_of_file(gold_file, entries) if gold_file else [str(e["query"]) for e in entries]
    databases = {e["db_id"]: folder / "database" / e["db_id"] for e in entries}
    missing = missing_databases({n: path / f"{n}.sqlite" for n, path in databases.items()})
    if split == "dev" or len(missing) == len(databases):
        refuse_missing(missing, folder / "database")
    suites = {
        name: _test_suite(name, path, source.test_suite)
        for name, path in databases.items()
        if name not in missing
    }
    examples = tuple(
        Example(
            id=str(position),
            question=entry["question"].strip(),
            gold_sql=sql,
            database=str(databases[entry["db_id"]] / f"{entry['db_id']}.sqlite"),
            db_id=entry["db_id"],
            test_suite=suites[entry["db_id"]],
        )
        for position, (entry, sql) in enumerate(zip(entries, gold, strict=True))
        if entry["db_id"] not in missing
    )
    return Benchmark(
        name=_name(split, source.questions, len(examples)),
        rule="spider",
        examples=examples,
        checksum=checksum([*files, *([gold_file] if gold_file else []), folder / "tables.json"]),
        notes=_notes(len(entries) - len(examples), missing),
        key_groups=read_key_groups(folder / "tables.json"),
    )


def check_test_suite(benchmark: Benchmark, suite: Path) -> None:
    """Raise ConfigError where ``suite`` lacks databases for a question of ``benchmark``.

    A part of a benchmark needs those of its own questions only, so this comes after sampling.
    """
    for name, database in {e.db_id: Path(e.database) for e in benchmark.examples}.items():
        if not _in_suite(suite / name, database):
            raise ConfigError(f"The test suite has no databases for {name}: {suite / name}.")


def read_gold(path: Path) -> list[tuple[str, str]]:
    """Gold SQL and db_id of each line of a gold file. Raises ConfigError, naming a bad line."""
    pairs = []
    for number, line in enumerate(read_text(path).removesuffix("\n").split("\n"), 1):
        sql, tab, db_id = line.strip().rpartition("\t")
        if not tab or not sql.strip():
            raise ConfigError(
                f"{path}, line {number}: not gold SQL, a tab and the name of a database."
            )
        pairs.append((sql.strip(), db_id.strip()))
    return pairs


def read_key_groups(path: Path) -> dict[str, KeyGroups]:
    """Which key columns are the same, for each database of a tables.json.

    Raises ConfigError, naming the entry (from 1), when the file is not in the official form.
    """
    entries = read_json(path)
    if not isinstance(entries, list):
        raise ConfigError(f"{path} is no list of schemas in the form of Spider's tables.json.")
    groups: dict[str, KeyGroups] = {}
    for number, entry in enumerate(entries, 1):
        try:
            groups[entry["db_id"]] = spider_keys(entry)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ConfigError(
                f"{path}, entry {number}: not a schema in the form of Spider's tables.json."
            ) from error
    return groups


def _gold_beside(questions: Path, entries: list[dict[str, str]]) -> Path | None:
    """None when the questions have their gold SQL; else the gold file that lies beside them."""
    bare = [i for i, e in enumerate(entries, 1) if not str(e.get("query") or "").strip()]
    if not bare:
        return None
    beside = questions.with_name(f"{questions.stem}_gold.sql")
    if beside.exists():
        return beside
    hint = "; this looks like a file of BIRD" if "SQL" in entries[bare[0] - 1] else ""
    raise ConfigError(
        f'{questions}, entry {bare[0]}: no "query", and no {beside.name} beside it{hint}.'
    )


def _gold_of_file(path: Path, entries: list[dict[str, str]]) -> list[str]:
    """The gold SQL of ``path``, one line for each entry."""
    pairs = read_gold(path)
    if len(pairs) != len(entries):
        raise ConfigError(
            f"{path} has {len(pairs):,} lines for {len(entries):,} questions; "
            "line N must belong to question N."
        )
    for number, ((_, db_id), entry) in enumerate(zip(pairs, entries, strict=True), 1):
        if db_id != entry["db_id"]:
            raise ConfigError(
                f"{path}, line {number}: the database is {db_id}, but that of question {number} "
                f"is {entry['db_id']}; line N must belong to question N."
            )
    return [sql for sql, _ in pairs]


def _test_suite(name: str, folder: Path, suite: Path | None) -> tuple[str, ...]:
    """The further databases that a prediction has to agree on."""
    own = folder / f"{name}.sqlite"
    found = [p for p in sorted(folder.glob("*.sqlite")) if p != own]
    if suite is not None:
        found += _in_suite(suite / name, own)
    return tuple(map(str, found))


def _in_suite(folder: Path, own: Path) -> list[Path]:
    return [p for p in sorted(folder.glob("*.sqlite")) if p.resolve() != own.resolve()]


def _name(split: str, questions: Path | None, count: int) -> str:
    if questions is not None:
        return f"{questions.name} (form of Spider)"
    complete = COMPLETE[split]
    return f"Spider {split}" + ("" if count == complete else f" ({count:,} of {complete:,})")


def _notes(left_out: int, missing: list[str]) -> tuple[str, ...]:
    if not left_out:
        return ()
    return (f"{left_out:,} questions left out, no database: {listed(missing)}",)
