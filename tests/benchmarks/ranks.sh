#!/usr/bin/env bash
# Holds several ranks to all that is promised of them, and prints tables in Markdown: the same bits on every number of
# ranks, within budgets and over a disk; the plan of one rank the plan without ranks, to the byte; what plans, traces
# and explanations tell; and that it takes no longer to plan for a thousand ranks than for two.
#
#     ranks.sh                     everything, on 1, 2, 4 and 8 ranks
#     ranks.sh gpt vit             the bits of these samples alone
#     ranks.sh matrix              20 steps and their logs of five models, on every number of ranks with everything kept,
#                                  within a budget and in as little as can be, in memory and over a disk, sharing what
#                                  each --shard says; needs Maven
#     ranks.sh plans               what is told, without training anything
#     ranks.sh shards              what --shard auto takes beside each level by hand, within five budgets over three links
#     ranks.sh large               a GPT of 7 billion parameters over two and over a thousand ranks
#     RANKS=1,2 ranks.sh gpt       on other numbers of ranks, which divide 8
#     SHARD=none ranks.sh          with other state in shares than each of what --shard auto chooses among
#     PLACES=memory ranks.sh       with all state in the arena, and not also with what can be on disk
#
# Exits with 1 if anything differs, is refused that should not be, or takes too long.
set -euo pipefail
root="$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)"
remat="${REMAT:-$root/remat}"
ranks="${RANKS:-1,2,4,8}"
shard="${SHARD:-auto}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# Sizes at which each is trained in seconds.
declare -A settings=(
    [bert]="T=12,vocab=300,width=64,depth=1,heads=2,hidden=96,context=12"
    [gpt]="T=16,vocab=420,width=40,depth=2,heads=2"
    [llama]="T=12,vocab=300,width=64,depth=1,heads=2,kv_heads=1,hidden=96"
    [lstm]="T=3,features=3,width=64,depth=2,classes=5"
    [mlp]="features=100,width=64"
    [resnet-cifar]="depth=20,classes=3,width=12,image=8"
    [unet]="classes=3,width=8,image=16,pad=1"
    [vae]="pixels=150,hidden=128,latent=6"
    [vit]="patch=2,width=64,depth=1,heads=2,hidden=96,image=8,classes=3,drop=0.1"
)
failed=0

fail() {
    echo "ranks: $*" >&2
    failed=1
}

# The number behind a field of a JSON text: field FILE NAME
field() {
    grep -oE "\"$2\" ?: ?[-0-9.eE+]+" "$1" | head -1 | sed 's/.*: *//'
}

# check SAMPLE OPTION...: what check tells; its exit code
check() {
    local name="$1"
    shift
    "$remat" check "$root/samples/$name.model" --set "B=8,${settings[$name]}" --micro-batches 8 --steps 2 --json \
        --ranks "$ranks" --shard "$shard" "$@" >"$work/check.json" 2>"$work/err"
}

# row SAMPLE WHAT CODE: of a table, of what was checked last
row() {
    local differ plans
    differ="$(field "$work/check.json" differ || true)"
    plans="$(field "$work/check.json" distinctPlans || true)"
    [[ "$3" == 0 && "$differ" == 0 ]] || fail "$1, $2: exit code $3, ${differ:-no} plans differ: $(head -1 "$work/err")"
    printf '| %s | %s | %s | %s | %s |\n' "$1" "${ranks//,/, }" "$2" "${plans:--}" "${differ:--}"
}

bits() {
    local name share place below code
    echo "| sample | ranks | plans | different ones | differ |"
    echo "|---|---|---|---:|---:|"
    for name in "$@"; do
        for place in ${PLACES:-memory disk}; do
            below=()
            [[ "$place" == memory ]] || below=(--disk "$work" --offload all)
            code=0
            check "$name" --strategy keep-all,peak-priority "${below[@]}" || code=$?
            row "$name" "keep-all, peak-priority, $place" "$code"
        done
        # The smallest share of keeping all that fits every number of ranks; of small models parameters are most.
        for share in 60 75 90 95 100; do
            code=0
            check "$name" --budget "$share%" || code=$?
            [[ $code == 4 ]] || break
        done
        row "$name" "within $share %" "$code"
    done
}

