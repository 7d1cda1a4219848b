"""Models that write the SQL."""
