"""The only place that knows databases."""
