"""The pool of judges: nothing that a statement does costs more than its own verdict."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, wait
from pathlib import Path

import pytest

from macsql.errors import ConfigError
from macsql.evaluation.example import Example
from macsql.evaluation.execution import JudgePool
from macsql.evaluation.verdict import Verdict

WaitUntil = Callable[[Callable[[], bool]], None]
GOLD = "SELECT count(*) FROM t"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
MANY = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {}) SELECT {} FROM n"
HUGE = MANY.format(130, "zeroblob(9000000)")
# One call inside the engine that no clock of its own can stop.
STUCK = "SELECT instr(whole, part) FROM long"
# Without its DISTINCT, as Spider's script runs it, it has 3 in no time.
STUCK_AS_WRITTEN = (
    f"SELECT CASE (SELECT count(DISTINCT a > 0) FROM t) WHEN 1 THEN ({STUCK}) ELSE 3 END"
)

posix = pytest.mark.skipif(os.name == "nt", reason="needs the signals and limits of POSIX")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("pool") / "shop.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2), (3);")
    connection.execute("CREATE TABLE long (whole TEXT, part TEXT)")
    connection.execute("INSERT INTO long VALUES (?, ?)", ("a" * 9_000_000, "a" * 4_000_000 + "b"))
    connection.commit()
    connection.close()
    return str(path)


def example(shop: str, gold: str = GOLD, id: str = "1") -> Example:
    return Example(id, "?", gold, shop, "shop")


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path(f"/proc/{pid}/stat").read_text().split(") ")[1].startswith("Z")


@pytest.fixture(scope="module")
def hurt(shop: str) -> dict[str, Verdict]:
    """Verdicts on statements that hurt, each followed by a harmless one, from one pool."""
    statements = {
        "endless": ENDLESS,
        "stuck": STUCK,
        "long": "SELECT group_concat(hex(zeroblob(9000000))) FROM t",
    }
    with JudgePool("spider", workers=2, timeout=3) as judges:
        asked: dict[str, Future[Verdict]] = {}
        for name, sql in statements.items():
            asked[name] = judges.submit(example(shop), sql)
            asked[f"after {name}"] = judges.submit(example(shop), "SELECT 3")
        for name, gold in {"gold 1": STUCK, "gold 2": STUCK}.items():
            asked[name] = judges.submit(example(shop, gold, name), "SELECT 1")
        asked["compared"] = judges.submit(example(shop, STUCK_AS_WRITTEN, "compared"), "SELECT 3")
        return {name: future.result() for name, future in asked.items()}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("endless", "Timeout"),
        ("stuck", "Timeout"),
        ("long", "ExecutionError"),
    ],
)
def test_a_statement_that_hurts_costs_its_own_verdict(
    hurt: dict[str, Verdict], name: str, kind: str
) -> None:
    verdict = hurt[name]
    assert verdict.error_kind == kind
    assert verdict.error
    assert (verdict.ex, verdict.ex_strict, verdict.valid) == (False, False, False)
    assert hurt[f"after {name}"].ex
    # What is said of the texts alone is said of these too.
    assert (verdict.em, verdict.hardness, verdict.gold_error) == (False, "easy", "")


@pytest.mark.parametrize("name", ["gold 1", "gold 2"])
def test_a_gold_query_that_hurts_is_said_so(hurt: dict[str, Verdict], name: str) -> None:
    verdict = hurt[name]
    assert "longer than 3 seconds" in verdict.gold_error
    assert (verdict.ex, verdict.valid, verdict.error) == (False, True, "")


def test_a_comparison_that_hurts_is_not_laid_to_the_prediction(hurt: dict[str, Verdict]) -> None:
    verdict = hurt["compared"]
    assert (verdict.error_kind, verdict.gold_error) == ("Timeout", "")
    assert verdict.error.startswith("In the comparison with the gold query: Stopped")
    assert hurt["stuck"].error.startswith("Stopped")


def test_a_result_of_a_gigabyte_is_too_large(shop: str) -> None:
    with JudgePool("bird", workers=1, timeout=60) as judges:
        predicted = judges.submit(example(shop), HUGE)
        gold = judges.submit(example(shop, HUGE), "SELECT 3")
        assert (predicted.result().error_kind, predicted.result().ex) == ("TooLarge", False)
        assert "too large" in gold.result().gold_error
        assert not gold.result().ex


@posix
def test_a_process_without_memory_or_life_costs_one_verdict(shop: str) -> None:
    with JudgePool("bird", workers=1, timeout=60, memory=500_000_000) as judges:
        greedy = judges.submit(example(shop), MANY.format(4000, "zeroblob(100000)"))
        assert judges.submit(example(shop), "SELECT 3").result().ex
        assert (greedy.result().error_kind, greedy.result().ex) == ("OutOfMemory", False)
        # Killed while idle it costs nothing.
        for pid in judges.pids:
            os.kill(pid, signal.SIGKILL)
        assert judges.submit(example(shop), "SELECT 3").result().ex
        [pid] = judges.pids
        slow = judges.submit(example(shop), ENDLESS)
        after = judges.submit(example(shop), "SELECT 3")
        wait([slow], timeout=1.0)
        os.kill(pid, signal.SIGKILL)
        assert slow.result().error_kind == "Crashed"
        assert "SIGKILL" in slow.result().error
        assert after.result().ex


def test_many_threads_may_submit(shop: str) -> None:
    found: list[str] = []

    def ask(judges: JudgePool, first: int) -> None:
        for id in range(first, first + 25):
            verdict = judges.submit(example(shop, id=str(id)), f"SELECT {id % 5}").result()
            found.append(f"{verdict.id} {verdict.ex}")

    with JudgePool("bird", workers=2) as judges:
        threads = [threading.Thread(target=ask, args=(judges, n * 25)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found) == sorted(f"{id} {id % 5 == 3}" for id in range(100))


def test_leaving_the_block_waits_and_ends_every_process(shop: str) -> None:
    with JudgePool("spider", workers=2) as judges:
        asked = [judges.submit(example(shop, id=str(n)), "SELECT 3") for n in range(20)]
        pids = judges.pids
    assert all(future.result().ex for future in asked)
    assert judges.pids == ()
    assert not any(is_alive(pid) for pid in pids)
    with pytest.raises(ConfigError, match="closed"):
        judges.submit(example(shop), "SELECT 3")


def test_close_cancels_what_runs_and_what_waits(shop: str, wait_until: WaitUntil) -> None:
    judges = JudgePool("spider", workers=1, timeout=60)
    asked = [judges.submit(example(shop, id=str(n)), ENDLESS) for n in range(3)]
    wait_until(asked[0].running)
    judges.close()
    judges.close()
    for future in asked:
        with pytest.raises(CancelledError):
            future.result(timeout=10)
    assert judges.pids == ()


def test_an_error_in_the_block_ends_it_at_once(shop: str) -> None:
    judges = JudgePool("spider", workers=1, timeout=60)
    waiting = judges.submit(example(shop), ENDLESS)
    with pytest.raises(KeyboardInterrupt), judges:
        raise KeyboardInterrupt
    with pytest.raises(CancelledError):
        waiting.result(timeout=10)
    assert judges.pids == ()


SCRIPT = """
import sys, time
from macsql.evaluation.example import Example
from macsql.evaluation.execution import JudgePool
judges = JudgePool("spider", workers=1, timeout=60)
example = Example("1", "?", "SELECT count(*) FROM t", sys.argv[1], "shop")
print(judges.submit(example, "SELECT 3").result().ex)
endless = judges.submit(example, sys.argv[2])
for _ in range(6000):
    if endless.running() and judges.pids:
        break
    time.sleep(0.01)
