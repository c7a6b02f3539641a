#!/usr/bin/env bash
# Trains a GPT under a memory limit that its parameters, moments and gradients exceed, with its state on a disk, and holds
# it against the same run without limit.
#
#     larger_than_memory.sh small|large DIR
#
# DIR is a folder on the disk. "small" takes a minute and 0.5 GB of it; "large" has 335 million parameters (24 layers of
# width 1024, 512 tokens, batch 4) and takes 4 GB, 8 GB of memory without limit, and up to an hour on two cores. Needs a
# writable memory controller of cgroups version 1, and no swap; ends with 3 where that is not so. REMAT is the command,
# ./remat unless given.
set -euo pipefail
root="$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)"
[[ $# == 2 ]] || { sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
case "$1" in
    small) settings=depth=8,width=512,heads=8,vocab=8000,T=128,B=2 limit=$((512 << 20)) budget=256MiB ;;
    large) settings=depth=24,width=1024,heads=16,vocab=32000,T=512,B=4 limit=$((2560 << 20)) budget=1700MiB ;;
    *) echo "larger_than_memory: $1 is neither small nor large" >&2; exit 2 ;;
esac
disk="$2"
# By itself the JVM takes a quarter of the limit for objects, of which planning needs little.
export REMAT_JAVA_OPTS="${REMAT_JAVA_OPTS:--Xmx256m}"
read -ra remat <<<"${REMAT:-$root/remat}"
controller=/sys/fs/cgroup/memory
group="$controller/larger_than_memory.$$"
work="$(mktemp -d)"
trap 'rm -rf "$work"; rmdir "$group" 2>/dev/null || true' EXIT

if [[ ! -w "$controller/memory.limit_in_bytes" ]] || ! mkdir "$group" 2>/dev/null; then
    echo "larger_than_memory: no group can be made in $controller; nothing was measured" >&2
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
    "${remat[@]}" train "$root/samples/gpt.model" --set "$settings" --data synthetic --steps 3 --effort quick --json "$@" \
        >"$work/$name.json" 2>"$work/$name.err" || return $?
}

# limited COMMAND...: with all it starts and touches, in a group of its own.
limited() {
    rmdir "$group" && mkdir "$group"
    echo "$limit" >"$group/memory.limit_in_bytes"
    (echo "$BASHPID" >"$group/cgroup.procs" && "$@")
}

field() { grep -o "\"$2\":\"\?[0-9a-f.]*" "$work/$1.json" | sed "s/.*[\":]//" | paste -sd" "; }

arena() { field "$1" arenaBytes | cut -d" " -f1; }

echo "load $(cut -d' ' -f1-3 </proc/loadavg), $(nproc) cores, $(date -u +%F)"
train unlimited || { cat "$work/unlimited.err" >&2; exit 1; }
echo "unlimited: arena $(($(arena unlimited) >> 20)) MiB, steps of $(field unlimited millis) ms"

limited train limited --disk "$disk" --budget "$budget" || { cat "$work/limited.err" >&2; exit 1; }
echo "limited to $((limit >> 20)) MiB: arena $(($(arena limited) >> 20)) MiB, steps of $(field limited millis) ms"
peak="$(<"$group/memory.max_usage_in_bytes")" refused="$(<"$group/memory.failcnt")"
echo "  took $((peak >> 20)) MiB at most, and came to its limit $refused times"
sed 's/^/  /' "$work/limited.err"

code=0
limited train killed 2>/dev/null || code=$?
echo "the unlimited run's plan in that limit: ends with $code"

failed=0
expect() { [[ "$2" == "$3" ]] || { echo "larger_than_memory: $1 is $2, not $3" >&2; failed=1; }; }
expect "the state's hash" "$(field limited stateHash)" "$(field unlimited stateHash)"
expect "how often the limit was met" "$refused" 0
expect "the exit code of what is too large" "$code" 137
echo "state $(field limited stateHash)"
exit "$failed"
