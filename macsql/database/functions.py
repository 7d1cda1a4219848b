"""Functions that a query may call: those that only compute a value from their arguments.

Whatever is not named here is refused, so a function with a side effect, or one that reads files,
waits, or talks to another server, has no way in. Nor has one that tells about the server, the
session or the user: version(), current_user, database().
"""

from functools import cache

from macsql.database.functions_engines import EXTRAS


def names(*texts: str) -> frozenset[str]:
    """The words of ``texts``."""
    return frozenset(" ".join(texts).split())


_AGGREGATES = """
any_value approx_count_distinct approx_distinct approx_quantile arg_max arg_min array_agg
array_unique_agg avg bit_and bit_or bit_xor bitwise_and_agg bitwise_or_agg bitwise_xor_agg bool_and
bool_or corr count count_if covar_pop covar_samp every first group_concat kurtosis last listagg
logical_and logical_or max median min mode percentile_cont percentile_disc quantile regr_avgx
regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy skewness stddev
stddev_pop stddev_samp string_agg sum total var_pop var_samp variance variance_pop variance_samp
json_array_agg json_object_agg json_group_array json_group_object grouping grouping_id
"""

_WINDOWS = """
cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
"""

_CONDITIONS = """
and or xor not case cast try_cast coalesce exists greatest if ifnull iif is_nan is_inf least like
max min nullif nvl nvl2 regexp regexp_like regexp_i_like typeof
match try convert row
"""

_NUMBERS = """
abs acos acosh asin asinh atan atan2 atanh cbrt ceil ceiling cos cosh cot degrees div exp factorial
floor ln log log10 log2 mod negative pi pow power radians rand random rint round safe_divide sign
sin sinh sqrt tan tanh trunc truncate width_bucket to_number
"""

_TEXTS = """
ascii ascii_str bit_length byte_length char char_length character_length chr collate concat
concat_ws contains ends_with format from_base64 hex initcap instr left length levenshtein locate
lower lpad ltrim normalize number_to_str octet_length overlay pad position printf quote
regexp_count regexp_extract regexp_extract_all regexp_full_match regexp_instr regexp_replace
regexp_split regexp_substr repeat replace reverse right rpad rtrim soundex space split split_part
starts_with str_position string string_to_array strpos stuff substr substring substring_index
to_base64 to_char translate trim unhex unicode unistr upper octet_length zeroblob randomblob
jarowinkler_similarity
"""

_DATES = """
add_months age convert_timezone current_date current_datetime current_time current_timestamp
curdate curtime date date_add date_bin date_diff date_from_parts date_from_unix_date date_part
date_str_to_date date_sub date_to_date_str date_trunc datetime datetime_add datetime_diff
datetime_sub datetime_trunc datediff dateadd day day_of_month day_of_week day_of_week_iso
day_of_year dayname extract from_unixtime getdate hour julianday last_day localtime localtimestamp
make_date make_interval make_timestamp minute month monthname months_between now quarter second
str_to_date str_to_time str_to_unix strftime strptime time time_add time_diff time_str_to_date
time_str_to_time time_str_to_unix time_sub time_to_str time_to_time_str time_to_unix time_trunc
timediff timestamp timestamp_add timestamp_diff timestamp_from_parts timestamp_sub
timestamp_trunc timestampadd timestampdiff to_date to_days to_timestamp ts_or_di_to_di ts_or_ds_add
ts_or_ds_diff ts_or_ds_to_date ts_or_ds_to_date_str ts_or_ds_to_datetime ts_or_ds_to_time
ts_or_ds_to_timestamp unix_date unix_micros unix_millis unix_seconds unix_timestamp unix_to_str
unix_to_time unix_to_time_str unixepoch utc_date utc_time utc_timestamp week week_of_year weekday
year year_of_week year_of_week_iso
"""

_COLLECTIONS = """
array array_append array_concat array_contains array_contains_all array_distinct array_first
array_last array_length array_max array_min array_overlaps array_position array_prepend
array_remove array_reverse array_size array_slice array_sort array_sum array_to_string
cardinality explode flatten generate_series generate_date_array generate_timestamp_array
exploding_generate_series json
json_array json_array_append json_array_contains json_array_insert json_array_length json_each
json_exists json_extract json_extract_array json_extract_scalar json_format json_insert json_keys
json_object json_patch json_quote json_remove json_replace json_set json_strip_nulls json_tree
json_type json_valid json_value_array jsonb jsonb_extract jsonb_extract_scalar jsonb_contains
jsonb_exists jsonb_array_elements jsonb_array_elements_text json_array_elements
json_array_elements_text jsonb_array_length jsonb_each jsonb_object_keys list map map_keys map_size
parse_json range struct struct_extract unnest
"""

_SQLITE_ONLY = """
-> ->> bm25 changes current_version glob highlight last_insert_rowid likelihood likely matchinfo
offsets snippet sqlite_compileoption_used sqlite_source_id sqlite_version subtype total_changes
unlikely
"""


SAFE_FUNCTIONS = names(_AGGREGATES, _WINDOWS, _CONDITIONS, _NUMBERS, _TEXTS, _DATES, _COLLECTIONS)
"""Names, lower case, as SQL or sqlglot spells them."""

SQLITE_FUNCTIONS = SAFE_FUNCTIONS | names(_SQLITE_ONLY)
"""The same with what only SQLite has, as its authorizer spells them."""

TABLE_FUNCTIONS = names(
    """
exploding_generate_series explode explode_outer flatten generate_date_array generate_series
generate_subscripts generate_timestamp_array inline inline_outer json_array_elements
json_array_elements_text json_each json_each_text json_object_keys json_populate_record
json_populate_recordset json_table json_to_record json_to_recordset json_tree json_tuple
jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys
jsonb_path_query jsonb_populate_recordset jsonb_to_record jsonb_to_recordset openjson posexplode
posexplode_outer range regexp_matches regexp_split_to_table stack string_split string_to_table
unnest
"""
)
"""Functions that may stand in FROM."""


@cache
def safe_functions(dialect: str) -> frozenset[str]:
    """The functions that a query in ``dialect`` may call."""
    if dialect == "sqlite":
        return SQLITE_FUNCTIONS
    return SAFE_FUNCTIONS | names(EXTRAS.get(dialect, ""))
