#!/bin/sh
# What each lever brings beside the paper's experiments: linking of names and values, repair without a model, worked
# examples that fit the question (built in, or Spider's training questions, which a user's verified queries would
# stand for), second opinions, together, and the model alone as the yardstick. No pair about the database asked is
# ever shown.
#
# Cost: eight runs of each set; second opinions are asked for where the first SQL is in doubt, up to two. Give
# OPTIONS="--cache" so that runs share the replies to the same prompts.
. "$(dirname "$0")/settings.sh"
EXAMPLES=${EXAMPLES:-$DATA/spider/train_spider.json}

for benchmark in ${SETS:-spider bird}; do
    evaluate baseline "$benchmark" --baseline
    evaluate first "$benchmark" --candidates 1
    evaluate main "$benchmark"
    evaluate without-linking "$benchmark" --without linking
    evaluate without-repair "$benchmark" --without repair
    evaluate builtin "$benchmark" --examples builtin --shots 3 --candidates 1
    evaluate selected "$benchmark" --examples "$EXAMPLES" --shots 3 --candidates 1
    evaluate selected-auto "$benchmark" --examples "$EXAMPLES" --shots 3
    compare "$benchmark" baseline first main without-linking without-repair builtin selected selected-auto
done
