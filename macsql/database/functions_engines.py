"""Functions that one engine has beyond the common ones, and that only compute a value."""

POSTGRES = """
abbrev acosd age area array_append array_cat array_dims array_fill array_lower array_ndims
array_positions array_prepend array_replace array_sample array_shuffle array_to_json array_upper
asind atan2d atand bit_count bound_box box broadcast btrim center circle clock_timestamp
convert_from convert_to cosd cotd crc32 crc32c date_part daterange decode diagonal diameter encode
erf erfc family gamma gcd gen_random_uuid generate_subscripts get_bit get_byte height host hostmask
inet_merge inet_same_family int4multirange int4range int8multirange int8range isclosed isempty
isfinite isopen json_agg json_array_elements_text json_arrayagg json_build_array json_build_object
json_each_text json_extract_path json_extract_path_text json_object_agg json_object_keys
json_objectagg json_populate_record json_populate_recordset json_query json_scalar json_table
json_to_record json_to_recordset json_typeof json_value jsonb_agg jsonb_array_elements
jsonb_build_array jsonb_build_object jsonb_each_text jsonb_extract_path jsonb_extract_path_text
jsonb_insert jsonb_object jsonb_object_agg jsonb_path_exists jsonb_path_exists_tz jsonb_path_match
jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_path_query_first_tz
jsonb_populate_record jsonb_populate_recordset jsonb_pretty jsonb_set jsonb_set_lax
jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof justify_days justify_hours
justify_interval lcm lgamma line lower_inc lower_inf lseg make_time make_timestamptz masklen md5
min_scale multirange netmask network npoints num_nonnulls num_nulls nummultirange numnode numrange
parse_ident path pg_typeof phraseto_tsquery plainto_tsquery point polygon querytree quote_ident
quote_literal quote_nullable radius range_agg range_intersect_agg range_merge regexp_match
regexp_matches regexp_split_to_array regexp_split_to_table row_to_json scale set_bit set_byte
setweight sha224 sha256 sha384 sha512 similarity sind slope statement_timestamp string_to_table
strip tand text timeofday timezone to_ascii to_bin to_hex to_json to_jsonb to_oct to_tsquery
to_tsvector transaction_timestamp translate trim_array trim_scale ts_delete ts_filter ts_headline
ts_rank ts_rank_cd tsmultirange tsrange tstzmultirange tstzrange unaccent unicode_assigned upper_inc
upper_inf uuidv4 uuidv7 websearch_to_tsquery width word_similarity
"""

MYSQL = """
adddate addtime aes_decrypt aes_encrypt bin bin_to_uuid bit_count compress conv convert_tz crc32
date_format dayofmonth dayofweek dayofyear elt export_set field find_in_set from_days get_format
inet6_aton inet6_ntoa inet_aton inet_ntoa insert interval is_ipv4 is_ipv6 is_uuid isnull
json_arrayagg json_compact json_contains json_contains_path json_depth json_detailed json_length
json_loose json_merge json_merge_patch json_merge_preserve json_objectagg json_overlaps json_pretty
json_query json_search json_storage_size json_table json_unquote json_value lcase make_set makedate
maketime match md5 microsecond mid name_const natural_sort_key oct ord percentile_cont period_add
period_diff point sec_to_time sformat sha sha1 sha2 st_area st_asgeojson st_astext st_contains
st_distance st_distance_sphere st_geomfromtext st_intersects st_latitude st_length st_longitude
st_within st_x st_y std str_to_date strcmp subdate subtime sysdate time_format time_to_sec to_char
to_seconds ucase uncompressed_length unhex uuid uuid_to_bin values weekofyear weight_string yearweek
"""

