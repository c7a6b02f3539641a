#!/usr/bin/env bash
# Trains a GPT under a memory limit that its parameters, moments and gradients exceed, with its state on a disk, and holds
# it against the same run without limit.
#
#     larger_than_memory.sh small|large DIR [TIMES [RANKS]]
#
# DIR is a folder on the disk. "small" takes a minute and 0.5 GB of it; "large" has 335 million parameters (24 layers of
# width 1024, 512 tokens, batch 4) and takes 4 GB, 8 GB of memory without limit, and up to an hour on two cores. The run
# within the limit is repeated TIMES times, once unless given. RANKS are as many processes that Gloo joins, each with its
# share of the state and a group of its own, of 600 MiB or 1.6 GiB, for 0.5 or 5.4 GB of state. Needs a memory control group of version 1 or 2 that can be
# made, and no swap; ends with 3 and says so where that is not so. REMAT is the command, ./remat unless given.
set -euo pipefail
root="$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)"
[[ $# -ge 2 && $# -le 4 ]] || { sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
case "$1" in
    small) settings=depth=8,width=512,heads=8,vocab=8000,T=128,B=2 limit=$((480 << 20)) budget=256MiB ;;
    large) settings=depth=24,width=1024,heads=16,vocab=32000,T=512,B=4 limit=$((2560 << 20)) budget=1700MiB ;;
    *) echo "larger_than_memory: $1 is neither small nor large" >&2; exit 2 ;;
esac
disk="$2" times="${3:-1}" ranks="${4:-1}"
together=()
if ((ranks > 1)); then
    together=(--micro-batches 4)
    case "$1" in
        small) settings="${settings%,B=*},B=4" limit=$((600 << 20)) budget=200MiB ;;
        large) limit=$((1638 << 20)) budget=1000MiB ;;
    esac
fi
read -ra remat <<<"${REMAT:-$root/remat}"
work="$(mktemp -d)"
group=
trap 'rm -rf "$work"; [[ -z "$group" ]] || rmdir "$group" "$group".* 2>/dev/null || true' EXIT

# Sets group to a new memory control group, and the names of its files, which versions 1 and 2 name otherwise.
make_group() {
    local mount
    while read -r mount; do
        group="$mount/larger_than_memory.$$"
        if [[ -w "$mount/memory.limit_in_bytes" ]]; then
            files=(memory.limit_in_bytes memory.max_usage_in_bytes memory.failcnt)
        elif [[ " $(cat "$mount/cgroup.controllers" 2>/dev/null) " == *" memory "* ]]; then
            echo +memory 2>/dev/null >"$mount/cgroup.subtree_control" || continue
            files=(memory.max memory.peak memory.events)
        else
            continue
        fi
        mkdir "$group" 2>/dev/null && [[ -w "$group/${files[0]}" ]] && return
        rmdir "$group" 2>/dev/null || true
    done < <(awk '$3 ~ /^cgroup2?$/ { print $2 }' /proc/mounts)
    group=
    return 1
}

if ! make_group; then
    echo "larger_than_memory: no memory control group can be made here, of version 1 or 2; nothing was measured" >&2
    exit 3
fi
if [[ "$(wc -l </proc/swaps)" -gt 1 ]]; then
    echo "larger_than_memory: there is swap, which takes what exceeds a limit; nothing was measured" >&2
    exit 3
fi

# train NAME OPTIONS...: three steps; their times and the state's hash. Without any checkpoint.
train() {
    local name="$1"
    shift
    "${remat[@]}" train "$root/samples/gpt.model" --set "$settings" --data synthetic --steps 3 --effort quick --json "${together[@]}" "$@" \
        >"$work/$name.json" 2>"$work/$name.err" || return $?
}

# limited COMMAND...: with all it starts and touches, in a group of its own.
limited() {
    rmdir "$group" && mkdir "$group"
    echo "$limit" >"$group/${files[0]}"
    (echo "$BASHPID" >"$group/cgroup.procs" && "$@")
}

