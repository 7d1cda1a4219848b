"""Soft-F1 of BIRD mini-dev: how much of the gold result a prediction has, row by row."""

from macsql.evaluation.compare import Row, Rows


def soft_f1(gold_rows: Rows, predicted_rows: Rows) -> float:
    """Soft-F1 in [0, 1]: ``calculate_f1_score`` of ``evaluation_f1.py`` in bird-bench/mini_dev.

    Repeated rows are dropped, the first of each is kept. Row N is compared with row N, so the
    score depends on the order of the rows even where the question demands none. A pair counts as
    matched the share of predicted cells that are somewhere in the gold row, as too much the share
    that are not, and as missing the share of gold cells that the predicted row lacks: all over the
    width of the gold row, repeated cells each time. A row without a partner is wholly missing or
    too much. The F1 is of the sums over all rows. Two empty results score 1.

    >>> soft_f1([("a", 1), ("b", 2)], [(1, "a"), (2, "b")])
    1.0
    >>> round(soft_f1([("a",), ("b",)], [("a",), ("c",)]), 3)
    0.5
    """
    if not gold_rows and not predicted_rows:
        return 1.0
    gold = list(dict.fromkeys(gold_rows))
    predicted = list(dict.fromkeys(predicted_rows))
    pairs = [_shares(ours, theirs) for ours, theirs in zip(gold, predicted, strict=False)]
    matched = sum(pair[0] for pair in pairs)
    too_much = sum(pair[1] for pair in pairs) + max(0, len(predicted) - len(gold))
    missing = sum(pair[2] for pair in pairs) + max(0, len(gold) - len(predicted))
    if not matched:
        return 0.0
    precision = matched / (matched + too_much)
    recall = matched / (matched + missing)
    return 2 * precision * recall / (precision + recall)


def _shares(gold: Row, predicted: Row) -> tuple[float, float, float]:
    """Matched, too much and missing cells of a pair of rows, over the width of the gold row."""
    ours, theirs = set(gold), set(predicted)
    matched = sum(cell in ours for cell in predicted)
    missing = sum(cell not in theirs for cell in gold)
    return matched / len(gold), (len(predicted) - matched) / len(gold), missing / len(gold)
