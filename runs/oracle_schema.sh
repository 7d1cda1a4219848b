#!/bin/sh
# Oracle schema: what the agents would reach if the Selector were perfect. The names of the gold
# SQL's tables and columns replace its answer; its SQL is never shown to the model.
#
# Cost: one run of each set, less than the main one, whose prompts are longer.
. "$(dirname "$0")/settings.sh"

for benchmark in ${SETS:-bird spider}; do
    evaluate main "$benchmark"
    evaluate oracle-schema "$benchmark" --oracle-schema
    compare "$benchmark" oracle-schema main
done