# limited_ranks: all ranks, each in a group of its own; the first exit code that is not 0.
limited_ranks() {
    local rank code=0 own processes=() port=$((20000 + RANDOM % 10000))
    for ((rank = 0; rank < ranks; rank++)); do
        own="$group.$rank"
        rmdir "$own" 2>/dev/null || true
        mkdir -p "$own" "$disk/rank$rank"
        echo "$limit" >"$own/${files[0]}"
        # A host of its own, as a container is: what is free here is for this rank alone.
        (echo "$BASHPID" >"$own/cgroup.procs" && remat=(unshare --uts bash -c "hostname rank$rank"' && exec "$@"' _ "${remat[@]}") &&
            train "limited-$rank" --disk "$disk/rank$rank" --budget "$budget" --shard parameters \
                --rank "$rank" --ranks "$ranks" --rendezvous "localhost:$port" --interface lo) &
        processes+=($!)
    done
    for rank in "${!processes[@]}"; do
        wait "${processes[rank]}" || code=$?
    done
    for ((rank = 0; rank < ranks; rank++)); do
        rmdir "$disk/rank$rank" || code=1
        killed "$group.$rank" >"$work/killed.$rank"
        [[ ! -r "$group.$rank/${files[1]}" ]] \
            || echo "rank $rank took $(($(<"$group.$rank/${files[1]}") >> 20)) MiB of $((limit >> 20)) at most"
    done
    cat "$work"/limited-*.err >"$work/limited.err"
    mv "$work/limited-0.json" "$work/limited.json"
    return "$code"
}

# How often the kernel found nothing to take back, and killed.
killed() {
    { cat "${1:-$group}/memory.oom_control" "${1:-$group}/memory.events" 2>/dev/null || true; } |
        awk '$1 == "oom_kill" { kills = $2 } END { print kills + 0 }'
}

# How often the group came to its limit.
met() { awk '$1 == "max" { print $2; exit } NF == 1 { print $1 }' "$group/${files[2]}"; }

field() { grep -o "\"$2\":\"\?[0-9a-f.]*" "$work/$1.json" | sed "s/.*[\":]//" | paste -sd" "; }

arena() { field "$1" arenaBytes | cut -d" " -f1; }

failed=0
expect() { [[ "$2" == "$3" ]] || { echo "larger_than_memory: $1 is $2, not $3" >&2; failed=1; }; }

echo "load $(cut -d' ' -f1-3 </proc/loadavg), $(nproc) cores, $(date -u +%F)"
train unlimited || { cat "$work/unlimited.err" >&2; exit 1; }
echo "unlimited: arena $(($(arena unlimited) >> 20)) MiB, steps of $(field unlimited millis) ms"

if ((ranks > 1)); then
    for ((time = 1; time <= times; time++)); do
        code=0
        limited_ranks || code=$?
        expect "the exit code of $ranks ranks within the limit" "$code" 0
        [[ "$code" == 0 ]] || { sed 's/^/  /' "$work/limited.err" >&2; continue; }
        echo "$ranks ranks: arena $(($(arena limited) >> 20)) MiB each, steps of $(field limited millis) ms"
        for ((rank = 0; rank < ranks; rank++)); do
            expect "how often rank $rank was killed" "$(<"$work/killed.$rank")" 0
        done
        expect "the state's hash" "$(field limited stateHash)" "$(field unlimited stateHash)"
    done
    echo "state $(field unlimited stateHash)"
    exit "$failed"
fi
for ((time = 1; time <= times; time++)); do
    code=0
    limited train limited --disk "$disk" --budget "$budget" || code=$?
    expect "the exit code within the limit" "$code" 0
    [[ "$code" == 0 ]] || { sed 's/^/  /' "$work/limited.err" >&2; continue; }
    echo "limited to $((limit >> 20)) MiB: arena $(($(arena limited) >> 20)) MiB, steps of $(field limited millis) ms"
    peak=unknown
    [[ ! -r "$group/${files[1]}" ]] || peak="$(($(<"$group/${files[1]}") >> 20)) MiB"
    echo "  took $peak at most, came to its limit $(met) times"
    sed 's/^/  /' "$work/limited.err"
    expect "how often something was killed" "$(killed)" 0
    expect "the state's hash" "$(field limited stateHash)" "$(field unlimited stateHash)"
done

code=0
limited train refused || code=$?
echo "the unlimited run's plan in that limit: ends with $code"
sed 's/^/  /' "$work/refused.err"
expect "the exit code of what is too large" "$code" 6
expect "how often something was killed" "$(killed)" 0
echo "state $(field unlimited stateHash)"
exit "$failed"
