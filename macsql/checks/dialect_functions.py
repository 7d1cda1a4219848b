"""Functions of other dialects, and how the dialect at hand says the same.

Tables are keyed by name and number of arguments (None: any). ``{0}`` is the first argument as
written, ``{(0)}`` the same in parentheses where an operator beside it may need them, ``{*}`` all
of them, ``{||}`` all of them concatenated. What ends in an operator has parentheses around it.
"""

_PART = "CAST(STRFTIME('{}', {{0}}) AS INTEGER)"
UNITS = {
    "year": _PART.format("%Y"),
    "month": _PART.format("%m"),
    "day": _PART.format("%d"),
    "hour": _PART.format("%H"),
    "minute": _PART.format("%M"),
    "second": _PART.format("%S"),
    "week": _PART.format("%W"),
    "doy": _PART.format("%j"),
    "dow": _PART.format("%w"),
    "quarter": "((CAST(STRFTIME('%m', {0}) AS INTEGER) + 2) / 3)",
}
# Codes of date formats that mean the same in STRFTIME; a format with any other is left alone.
MYSQL_CODES = {"%i": "%M", "%s": "%S", "%S": "%S", "%H": "%H", "%Y": "%Y", "%m": "%m", "%d": "%d"}
ORACLE_CODES = {"YYYY": "%Y", "MM": "%m", "DD": "%d", "HH24": "%H", "MI": "%M", "SS": "%S"}
# MySQL and SQL Server count the midnights between two times.
_DAYS = "CAST(JULIANDAY(DATE({})) - JULIANDAY(DATE({})) AS INTEGER)"

_WEEK = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS_OF_YEAR = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_NAMED_DAY = "CASE STRFTIME('%w', {0})"
_NAMED_DAY += "".join(f" WHEN '{i}' THEN '{day}'" for i, day in enumerate(_WEEK)) + " END"
_NAMED_MONTH = "CASE STRFTIME('%m', {0})"
_NAMED_MONTH += "".join(f" WHEN '{i:02}' THEN '{m}'" for i, m in enumerate(_MONTHS_OF_YEAR, 1))
_NAMED_MONTH += " END"

