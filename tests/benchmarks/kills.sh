#!/usr/bin/env bash
# Ends training runs by KILL, TERM and INT, a third of the times while they save, with tensors in memory and on a disk,
# of whole batches and of batches in two parts. Ends with 1 unless each run goes on to the state's hash of a run that was
# never ended, and nothing is left but its checkpoint.
#
#     kills.sh [KILLS [SEED]]
#
# 300 kills unless told otherwise; the seed repeats their moments. Needs Maven.
set -euo pipefail
cd "${BASH_SOURCE[0]%/*}/../.."
seed=()
[[ $# -lt 2 ]] || seed=("-Dremat.seed=$2")
exec mvn -B -ntp -q test -pl tests -am -Dformat.phase=none -Dsurefire.failIfNoSpecifiedTests=false -Dtest=KilledRunsTest \
    "-Dremat.kills=${1:-300}" "${seed[@]}"
