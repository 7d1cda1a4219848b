#!/bin/sh
# Ablation (the paper's table for BIRD dev): the agents without the Selector, without the Decomposer (one
# prompt writes the SQL in its place) and without the Refiner.
#
# Cost: four runs of BIRD dev, about 40 M tokens with the paper's prompts. The run with all agents
# is that of levers.sh and is not done twice. Second opinions, which the paper does not have, are left out.
. "$(dirname "$0")/settings.sh"

for benchmark in ${SETS:-bird}; do
    evaluate first "$benchmark" --candidates 1
    for agent in selector decomposer refiner; do
        evaluate "without-$agent" "$benchmark" --without "$agent" --candidates 1
    done
    compare "$benchmark" first without-selector without-decomposer without-refiner
done
