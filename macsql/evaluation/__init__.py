"""Benchmarks, metrics, runs and their reports."""
