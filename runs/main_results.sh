#!/bin/sh
# Main results (the paper's tables for BIRD and Spider): the three agents on Spider dev and BIRD
# dev, with the model alone (one prompt, no agents) beside them.
#
# Cost, of 1,034 + 1,534 questions: the paper needed about 16 M tokens (OPTIONS="--prompts paper");
# the default prompts and the model alone need less. With the local model on two cores it takes
# days: SAMPLE=300 gives an interval of about +-5 points.
. "$(dirname "$0")/settings.sh"

for benchmark in ${SETS:-spider bird}; do
    evaluate main "$benchmark"
    evaluate baseline "$benchmark" --baseline
    compare "$benchmark" main baseline
done
