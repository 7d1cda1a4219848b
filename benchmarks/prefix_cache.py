"""Does the local model read a schema once? Counted by the engine, in prompt tokens.

    python benchmarks/prefix_cache.py [local:NAME or local:FILE.gguf]

Two databases are asked in turn, by two agents that share the system prompt and the schema. Each
line says how many prompt tokens came from the cache and how many had to be read.
"""

import sys
import time

from macsql.llm import open_model

RULES = "You answer questions about a database with one SQLite query.\n\n"
AGENTS = {
    "select": "Name the tables that the question needs, as a JSON list. Leave none out. " * 4,
    "write": "Write the SQL query that answers the question, nothing else. Guess no name. " * 4,
}
TURNS = (
    ("shop", "write", "How many orders are there?"),
    ("shop", "write", "Which customer spent most?"),
    ("clinic", "write", "How many patients are there?"),
    ("shop", "write", "Name the three dearest products."),
    ("clinic", "write", "Which doctor saw most patients?"),
    ("shop", "select", "Which orders were paid late?"),
    ("shop", "write", "Which orders were paid late?"),
    ("clinic", "write", "How old are the patients on average?"),
)


def schema(database: str, tables: int = 12) -> str:
    """A schema of some 400 tokens that shares nothing with that of another database."""
    lines = [
        f"{database}_{i} ({database}_{i}_id INTEGER, name TEXT, noted DATE, amount_{i} REAL)"
        for i in range(tables)
    ]
    return f"Tables of the database {database}:\n" + "\n".join(lines)


def main() -> None:
    """Print one line for each question and the sums."""
    model = open_model(sys.argv[1] if len(sys.argv) > 1 else "local")
    cached = fresh = 0
    print(f"{'database':9} {'agent':7} {'cached':>6} {'new':>5} {'out':>4} {'seconds':>8}")
    for database, agent, question in TURNS:
        start = time.perf_counter()
        messages = [
            {"role": "system", "content": RULES + schema(database)},
            {"role": "user", "content": AGENTS[agent] + question},
        ]
        usage = model.complete(messages, max_tokens=16)[0].usage
        seconds = time.perf_counter() - start
        new = usage.input_tokens - usage.cached_tokens
        cached, fresh = cached + usage.cached_tokens, fresh + new
        line = f"{database:9} {agent:7} {usage.cached_tokens:6} {new:5}"
        print(f"{line} {usage.output_tokens:4} {seconds:8.1f}", flush=True)
    print(f"\n{cached + fresh} prompt tokens, {cached / (cached + fresh):.0%} from the cache.")


if __name__ == "__main__":
    main()
