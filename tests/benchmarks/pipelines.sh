#!/usr/bin/env bash
# Holds stages to all that is promised of them, and prints tables in Markdown: the same bits in every number of stages,
# by every schedule, whatever they compute again, also on several ranks with state in shares; that --schedule auto is
# never slower than a schedule and mode by hand; and that a model of 7 billion parameters is planned in stages in a
# minute of a processor and 4 GiB.
#
#     pipelines.sh                 everything
#     pipelines.sh gpt unet        the bits of these samples alone
#     pipelines.sh auto            --schedule auto beside schedules and modes by hand, within five budgets
#     pipelines.sh large           a GPT of 7 billion parameters in 8 stages, with 64 micro-batches
#     pipelines.sh gpt-by-use      the same of a GPT whose tied parameter's gradients are added up by use
#     STAGES="2 3" pipelines.sh gpt  in other numbers of stages
#     LEDGER=FILE pipelines.sh     writes down rows that hold, and goes on behind those of a run that was interrupted
#
# Exits with 1 if anything differs, is slower, or takes too long.
set -euo pipefail
root="$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)"
remat="${REMAT:-$root/remat}"
stages="${STAGES:-2 3 4}"
ledger="${LEDGER:-/dev/null}"
schedules="${SCHEDULES:-gpipe 1f1b interleaved=2 zb}"
modes="pipe-never pipe-except-last pipe-always"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# Sizes at which each is trained in seconds.
declare -A settings=(
    [gpt]="T=8,vocab=300,width=40,depth=4,heads=2,context=8"
    [gpt-by-use]="T=8,vocab=300,width=40,depth=4,heads=2,context=8"
    [resnet-cifar]="depth=20,classes=3,width=8,image=8"
    [unet]="classes=3,width=4,image=16,pad=1"
    [vae]="pixels=150,hidden=128,latent=6"
)
failed=0

fail() {
    echo "pipelines: $*" >&2
    failed=1
}

# The number behind a field of a JSON text: field FILE NAME
field() {
    grep -oE "\"$2\" ?: ?[-0-9.eE+]+" "$1" | head -1 | sed 's/.*: *//'
}

# row SAMPLE WHAT OPTION...: what check says of a sample
row() {
    local name="$1" what="$2" code=0 differ plans line model
    shift 2
    if [[ -f "$ledger" ]] && line="$(grep -F "| $name | $what |" "$ledger")"; then
        echo "$line"
        return
    fi
    model="$root/samples/$name.model"
    if [[ "$name" == gpt-by-use ]]; then
        model="$work/gpt.model"
        sed 's/^  minimize loss$/&\n  sums by_use/' "$root/samples/gpt.model" >"$model"
    fi
    "$remat" check "$model" --set "B=8,${settings[$name]}" --micro-batches 8 --steps 2 --json \
        --strategy "${modes// /,}" --schedule "${schedules// /,}" "$@" >"$work/check.json" 2>"$work/err" || code=$?
    differ="$(field "$work/check.json" differ || true)"
    plans="$(field "$work/check.json" distinctPlans || true)"
    [[ "$code" == 0 && "$differ" == 0 ]] \
        || fail "$name, $what: exit code $code, ${differ:-no} plans differ: $(head -1 "$work/err")"
    line="| $name | $what | ${plans:--} | ${differ:--} |"
    echo "$line"
    if [[ "$code" == 0 && "$differ" == 0 ]]; then
        echo "$line" >>"$ledger"
    fi
}

bits() {
    local name level number
    echo "| sample | stages and ranks | different plans | differ |"
    echo "|---|---|---:|---:|"
    for name in "$@"; do
        for number in $stages; do
            row "$name" "$number stages" --stages "1,$number"
        done
        for level in none optimizer parameters; do
            row "$name" "1, 2 stages on 2 ranks, $level" --stages 1,2 --ranks 1,2 --shard "$level"
        done
    done
}

# planned BUDGET OPTION...: cost of a step in stages; nothing if no plan fits, and an end to all if something else is wrong
planned() {
    local budget="$1" code=0
    shift
    "$remat" plan "$root/samples/gpt.model" --set "B=8,T=16,vocab=100,width=48,depth=4,heads=2,context=16" \
        --micro-batches 4 --stages 2 --link 10Gbit:20us --effort quick --budget "$budget" --json "$@" \
        >"$work/plan.json" 2>"$work/err" || code=$?
    case $code in
        0) field "$work/plan.json" cost ;;
        4) ;;
        *) echo "pipelines: within $budget, $*: exit code $code: $(tail -2 "$work/err")" >&2; return 1 ;;
    esac
}

auto() {
    local budget schedule mode best found by took
    echo "| bytes of a stage | the fastest by hand | ms a step | auto |"
    echo "|---|---|---:|---:|"
    for budget in ${BUDGETS:-1150KiB 1250KiB 1350KiB 1450KiB 1600KiB}; do
        best=""
        by="-"
        for schedule in $schedules; do
            for mode in $modes; do
                found="$(planned "$budget" --schedule "$schedule" --strategy "$mode")"
                if [[ -n "$found" ]] && { [[ -z "$best" ]] || ((found < best)); }; then
                    best="$found"
                    by="$mode by $schedule"
                fi
            done
        done
        took="$(planned "$budget" --schedule auto)"
        printf '| %s | %s | %s | %s |\n' "$budget" "$by" \
            "$([[ -z "$best" ]] && echo - || awk "BEGIN { printf \"%.3f\", $best / 1e6 }")" \
            "$([[ -z "$took" ]] && echo - || awk "BEGIN { printf \"%.3f\", $took / 1e6 }")"
        [[ -z "$best" ]] || { [[ -n "$took" ]] && ((took <= best)); } \
            || fail "auto takes ${took:-no plan} within $budget, $by $best"
    done
}

large() {
    local size="depth=32,width=4096,heads=32,vocab=32000,context=2048,T=2048,B=64" took of_processors TIMEFORMAT="%R %U"
    # An empty clone builds remat first, which is no part of a plan.
    "$remat" --version >/dev/null
    { time REMAT_JAVA_OPTS="-Xmx3g" "$remat" plan "$root/samples/gpt.model" --set "$size" --micro-batches 64 --stages 8 \
        --json >"$work/plan.json" 2>"$work/err"; } 2>"$work/times" || fail "$(tail -1 "$work/err")"
    read -r took of_processors <"$work/times"
    echo
    echo "| a GPT of 7 billion parameters, 8 stages, 64 micro-batches | |"
    echo "|---|---:|"
    printf '| kernels | %s |\n' \
        "$(grep -oE '"kernels" ?: ?[0-9]+' "$work/plan.json" | awk -F: '{ sum += $2 } END { print sum }')"
    printf '| bubble | %.3f |\n' "$(field "$work/plan.json" bubble)"
    printf '| seconds to plan it, in a heap of 3 GiB | %s |\n' "$took"
    printf '| those of all processors together | %s |\n' "$of_processors"
    awk "BEGIN { exit !($took > 0 && $took <= 60) }" || fail "the GPT of 7 billion parameters is planned in $took s"
}

if [[ $# -eq 0 ]]; then
    bits gpt gpt-by-use resnet-cifar unet
    echo
    auto
    large
elif [[ "$*" == auto || "$*" == large ]]; then
    "$1"
else
    for name in "$@"; do
        [[ -n "${settings[$name]:-}" ]] || { echo "pipelines: no sizes for $name" >&2; exit 2; }
    done
    bits "$@"
fi
exit "$failed"
