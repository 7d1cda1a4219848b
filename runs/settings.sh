# What the recipes of this folder share. Set by the environment:
#
#   DATA     folder that holds spider/ and bird/                    (must be set)
#   MODEL    any model that macsql knows                            (default: local)
#   OUT      folder for the runs, one below it for each             (default: runs/out)
#   SETS     benchmarks to run, such as "spider bird"               (default: the paper's)
#   SAMPLE   a number of questions, a name or a file, for each set  (default: all questions)
#   OPTIONS  further options of macsql eval, such as "--workers 8 --cache --price 2.5,1.25,10"
#   MACSQL   the command                                            (default: macsql)
#
# Run a recipe again after it was stopped: what was finished is kept, and it goes on from there.
set -eu

: "${DATA:?set DATA to the folder that holds spider/ and bird/}"
MODEL=${MODEL:-local}
OUT=${OUT:-$(dirname "$0")/out}
MACSQL=${MACSQL:-macsql}

# evaluate NAME SET [OPTION ...]: one run, in the folder $OUT/NAME-SET.
evaluate() {
    name=$1 set=$2
    shift 2
    # The lists of words are meant to be split.
    # shellcheck disable=SC2086
    $MACSQL eval "$set" --data "$DATA" --model "$MODEL" --out "$OUT/$name-$set" \
        ${SAMPLE:+--sample "$SAMPLE"} ${OPTIONS:-} "$@"
}

# compare SET NAME NAME ...: the scores of these runs side by side, the first one as the yardstick.
compare() {
    set=$1
    shift
    for name in "$@"; do
        set -- "$@" "$OUT/$name-$set"
        shift
    done
    $MACSQL report "$@"
}