plans() {
    local gpt=("$root/samples/gpt.model" --set "B=64,T=64" --micro-batches 8)
    local link=(--ranks 8 --link 10Gbit:20us)
    "$remat" plan "${gpt[@]}" --dump-dir "$work/without" >/dev/null 2>&1
    "$remat" plan "${gpt[@]}" --ranks 1 --dump-dir "$work/one" >/dev/null 2>&1
    diff -r "$work/without" "$work/one" >/dev/null || fail "the plan of one rank is not the plan without ranks"
    local code=0
    "$remat" plan "${gpt[@]}" --ranks 6 >/dev/null 2>"$work/err" || code=$?
    [[ $code == 2 ]] && grep -q "1, 2, 4, 8 do" "$work/err" || fail "6 ranks of 8 micro-batches: exit code $code"
    "$remat" plan "${gpt[@]}" "${link[@]}" --budget 60% --trace "$work/trace.json" --json >"$work/plan.json" 2>/dev/null
    grep -q '"cat":"exchange"' "$work/trace.json" || fail "the trace has no exchanges"
    "$remat" explain "$root/samples/gpt.model" wte.weight --set B=64,T=64 --micro-batches 8 "${link[@]}" 2>/dev/null \
        | grep -q "scattered.wte.weight" || fail "explain tells no exchange of wte.weight"
    "$remat" sweep "${gpt[@]}" --ranks 1,2,4,8 --link 10Gbit:20us 2>/dev/null >"$work/sweep.txt" || fail "sweep"
    echo
    sed 's/^/    /' "$work/sweep.txt"
    "$remat" fit "$root/samples/gpt.model" --set T=64 --budget 24MiB --max 64 --micro-batches 8 "${link[@]}" --json \
        2>/dev/null >"$work/fit.json" || fail "fit"
    printf '\nThe largest B that fits 24 MiB of each of 8 ranks: %s\n' "$(field "$work/fit.json" extent)"
}

# shared LEVEL LINK BUDGET: nanoseconds of a step; nothing if no plan fits
shared() {
    local size="B=8,T=64,vocab=2000,width=128,depth=4,heads=4,context=64"
    "$remat" plan "$root/samples/gpt.model" --set "$size" --micro-batches 8 --ranks 4 --shard "$1" --link "$2" \
        --budget "$3" --json >"$work/shared.json" 2>"$work/err" || return 0
    field "$work/shared.json" stepMillis
}

shards() {
    local link budget level auto best found faster=0
    echo "| link | bytes of a rank | optimizer, ms | parameters | none | auto |"
    echo "|---|---:|---:|---:|---:|---:|"
    for link in ${LINKS:-1Gbit:20us 10Gbit:20us 100Gbit:5us}; do
        for budget in ${BUDGETS:-8200000 9000000 9500000 10000000 11000000}; do
            best=""
            printf '| %s | %s |' "$link" "$budget"
            for level in optimizer parameters none; do
                found="$(shared "$level" "$link" "$budget")"
                printf ' %s |' "${found:--}"
                [[ -z "$found" ]] || best="$(awk "BEGIN { b = \"$best\"; printf \"%.6f\", (b == \"\" || $found < b) ? $found : b }")"
            done
            auto="$(shared auto "$link" "$budget")"
            printf ' %s |\n' "${auto:--}"
            [[ -n "$auto" && -n "$best" ]] || { fail "auto fits $budget bytes over $link, or no level does"; continue; }
            awk "BEGIN { exit !($auto <= $best) }" || fail "auto takes $auto ms over $link within $budget, a level $best"
            awk "BEGIN { exit !($auto < $best) }" && faster=$((faster + 1))
        done
    done
    printf '\nauto is faster than every level by hand in %s of them\n' "$faster"
}

matrix() {
    echo "| model | cells | with nothing to move | arenas | that move | bytes of a rank | state |"
    echo "|---|---:|---:|---:|---:|---|---|"
    (cd "$root" && mvn -B -ntp -q test -pl tests -am -Dformat.phase=none -Dsurefire.failIfNoSpecifiedTests=false \
        -Dtest=RankMatrixTest -Dremat.cases=all) || fail "the matrix"
}

# User seconds of planning for so many ranks: planned RANKS
planned() {
    local times="$work/times"
    local size="depth=32,width=4096,heads=32,vocab=32000,context=2048,T=2048"
    bash -c '"$@" >/dev/null 2>&1; times' _ "$remat" plan "$root/samples/gpt.model" \
        --set "$size,B=$1" --micro-batches "$1" --ranks "$1" --link 100Gbit:5us | tail -1 >"$times"
    awk '{ split($1, t, /[ms]/); print 60 * t[1] + t[2] }' "$times"
}

large() {
    local two=1e9 thousand=1e9 run found
    for run in 1 2 3; do
        found="$(planned 2)"
        two="$(awk "BEGIN { print ($found < $two) ? $found : $two }")"
        found="$(planned 1000)"
        thousand="$(awk "BEGIN { print ($found < $thousand) ? $found : $thousand }")"
    done
    local ratio
    ratio="$(awk "BEGIN { printf \"%.2f\", $thousand / $two }")"
    echo
    echo "| a GPT of 7 billion parameters | 2 ranks | 1,000 ranks | times |"
    echo "|---|---:|---:|---:|"
    printf '| seconds of processors to plan it, the best of three | %.1f | %.1f | %s |\n' "$two" "$thousand" "$ratio"
    awk "BEGIN { exit !($ratio <= 1.2) }" || fail "planning for 1,000 ranks takes $ratio times that for 2"
}

if [[ $# -eq 0 ]]; then
    mapfile -t names < <(printf '%s\n' "${!settings[@]}" | sort)
    bits "${names[@]}"
    plans
    large
elif [[ "$*" == plans || "$*" == shards || "$*" == large || "$*" == matrix ]]; then
    "$1"
else
    for name in "$@"; do
        [[ -n "${settings[$name]:-}" ]] || { echo "ranks: no sizes for $name" >&2; exit 2; }
    done
    bits "$@"
fi
exit "$failed"