DUCKDB = """
aggregate apply arg_max_null arg_min_null argmax argmin array_apply array_cat array_cosine_distance
array_cosine_similarity array_cross_product array_distance array_extract array_filter array_has
array_has_all array_has_any array_indexof array_inner_product array_intersect array_pop_back
array_pop_front array_push_back array_push_front array_resize array_reverse_sort array_select
array_to_json array_transform array_unique array_value array_where array_zip bar base64 bin
bit_count bit_position bitstring bitstring_agg cbrt century damerau_levenshtein datepart datesub
datetrunc dayofmonth dayofweek dayofyear decade decode element_at encode entropy enum_code
enum_first enum_last enum_range epoch epoch_ms epoch_ns epoch_us equi_width_bins era error_rate even
favg fdiv filter flatten fmod format_bytes formatreadabledecimalsize formatreadablesize fsum gamma
gcd gen_random_uuid geomean geometric_mean get_bit grade_up greatest_common_divisor group_by hamming
hash histogram histogram_exact holt ilike_escape instr isfinite isinf isnan isodow isoyear jaccard
jaro_similarity jaro_winkler_similarity json_extract_path json_extract_path_text json_extract_string
json_group_array json_group_object json_group_structure json_merge_patch json_pretty json_structure
json_transform json_transform_strict json_value kahan_sum kurtosis_pop lcase lcm
least_common_multiple len lgamma list_aggr list_aggregate list_any_value list_append list_apply
list_avg list_cat list_concat list_contains list_cosine_distance list_cosine_similarity list_count
list_distance list_distinct list_dot_product list_element list_extract list_filter list_first
list_grade_up list_has list_has_all list_has_any list_histogram list_indexof list_inner_product
list_intersect list_last list_max list_median list_min list_mode list_pack list_position
list_prepend list_product list_reduce list_resize list_reverse list_reverse_sort list_select
list_slice list_sort list_stddev_pop list_string_agg list_sum list_transform list_unique list_value
list_var_pop list_where list_zip mad make_timestamp_ms make_timestamp_ns map_concat map_contains
map_entries map_extract map_extract_value map_from_entries map_values max_by md5 md5_number
microsecond millennium millisecond min_by mismatches multiply nanosecond nextafter nfc_normalize
not_ilike_escape ord parse_dirname parse_dirpath parse_filename parse_path prefix product
quantile_cont quantile_disc reduce regexp_escape regexp_matches regexp_split_to_array
regexp_split_to_table reservoir_quantile round_even roundbankers row_to_json sem set_bit sha1 sha256
signbit str_split str_split_regex string_split string_split_regex strip_accents strlen struct_concat
struct_insert struct_pack subtract suffix sum_no_overflow sumkahan timezone timezone_hour
timezone_minute to_base to_binary to_centuries to_days to_decades to_hex to_hours to_json
to_microseconds to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds to_weeks
to_years today transaction_timestamp trunc try_strptime ucase unaccent unbin union_extract union_tag
union_value unpivot_list url_decode url_encode uuid week weekday weekofyear yearweek
"""

SPARK = """
aggregate approx_count_distinct approx_percentile array_agg array_compact array_except array_insert
array_intersect array_join array_repeat array_union arrays_overlap arrays_zip base64 bigint bin
binary bit_count bit_get bitmap_bit_position bool_and boolean bround btrim char_length collect_list
collect_set concat conv count_min_sketch crc32 csc curdate current_timezone date_format
date_from_unix_date date_part dateadd datepart dayofmonth dayofweek dayofyear decimal decode double
e element_at elt encode endswith equal_null every explode_outer expm1 filter find_in_set first_value
float forall format_number format_string from_csv from_json from_unixtime from_utc_timestamp get
get_json_object getbit hash histogram_numeric hypot ilike inline inline_outer int isnan isnotnull
isnull json_object_keys json_tuple lcase len log1p luhn_check make_dt_interval make_timestamp_ltz
make_timestamp_ntz make_ym_interval map_concat map_contains_key map_entries map_filter
map_from_arrays map_from_entries map_values map_zip_with mask max_by md5 min_by named_struct nanvl
nth_value overlay parse_url percentile percentile_approx pmod posexplode posexplode_outer positive
product reduce regexp regr_count rint rlike schema_of_csv schema_of_json sec sentences sequence
session_window sha sha1 sha2 shiftleft shiftright shiftrightunsigned shuffle size slice smallint
some sort_array split_part stack startswith std str_to_map string struct substr sumif
timestamp_micros timestamp_millis timestamp_seconds tinyint to_binary to_char to_csv to_json
to_number to_timestamp_ltz to_timestamp_ntz to_unix_timestamp to_utc_timestamp to_varchar transform
transform_keys transform_values trunc try_add try_avg try_divide try_element_at try_multiply
try_subtract try_sum try_to_binary try_to_number try_to_timestamp ucase unbase64 url_decode
url_encode uuid weekday weekofyear width_bucket window xxhash64 zip_with
"""

TSQL = """
charindex checksum_agg choose count_big datalength datefromparts datename datepart datetimefromparts
difference eomonth format getutcdate isdate isjson isnull isnumeric json_query json_value len nchar
newid openjson parse patindex quotename replicate square stdev stdevp str string_escape switchoffset
sysdatetime sysdatetimeoffset sysutcdatetime timefromparts todatetimeoffset try_parse var varp
"""

EXTRAS = {
    "postgres": POSTGRES,
    "mysql": MYSQL,
    "duckdb": DUCKDB,
    "spark": SPARK,
    "tsql": TSQL,
}
"""The lists by sqlglot's name of the dialect."""
