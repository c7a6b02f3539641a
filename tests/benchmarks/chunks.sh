#!/usr/bin/env bash
# Holds losses in chunks to all that is promised of them, and prints tables in Markdown.
#
#     chunks.sh                 every row: floors, prices, bits, refusals, and mistakes that have to show; half an hour
#     chunks.sh a1 a7           some rows of chunks.py
#     chunks.sh mistakes        mistakes put into the code alone; needs Maven
#     chunks.sh samples         every sample at 50, 40 and 30 % of its activations, whole, in chunks and in micro-batches;
#                               twenty minutes, hours with --effort normal: options are those of chunks_of_samples.py
#
# Ends with 1 where something does not hold.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mistakes() {
    ./remat test PlantedChunkBugsTest
}
case "${1:-}" in
    samples) shift; exec tests/benchmarks/chunks_of_samples.py "$@" ;;
    mistakes) mistakes ;;
    "") tests/benchmarks/chunks.py && mistakes ;;
    *) exec tests/benchmarks/chunks.py "$@" ;;
esac
