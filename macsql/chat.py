"""One message of a conversation with a model."""

from typing import Literal, TypedDict


class ChatMessage(TypedDict):
    """One message of a conversation, in the form all chat APIs share."""

    role: Literal["system", "user", "assistant"]
    content: str
