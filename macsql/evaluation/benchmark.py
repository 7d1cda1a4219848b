"""Benchmarks by name: which files they are, and samples of their questions."""

import json
import random
import re
from collections import defaultdict
from pathlib import Path

from macsql.errors import ConfigError
from macsql.evaluation.bird import open_bird
from macsql.evaluation.example import Benchmark
from macsql.evaluation.own import SUFFIXES, open_own
from macsql.evaluation.sources import listed, read_json, read_text
from macsql.evaluation.spider import SpiderSource, open_spider

NAMES = {
    "spider": ("spider", "dev"),
    "spider-dev": ("spider", "dev"),
    "spider-train": ("spider", "train"),
    "bird": ("bird", "dev"),
    "bird-dev": ("bird", "dev"),
    "bird-mini": ("bird", "mini-dev"),
    "bird-mini-dev": ("bird", "mini-dev"),
    "mini-dev": ("bird", "mini-dev"),
}
"""Names of sets, with "_" the same as "-", and the benchmark and split that they stand for."""

SAMPLES = "samples.json"


def open_benchmark(
    name: str,
    data: Path | None = None,
    *,
    split: str | None = None,
    questions: Path | None = None,
    gold: Path | None = None,
    database: str = "",
    test_suite: Path | None = None,
) -> Benchmark:
    """The benchmark of that name in the folder ``data``, or the one in a file of one's own.

    ``split`` is another split than that of the name; ``questions`` a file of the same form used
    instead of the benchmark's; ``gold`` and ``test_suite`` are for Spider (see ``SpiderSource``);
    ``database`` is asked for all questions of one's own. Raises ConfigError that says what was
    looked for and what is there.
    """
    known = name.lower().replace("_", "-")
    if known not in NAMES:
        file = _own_file(name)
        _refuse({"questions": questions, "gold": gold, "test suite": test_suite}, "your own file")
        return open_own(file, database, data)
    kind, usual = NAMES[known]
    if data is None:
        raise ConfigError(f"Say where {name} is: --data DIR.")
    if kind == "spider":
        _refuse({"database": database}, "Spider")
        source = SpiderSource(questions, gold, test_suite)
        return open_spider(data, _split(kind, split or usual), source)
    _refuse({"database": database, "gold": gold, "test suite": test_suite}, "BIRD")
    return open_bird(data, _split(kind, split or usual), questions)


DRAWN = re.compile(r"(\d+)(?:/(\d+))?", re.ASCII)
"""A sample drawn by chance: so many questions, or so many of so many databases."""


def sample_ids(
    benchmark: Benchmark, spec: str, data: Path | None = None, *, seed: int = 0
) -> tuple[str, ...]:
    """Ids of a part of the benchmark, in its order.

    ``spec`` is a number of questions, drawn by chance from each database in proportion, or with
    "80/8" from so many databases, also drawn (a local model has fewer schemas to read); the name
    of a list of ids in samples.json, in ``data`` or the folder above; or a file of ids, one a line.
    Raises ConfigError when it is none of these, or names an id that the benchmark lacks.
    """
    if numbers := DRAWN.fullmatch(spec):
        chosen = _drawn(benchmark, int(numbers[1]), int(numbers[2] or 0), seed)
    else:
        chosen = _named(benchmark, spec, data)
    return tuple(e.id for e in benchmark.examples if e.id in chosen)


def sample_name(spec: str, seed: int) -> str:
    """What a sample is called beside the name of its benchmark.

    >>> sample_name("80/8", 1), sample_name("lists/quick.txt", 1)
    ('sample 80/8, seed 1', 'sample quick.txt')
    """
    drawn = DRAWN.fullmatch(spec)
    return f"sample {spec}, seed {seed}" if drawn else f"sample {Path(spec).name}"


def _own_file(name: str) -> Path:
    file = Path(name)
    if file.suffix.lower() in SUFFIXES:
        return file
    raise ConfigError(
        f"There is no benchmark {name}: known are {', '.join(NAMES)}, and files of your own "
        f"that end in {' or '.join(SUFFIXES)}."
    )


def _split(kind: str, split: str) -> str:
    known = sorted({s for k, s in NAMES.values() if k == kind})
    if split not in known:
        raise ConfigError(f"There is no split {split} of {kind}: known are {', '.join(known)}.")
    return split


def _refuse(given: dict[str, object], kind: str) -> None:
    for name, value in given.items():
        if value:
            raise ConfigError(f"A {name} cannot be given for {kind}; leave it out.")


def _drawn(benchmark: Benchmark, count: int, databases: int, seed: int) -> set[str]:
    """So many ids; each database has its share, rounded by largest remainder."""
    by_database: dict[str, list[str]] = defaultdict(list)
    for example in benchmark.examples:
        by_database[example.db_id].append(example.id)
    if databases > len(by_database):
        raise ConfigError(
            f"A sample of {databases} of {len(by_database)} databases cannot be drawn."
        )
    if databases:
        names = random.Random(seed).sample(sorted(by_database), databases)
        by_database = {name: by_database[name] for name in names}
    total = sum(map(len, by_database.values()))
    if not 0 < count <= total:
        raise ConfigError(f"A sample of {count:,} of {total:,} questions cannot be drawn.")
    sizes = {name: count * len(ids) // total for name, ids in by_database.items()}
    remainders = sorted(by_database, key=lambda name: -(count * len(by_database[name]) % total))
    for name in remainders[: count - sum(sizes.values())]:
        sizes[name] += 1
    draw = random.Random(seed)
    return {id for name, ids in by_database.items() for id in draw.sample(ids, sizes[name])}


def _named(benchmark: Benchmark, spec: str, data: Path | None) -> set[str]:
    lists = next((f for f in _sample_files(data) if f.is_file()), None)
    named = read_json(lists) if lists else {}
    if isinstance(named, dict) and isinstance(named.get(spec), list):
        where, chosen = f"{lists}, {spec}", [str(id) for id in named[spec]]
    elif Path(spec).is_file():
        where, chosen = spec, _ids_of_file(Path(spec))
    else:
        names = listed(named) if isinstance(named, dict) and named else f"none, no {SAMPLES}"
        raise ConfigError(
            f"There is no sample {spec}: give a number, a file of ids, or a name ({names})."
        )
    unknown = set(chosen) - {e.id for e in benchmark.examples}
    if unknown or not chosen:
        what = f"{benchmark.name} has no question {min(unknown)}" if unknown else "it has no ids"
        raise ConfigError(f"The sample {where} does not fit: {what}.")
    return set(chosen)


def _sample_files(data: Path | None) -> list[Path]:
    return [folder / SAMPLES for folder in (data, data.resolve().parent)] if data else []


def _ids_of_file(path: Path) -> list[str]:
    """The ids in a JSON list, or one a line."""
    text = read_text(path)
    if text.lstrip().startswith("["):
        try:
            return [str(id) for id in json.loads(text)]
        except ValueError as error:
            raise ConfigError(f"{path} is not valid JSON: {error}.") from error
    return [line.strip() for line in text.split("\n") if line.strip()]
