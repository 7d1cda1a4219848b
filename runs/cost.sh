#!/bin/sh
# Tokens and cost: what a question takes with the agents in the default prompts, in the paper's
# prompts, and with the model alone. Give the price of the model: OPTIONS="--price IN,CACHED,OUT".
#
# Cost: three runs of each set on 100 questions unless SAMPLE says otherwise, about 2 M tokens.
. "$(dirname "$0")/settings.sh"
SAMPLE=${SAMPLE:-100}

for benchmark in ${SETS:-bird spider}; do
    evaluate cost "$benchmark"
    evaluate cost-paper "$benchmark" --prompts paper
    evaluate cost-baseline "$benchmark" --baseline
    compare "$benchmark" cost cost-paper cost-baseline
done
