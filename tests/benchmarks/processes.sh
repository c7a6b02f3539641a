#!/usr/bin/env bash
# Trains by threads and by processes of each MPI that is installed, of Gloo, of torchrun and of srun where Slurm runs, by
# every --shard, in memory and over a disk, and in stages, and compares the files that are saved; then ends processes by
# signals and goes on with another number of ranks. Gloo has to be built:
# mvn -Pgloo -pl runtime/gloo -am -DskipTests package
# usage: tests/benchmarks/processes.sh [KILLS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
kills="${1:-6}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
model=(samples/gpt.model --set "B=16,T=16,vocab=2000,width=64,depth=2,heads=2,context=16" --micro-batches 8
    --text README.md)
open_mpi=(--bind-to none --oversubscribe)
torchrun=(/usr/bin/python3 -m torch.distributed.run --no_python)
# PyTorch 1.13 on Python 3.11 fails at what it takes for these by itself.
torchrun+=(--redirects 9:3 --tee 9:3)
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
joined=(gloo)
for launcher in mpirun.mpich mpirun.openmpi; do
    if command -v "$launcher" >/dev/null; then joined+=("$launcher"); else echo "$launcher is not installed"; fi
done
if "${torchrun[0]}" -c 'import torch' 2>/dev/null; then joined+=(torchrun); else echo "PyTorch is not installed"; fi
if timeout 20 srun -n 1 --mpi=pmi2 true 2>/dev/null; then joined+=(srun); else echo "Slurm does not run"; fi
if [[ ! -d runtime/gloo/target/engine ]]; then
    echo "Gloo is not built"
    joined=("${joined[@]:1}")
    joined=("${joined[@]/torchrun/}")
fi
trained() { # LAUNCHER RANKS STAGES NAME and more words: trains by processes, and compares
    local launcher="$1" ranks="$2" stages="$3" name="$4" train processes
    processes=$((ranks * stages))
    train=(./remat train "${model[@]}" --steps 8 --save "$work/$name" "${@:5}")
    ((stages > 1)) && train+=(--stages "$stages")
    case "$launcher" in
        gloo) "${train[@]}" --ranks "$ranks" --processes --transport gloo ;;
        torchrun) "${torchrun[@]}" --nproc_per_node "$processes" "${train[@]}" ;;
        mpirun.openmpi) "$launcher" "${open_mpi[@]}" -n "$processes" "${train[@]}" ;;
        srun) srun -n "$processes" --mpi=pmi2 "${train[@]}" ;;
        *) "$launcher" -n "$processes" "${train[@]}" ;;
    esac >"$work/log" 2>&1 || { echo "failed: $name"; tail -3 "$work/log"; }
    compare "$name"
}

for launcher in ${joined[*]}; do
    for ranks in 2 4; do
        for shard in none optimizer parameters; do
            trained "$launcher" "$ranks" 1 "$launcher-$ranks-$shard-memory" --shard "$shard"
            name="$launcher-$ranks-$shard-disk"
            mkdir "$work/$name-tier"
            trained "$launcher" "$ranks" 1 "$name" --shard "$shard" --disk "$work/$name-tier" --offload all
        done
    done
    for stages in 2 4; do
        trained "$launcher" 1 "$stages" "$launcher-$stages-stages"
        trained "$launcher" 1 "$stages" "$launcher-$stages-stages-zb" --schedule zb
    done
    trained "$launcher" 2 2 "$launcher-2-stages-2-ranks" --shard optimizer
    trained "$launcher" 2 2 "$launcher-2-stages-2-ranks-parameters" --shard parameters --schedule gpipe
    trained "$launcher" 2 4 "$launcher-4-stages-2-ranks-parameters" --shard parameters
done
for ((kill = 0; kill < kills; kill++)); do
    # Until some time between the first step and the last; then the others notice, and the run goes on elsewhere.
    name="killed-$kill"
    ranks=$((kill % 2 ? 4 : 2))
    transport="$([[ "${joined[0]}" == gloo && $((kill / 2 % 2)) == 0 ]] && echo gloo || echo mpi)"
    ./remat train "${model[@]}" --steps 8 --save-every 1 --ranks "$ranks" --processes --transport "$transport" \
        --save "$work/$name" >"$work/log" 2>&1 &
    launcher=$!
    for ((i = 0; i < 300; i++)); do
        [[ -f "$work/$name/meta.json" ]] && break
        sleep 0.1
    done
    victim="$(pgrep -f "Main train .*$work/$name" | while read -r process; do
        tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -qE "^(.*_)?RANK=$((kill % ranks))\$" && echo "$process"
    done | head -1 || true)"
    [[ -n "$victim" ]] && kill -9 "$victim" 2>/dev/null || true
    code=0
    wait "$launcher" || code=$?
    echo "rank $((kill % ranks)) of $ranks by $transport killed: exit code $code, $(grep -m1 -o 'rank [0-9]* .*has .*' "$work/log" || echo "no word of it")"
    ./remat train "${model[@]}" --steps 8 --ranks "$((kill % 3 ? 1 : 8))" --save "$work/$name" --resume "$work/$name" \
        >/dev/null 2>&1
    compare "$name"
done
echo "$runs runs, $differ differ"
[[ "$differ" == 0 ]]
