#!/usr/bin/env bash
# Trains by threads and by processes of each MPI that is installed, by every --shard, in memory and over a disk, and
# compares the files that are saved; then ends processes by signals and goes on with another number of ranks.
# usage: tests/benchmarks/processes.sh [KILLS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
kills="${1:-6}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
model=(samples/gpt.model --set "B=16,T=16,vocab=2000,width=64,depth=2,heads=2,context=16" --micro-batches 8
    --text README.md)
open_mpi=(--bind-to none --oversubscribe)
[[ "$(id -u)" == 0 ]] && open_mpi+=(--allow-run-as-root)
differ=0
runs=0

saved() { sha256sum "$work/$1"/*.safetensors | cut -c1-64; }

compare() { # the run NAME has saved what one rank saves
    runs=$((runs + 1))
    if [[ "$(saved "$1")" != "$expected" ]]; then
        differ=$((differ + 1))
        echo "differs: $1"
    fi
}

./remat train "${model[@]}" --steps 8 --save "$work/one" >/dev/null
expected="$(saved one)"
for launcher in mpirun.mpich mpirun.openmpi; do
    command -v "$launcher" >/dev/null || { echo "$launcher is not installed"; continue; }
    flags=()
    [[ "$launcher" == mpirun.openmpi ]] && flags=("${open_mpi[@]}")
    for ranks in 2 4; do
        for shard in none optimizer parameters; do
            for place in memory disk; do
                name="$launcher-$ranks-$shard-$place"
                below=()
                [[ "$place" == disk ]] && mkdir "$work/$name-tier" && below=(--disk "$work/$name-tier" --offload all)
                "$launcher" "${flags[@]}" -n "$ranks" ./remat train "${model[@]}" --steps 8 --shard "$shard" \
                    "${below[@]}" --save "$work/$name" >/dev/null
                compare "$name"
            done
        done
    done
done
for ((kill = 0; kill < kills; kill++)); do
    # Until some time between the first step and the last; then the others notice, and the run goes on elsewhere.
    name="killed-$kill"
    ranks=$((kill % 2 ? 4 : 2))
    ./remat train "${model[@]}" --steps 8 --save-every 1 --ranks "$ranks" --processes --save "$work/$name" \
        >"$work/log" 2>&1 &
    launcher=$!
    for ((i = 0; i < 300; i++)); do
        [[ -f "$work/$name/meta.json" ]] && break
        sleep 0.1
    done
    victim="$(pgrep -f "Main train .*$work/$name" | while read -r process; do
        tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -q "_RANK=$((kill % ranks))\$" && echo "$process"
    done | head -1 || true)"
    [[ -n "$victim" ]] && kill -9 "$victim" 2>/dev/null || true
    code=0
    wait "$launcher" || code=$?
    echo "rank $((kill % ranks)) of $ranks killed: exit code $code, $(grep -m1 -o 'rank [0-9]* .*has .*' "$work/log" || echo "no word of it")"
    ./remat train "${model[@]}" --steps 8 --ranks "$((kill % 3 ? 1 : 8))" --save "$work/$name" --resume "$work/$name" \
        >/dev/null 2>&1
    compare "$name"
done
echo "$runs runs, $differ differ"
[[ "$differ" == 0 ]]
