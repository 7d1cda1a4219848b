"""What a question refers to, found without a model."""

from macsql.linking.names import link_names, rank_columns, rank_tables
from macsql.linking.shrink import shrink_to

__all__ = ["link_names", "rank_columns", "rank_tables", "shrink_to"]
