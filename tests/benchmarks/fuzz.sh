#!/usr/bin/env bash
# Gives remat inputs that are wrong, of every kind that it reads, in one process that may take 640 MiB of heap and a
# gibibyte in all. Ends with 1 if one ends in an internal error, takes longer than 20 s of processor time, takes more
# memory, ends with an exit code that is not documented, or leaves something half written.
#
#     fuzz.sh [INPUTS [SEED [KINDS]]]
#
# 100,000 inputs of seed 1 unless told otherwise, of all kinds or of those named with commas between. A fault is printed
# with what it takes to see it again. Needs Maven.
set -euo pipefail
cd "${BASH_SOURCE[0]%/*}/../.."
exec mvn -B -ntp -q test -pl tests -am -Dformat.phase=none -Dsurefire.failIfNoSpecifiedTests=false -Dtest=FuzzTest \
    "-Dremat.fuzz.inputs=${1:-100000}" "-Dremat.fuzz.seed=${2:-1}" "-Dremat.fuzz.kinds=${3:-}"