SQLITE: dict[tuple[str, int | None], str] = {
    **{(unit, 1): text for unit, text in UNITS.items()},
    ("dayofmonth", 1): UNITS["day"],
    ("dayofyear", 1): UNITS["doy"],
    ("dayofweek", 1): f"({UNITS['dow']} + 1)",
    ("now", 0): "DATETIME('now')",
    ("getdate", 0): "DATETIME('now')",
    ("sysdate", 0): "DATETIME('now')",
    ("curdate", 0): "DATE('now')",
    ("current_date", 0): "DATE('now')",
    ("today", 0): "DATE('now')",
    ("datediff", 2): _DAYS.format("{0}", "{1}"),
    ("len", 1): "LENGTH({0})",
    ("char_length", 1): "LENGTH({0})",
    ("character_length", 1): "LENGTH({0})",
    ("left", 2): "SUBSTR({0}, 1, {1})",
    ("right", 2): "SUBSTR({0}, -({1}))",
    ("mid", 3): "SUBSTR({*})",
    ("ucase", 1): "UPPER({0})",
    ("lcase", 1): "LOWER({0})",
    ("charindex", 2): "INSTR({1}, {0})",
    ("locate", 2): "INSTR({1}, {0})",
    ("strpos", 2): "INSTR({0}, {1})",
    ("isnull", 2): "IFNULL({*})",
    ("nvl", 2): "IFNULL({*})",
    ("greatest", None): "MAX({*})",
    ("least", None): "MIN({*})",
    ("rand", 0): "(RANDOM() / 18446744073709551616.0 + 0.5)",
    ("weekday", 1): "((CAST(STRFTIME('%w', {0}) AS INTEGER) + 6) % 7)",
    ("last_day", 1): "DATE({0}, 'start of month', '+1 month', '-1 day')",
    ("isnull", 1): "({(0)} IS NULL)",
    ("nvl2", 3): "CASE WHEN {(0)} IS NOT NULL THEN {1} ELSE {2} END",
    ("iff", 3): "CASE WHEN {0} THEN {1} ELSE {2} END",
    ("countif", 1): "COUNT(CASE WHEN {0} THEN 1 END)",
    ("count_if", 1): "COUNT(CASE WHEN {0} THEN 1 END)",
    ("safe_divide", 2): "({(0)} * 1.0 / NULLIF({1}, 0))",
    ("contains", 2): "(INSTR({0}, {1}) > 0)",
    **dict.fromkeys(
        (("starts_with", 2), ("startswith", 2)), "(SUBSTR({0}, 1, LENGTH({1})) = {(1)})"
    ),
    **dict.fromkeys((("ends_with", 2), ("endswith", 2)), "(SUBSTR({0}, -LENGTH({1})) = {(1)})"),
    ("to_char", 1): "CAST({0} AS TEXT)",
    ("to_number", 1): "CAST({0} AS NUMERIC)",
    ("dayname", 1): _NAMED_DAY,
    ("monthname", 1): _NAMED_MONTH,
    ("repeat", 2): "REPLACE(HEX(ZEROBLOB({1})), '00', {0})",
    ("listagg", 2): "GROUP_CONCAT({*})",
    ("array_agg", 1): "JSON_GROUP_ARRAY({0})",
    ("bool_or", 1): "MAX({0})",
    ("bool_and", 1): "MIN({0})",
    ("every", 1): "MIN({0})",
    # Not of any database: the words of BIRD's evidence, which models copy.
    ("divide", 2): "(CAST({0} AS REAL) / ({1}))",
    ("multiply", 2): "(({0}) * ({1}))",
    ("subtract", 2): "(({0}) - ({1}))",
}
# Recent versions of SQLite have these, so only a failure shows that this one has not.
SQLITE_LATELY: dict[tuple[str, int | None], str] = {
    ("concat", None): "({||})",
    ("string_agg", 2): "GROUP_CONCAT({*})",
    ("if", 3): "CASE WHEN {0} THEN {1} ELSE {2} END",
}
POSTGRES: dict[tuple[str, int | None], str] = {
    **{(u, 1): f"EXTRACT({u.upper()} FROM {{0}})" for u in ("year", "month", "day", "hour")},
    ("ifnull", 2): "COALESCE({*})",
    ("nvl", 2): "COALESCE({*})",
    ("isnull", 2): "COALESCE({*})",
    ("len", 1): "LENGTH({0})",
    ("instr", 2): "STRPOS({*})",
    ("group_concat", 1): "STRING_AGG(CAST({0} AS TEXT), ',')",
    ("curdate", 0): "CURRENT_DATE",
    ("getdate", 0): "NOW()",
    ("if", 3): "CASE WHEN {0} THEN {1} ELSE {2} END",
}
MYSQL: dict[tuple[str, int | None], str] = {
    ("strftime", 2): "DATE_FORMAT({1}, {0})",
    ("len", 1): "LENGTH({0})",
    ("nvl", 2): "IFNULL({*})",
    ("isnull", 2): "IFNULL({*})",
    ("string_agg", 2): "GROUP_CONCAT({0} SEPARATOR {1})",
    ("getdate", 0): "NOW()",
}
TSQL: dict[tuple[str, int | None], str] = {
    ("length", 1): "LEN({0})",
    ("substr", 3): "SUBSTRING({*})",
    ("ifnull", 2): "ISNULL({*})",
    ("now", 0): "GETDATE()",
}