print(*judges.pids, flush=True)
if sys.argv[3] == "wait":
    endless.result()
"""


def run_script(tmp_path: Path, shop: str, then: str) -> "subprocess.Popen[str]":
    """A script without a main guard, which never closes its judges."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script), shop, ENDLESS, then]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@posix
@pytest.mark.parametrize("end", ["return", "interrupt", "kill"])
def test_no_process_outlives_a_script_however_it_ends(
    tmp_path: Path, shop: str, end: str, wait_until: WaitUntil
) -> None:
    script = run_script(tmp_path, shop, "return" if end == "return" else "wait")
    assert script.stdout is not None
    assert script.stdout.readline() == "True\n"
    pids = [int(pid) for pid in script.stdout.readline().split()]
    assert pids
    if end != "return":
        script.send_signal(signal.SIGINT if end == "interrupt" else signal.SIGKILL)
    script.communicate(timeout=30)
    wait_until(lambda: not any(is_alive(pid) for pid in pids))


def test_impossible_options_are_refused() -> None:
    for options in ({"workers": 0}, {"timeout": 0.0}, {"memory": -1}, {"ves_repeats": -1}):
        with pytest.raises(ConfigError, match="at least 1 worker"):
            JudgePool("spider", **options)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_ctrl_c_goes_to_the_main_thread_and_not_to_the_pool() -> None:
    before = {t.native_id for t in threading.enumerate()}
    with JudgePool("spider", workers=2):
        started = [t for t in threading.enumerate() if t.native_id not in before]
        assert len(started) == 3
        for thread in started:
            assert _blocks(thread.native_id, signal.SIGINT)
        assert not _blocks(threading.main_thread().native_id, signal.SIGINT)


def _blocks(thread: int | None, number: int) -> bool:
    status = Path(f"/proc/self/task/{thread}/status").read_text(encoding="ascii")
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigBlk"))
    return bool(int(mask, 16) >> (number - 1) & 1)
