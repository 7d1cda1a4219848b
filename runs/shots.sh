#!/bin/sh
# Worked examples in the Decomposer's prompt (0, 1 and 2 shots), on BIRD dev and Spider dev.
#
# Cost: three runs of each set, about 45 M tokens with the paper's prompts.
. "$(dirname "$0")/settings.sh"

for benchmark in ${SETS:-bird spider}; do
    for shots in 0 1 2; do
        evaluate "$shots-shot" "$benchmark" --shots "$shots" --candidates 1
    done
    compare "$benchmark" 2-shot 1-shot 0-shot
done
