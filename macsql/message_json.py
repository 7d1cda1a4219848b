"""A message as plain data for JSON, and back: the record that every question leaves."""

from dataclasses import asdict
from typing import Any

from macsql.database.result import Result
from macsql.llm.base import Usage
from macsql.message import Candidate, Finding, Focus, Message, Step, SubQuestion, ValueMatch
from macsql.schema import Column, ForeignKey, Schema, Table

FORMAT = 1


def message_to_dict(message: Message) -> dict[str, Any]:
    """Plain data: dicts, lists, strings, numbers, None."""
    return {
        "format": FORMAT,
        "question": message.question,
        "evidence": message.evidence,
        "sql": message.sql,
        "result": message.result.to_dict() if message.result else None,
        "confidence": message.confidence,
        "error": message.error,
        "error_kind": message.error_kind,
        "seconds": message.seconds,
        "usage": asdict(message.usage),
        "findings": [asdict(f) for f in message.findings],
        "sub_questions": [asdict(s) for s in message.sub_questions],
        "selection": _selection_to_dict(message),
        "focus": asdict(message.focus),
        "values": [asdict(v) for v in message.values],
        "candidates": [_candidate_to_dict(c) for c in message.candidates],
        "steps": [asdict(s) for s in message.steps],
        "schema": _schema_to_dict(message.schema),
    }


def message_from_dict(data: dict[str, Any]) -> Message:
    """The message that ``message_to_dict`` wrote.

    Raises ValueError when ``data`` is not such a record.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"not a record of a question in format {FORMAT}")
    try:
        return Message(
            question=data["question"],
            schema=_schema_from_dict(data["schema"]),
            evidence=data["evidence"],
            focus=Focus(tuple(data["focus"]["tables"]), tuple(data["focus"]["columns"])),
            values=tuple(ValueMatch(**v) for v in data["values"]),
            selection=data["selection"],
            sub_questions=tuple(SubQuestion(**s) for s in data["sub_questions"]),
            sql=data["sql"],
            result=Result.from_dict(data["result"]) if data["result"] else None,
            candidates=[_candidate_from_dict(c) for c in data["candidates"]],
            findings=tuple(_finding_from_dict(f) for f in data["findings"]),
            steps=[_step_from_dict(s) for s in data["steps"]],
            confidence=data.get("confidence"),
            error=data["error"],
            error_kind=data["error_kind"],
            seconds=data["seconds"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a whole record of a question: {error!r}") from error


def _selection_to_dict(message: Message) -> dict[str, Any] | None:
    if message.selection is None:
        return None
    return {t: a if isinstance(a, str) else list(a) for t, a in message.selection.items()}


def _candidate_to_dict(candidate: Candidate) -> dict[str, Any]:
    return {
        "sql": candidate.sql,
        "origin": candidate.origin,
        "result": candidate.result.to_dict() if candidate.result else None,
        "findings": [asdict(f) for f in candidate.findings],
        "error": candidate.error,
        "repairs": [asdict(f) for f in candidate.repairs],
    }


def _candidate_from_dict(data: dict[str, Any]) -> Candidate:
    return Candidate(
        data["sql"],
        data["origin"],
        Result.from_dict(data["result"]) if data["result"] else None,
        tuple(_finding_from_dict(f) for f in data["findings"]),
        data["error"],
        tuple(_finding_from_dict(f) for f in data.get("repairs", ())),
    )


def _finding_from_dict(data: dict[str, Any]) -> Finding:
    span = data["span"]
    return Finding(**{**data, "span": (span[0], span[1]) if span else None})


def _step_from_dict(data: dict[str, Any]) -> Step:
    return Step(**{**data, "messages": tuple(data["messages"]), "usage": Usage(**data["usage"])})


def _schema_to_dict(schema: Schema) -> dict[str, Any]:
    return {
        "dialect": schema.dialect,
        "name": schema.name,
        "tables": [asdict(t) for t in schema.tables],
    }


def _schema_from_dict(data: dict[str, Any]) -> Schema:
    return Schema(data["dialect"], tuple(_table_from_dict(t) for t in data["tables"]), data["name"])


def _table_from_dict(data: dict[str, Any]) -> Table:
    columns = tuple(Column(**{**c, "examples": tuple(c["examples"])}) for c in data["columns"])
    keys = tuple(
        ForeignKey(tuple(k["columns"]), k["ref_table"], tuple(k["ref_columns"]))
        for k in data["foreign_keys"]
    )
    return Table(
        **{
            **data,
            "columns": columns,
            "foreign_keys": keys,
            "primary_key": tuple(data["primary_key"]),
        }
    )
