#!/bin/sh
# By difficulty: the scores of the main run for simple, moderate and challenging questions (BIRD),
# or easy to extra hard ones (Spider).
#
# Cost: none beyond main_results.sh, whose run it reads, or begins.
. "$(dirname "$0")/settings.sh"

for benchmark in ${SETS:-bird spider}; do
    evaluate main "$benchmark"
    $MACSQL report "$OUT/main-$benchmark"
done