_BUILT_IN = (
    "abs acos acosh asin asinh atan atan2 atanh avg bm25 cast ceil ceiling changes char "
    "coalesce concat concat_ws cos cosh count cume_dist current_date current_time "
    "current_timestamp date datetime degrees dense_rank exists exp first_value floor format "
    "fts5 glob group_concat hex highlight if ifnull iif in instr json json_array "
    "json_array_length json_each json_error_position json_extract json_group_array "
    "json_group_object json_insert json_object json_patch json_quote json_remove json_replace "
    "json_set json_tree json_type json_valid jsonb julianday lag last_insert_rowid last_value "
    "lead length like likelihood likely ln load_extension log log10 log2 lower ltrim match "
    "max median min mod nth_value ntile nullif octet_length percent_rank pi pow power printf "
    "quote radians random randomblob rank regexp replace round row_number rtrim sign sin sinh "
    "snippet soundex sqlite_version sqrt strftime string_agg subtype substr substring sum tan "
    "tanh time timediff total total_changes trim trunc typeof unhex unicode unixepoch "
    "unlikely upper values zeroblob generate_series over filter partition using as and or not "
    "on when then else between all any by where having select from join with union distinct "
)
SQLITE_FUNCTIONS = frozenset(_BUILT_IN.split())


# By unit, how often it turns from {0} to {1}: what DATEDIFF counts.
_YEARS = "(STRFTIME('%Y', {1}) - STRFTIME('%Y', {0}))"
DIFFERENCES = {
    "day": _DAYS.format("{1}", "{0}"),
    "month": f"({_YEARS} * 12 + STRFTIME('%m', {{1}}) - STRFTIME('%m', {{0}}))",
    "year": _YEARS,
}
# By unit, how many whole ones are between {0} and {1}: what TIMESTAMPDIFF counts, a person's age.
# Digits are subtracted, so that a month is whole when its day and its time are reached.
_SECONDS = "(STRFTIME('%s', {1}) - STRFTIME('%s', {0}))"
_DIGITS = "((STRFTIME('%Y', {}) * 12 + STRFTIME('%m', {})) * 100000000 + STRFTIME('%d%H%M%S', {}))"
_MONTHS = f"({_DIGITS.replace('{}', '{1}')} - {_DIGITS.replace('{}', '{0}')}) / 100000000"
WHOLE_DIFFERENCES = {
    "second": _SECONDS,
    "minute": f"({_SECONDS} / 60)",
    "hour": f"({_SECONDS} / 3600)",
    "day": f"({_SECONDS} / 86400)",
    "week": f"({_SECONDS} / 604800)",
    "month": f"({_MONTHS})",
    "quarter": f"({_MONTHS} / 3)",
    "year": "((STRFTIME('%Y%m%d%H%M%S', {1}) - STRFTIME('%Y%m%d%H%M%S', {0})) / 10000000000)",
}
TRUNCATED = {"year": "STRFTIME('%Y-01-01', {0})", "month": "STRFTIME('%Y-%m-01', {0})"}
TRUNCATED["day"] = "DATE({0})"

ABSENT = {
    **dict.fromkeys(("stddev", "stddev_pop", "stddev_samp", "std"), "compute it from AVG(x * x)"),
    **dict.fromkeys(("variance", "var_pop", "var_samp"), "compute it from AVG(x * x)"),
    **dict.fromkeys(("lpad", "rpad"), "use PRINTF"),
    **dict.fromkeys(("split_part", "substring_index"), "use SUBSTR and INSTR"),
    **dict.fromkeys(
        ("str_to_date", "make_date", "to_date", "to_timestamp"),
        "put year, month and day together with SUBSTR, as YYYY-MM-DD",
    ),
    **dict.fromkeys(("age",), "subtract JULIANDAY values"),
    "datename": "use STRFTIME with a CASE",
    **dict.fromkeys(("regexp_replace", "regexp_extract", "regexp_matches"), "use LIKE or SUBSTR"),
    **dict.fromkeys(("initcap", "reverse", "translate"), "use UPPER, SUBSTR or REPLACE"),
    **dict.fromkeys(("any_value", "first", "last"), "use MIN or MAX"),
    **dict.fromkeys(("unnest", "array_length", "string_to_array"), "use JSON_EACH"),
}
"""What SQLite has never had, and what to do instead."""
