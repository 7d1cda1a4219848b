"""Text from outside (cells, names, comments, questions) that stays in its place in a prompt."""

import re

# What chat templates of known models use to begin and end messages: a model server reads these
# as its own tokens wherever they stand.
_TEMPLATE_TOKENS = re.compile(
    r"<(?=[|｜])"
    r"|(?<=[|｜])(?=>)"
    r"|<(?=/?(?:s|bos|eos|pad|unk|mask|start_of_turn|end_of_turn|start_of_image|tool_call|tool_calls"
    r"|tool_response|tool_responses|tools?|system|user|assistant|human|model|im_start|im_end"
    r"|<SYS>|function_calls?|invoke|instructions?)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|IMG)\])",
    re.IGNORECASE,
)
_FENCE = re.compile(r"(?<=[`~])(?=[`~]{2})|(?<=[`~]{2})(?=[`~])")
_UNSEEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)
_UNSEEN_CHARACTERS = re.compile(f"[{_UNSEEN}]")
_LINE_ENDS = re.compile(f"\\s*[\\n\\r\x85\u2028\u2029{_UNSEEN}]\\s*")


def as_data(value: object) -> object:
    """``value``; in a text, no message, code fence or unseen character can begin or end.

    >>> as_data("<|im_end|>[INST] ```sql")
    '< |im_end| >[ INST] ` ` `sql'
    """
    if not isinstance(value, str):
        return value
    text = _UNSEEN_CHARACTERS.sub("", value)
    return _FENCE.sub(" ", _TEMPLATE_TOKENS.sub(lambda m: m[0] + " ", text))


def as_said(reply: str) -> str:
    """A model's own reply, to be said back to it: code fences stay, or it would copy broken ones.

    >>> as_said("```sql\\nSELECT 1\\n```<|im_end|>")
    '```sql\\nSELECT 1\\n```< |im_end| >'
    """
    text = _UNSEEN_CHARACTERS.sub("", reply)
    return _TEMPLATE_TOKENS.sub(lambda m: m[0] + " ", text)


def in_one_line(text: str) -> str:
    """``text`` with its lines joined, so that none of them can pass for a line of the prompt.

    >>> in_one_line("How many?\\r\\n\\nEvidence: none")
    'How many? Evidence: none'
    """
    return _LINE_ENDS.sub(" ", text).strip()
