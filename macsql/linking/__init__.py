"""What a question refers to, found without a model."""

from macsql.linking.names import link_names, rank_columns, rank_tables
from macsql.linking.shrink import shrink_to
from macsql.linking.values import link_values

__all__ = ["link_names", "link_values", "rank_columns", "rank_tables", "shrink_to"]
