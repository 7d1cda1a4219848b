"""``macsql tune``: whether sub-questions pay with a model, learnt from questions with answers."""

from dataclasses import replace
from typing import Literal

from macsql.cli.eval import Request, run
from macsql.cli.exits import ANSWERED
from macsql.cli.show import Screen
from macsql.cli.streams import write, write_json, writing
from macsql.config import Settings
from macsql.evaluation.report import open_runs
from macsql.evaluation.report_compare import compare
from macsql.tuned import Trained, remember

WAYS: tuple[Literal["direct", "decompose"], ...] = ("direct", "decompose")


def tune(request: Request, settings: Settings) -> int:
    """Ask both ways, compare, keep what was learnt, and return the exit code.

    Only questions that look as if they took more than one step are asked: the others are asked
    directly in any case. Both runs are kept in the folder ``request.out``, and go on.
    """
    screen = Screen()
    part = replace(request.part, with_steps=True)
    for way in WAYS:
        makeup = replace(request.makeup, style=way)
        screen.note(f"{way}:", "bold")
        benchmark, _ = run(
            replace(request, out=request.out / way, part=part, makeup=makeup), settings, screen
        )
    direct, steps = open_runs([request.out / way for way in WAYS])
    change = compare(direct, steps).changes["ex"]
    found = Trained(
        questions=change.n,
        won=change.gained or 0,
        lost=change.lost or 0,
        p=1.0 if change.p is None else round(change.p, 4),
        data=benchmark.checksum,
    )
    model = direct.manifest.model
    file = remember(model, found)
    with writing():
        if request.as_json:
            write_json(
                {
                    "model": model,
                    "questions": found.questions,
                    "ex_direct": round(100 * change.before, 2),
                    "ex_decompose": round(100 * change.after, 2),
                    "won": found.won,
                    "lost": found.lost,
                    "p": found.p,
                    "steps_pay": found.steps_pay,
                }
            )
        else:
            write(
                f"{model}, {found.questions:,} questions with steps: EX "
                f"{100 * change.before:.1f} % at once, {100 * change.after:.1f} % by sub-questions "
                f"({found.won} won, {found.lost} lost, p = {found.p:.2g}).\n{_said(found)}"
            )
    screen.note(f"kept in {file}; --style auto follows it from now on")
    return ANSWERED


def _said(found: Trained) -> str:
    if found.steps_pay is None:
        return "Sub-questions win, but it may be chance: ask more questions. Nothing changes."
    if found.steps_pay:
        return "Sub-questions pay: they are asked where a question takes more than one step."
    return "Sub-questions do not pay: every question is asked at once."
