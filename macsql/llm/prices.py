"""What tokens cost, where it is known."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million prompt tokens, prompt tokens read from the cache, and output tokens.

    >>> Price(2.0, 0.5, 8.0).cost(input_tokens=1_000_000, cached_tokens=500_000, output_tokens=0)
    1.25
    """

    input: float
    cached: float
    output: float

    def cost(self, *, input_tokens: int, cached_tokens: int, output_tokens: int) -> float:
        """In US dollars; ``input_tokens`` counts the cached ones too."""
        fresh = input_tokens - cached_tokens
        total = fresh * self.input + cached_tokens * self.cached + output_tokens * self.output
        return total / 1_000_000


# List prices change: only models whose price has been the same for long. For any other, and for
# discounts, give ``price``; without it the cost is None, never a guess.
KNOWN = {
    "openai:gpt-4o": Price(2.50, 1.25, 10.00),
    "openai:gpt-4o-mini": Price(0.15, 0.075, 0.60),
    "openai:gpt-4.1": Price(2.00, 0.50, 8.00),
    "openai:gpt-4.1-mini": Price(0.40, 0.10, 1.60),
}
