#!/bin/sh
# What each lever brings beside the paper's experiments: worked examples that fit the question (built in, or
# Spider's training questions, which a user's verified queries would stand for), further attempts with a vote,
# both, and the model alone as the yardstick. No pair about the database asked is ever shown.
#
# Cost: six runs of each set; further attempts are asked for where the first is in doubt, up to four times. Give
# OPTIONS="--cache" so that runs share the replies to the same prompts.
. "$(dirname "$0")/settings.sh"
EXAMPLES=${EXAMPLES:-$DATA/spider/train_spider.json}

for benchmark in ${SETS:-spider bird}; do
    evaluate baseline "$benchmark" --baseline
    evaluate main "$benchmark"
    evaluate builtin "$benchmark" --examples builtin --shots 3
    evaluate selected "$benchmark" --examples "$EXAMPLES" --shots 3
    evaluate voted "$benchmark" --candidates auto
    evaluate selected-voted "$benchmark" --examples "$EXAMPLES" --shots 3 --candidates auto
    compare "$benchmark" baseline main builtin selected voted selected-voted
done
