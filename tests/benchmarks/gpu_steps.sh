#!/usr/bin/env bash
# Holds training steps on a GPU against the CPU's, sample by sample.
#
#     gpu_steps.sh prepare DIR [ARCH,…]   where Java and Maven are: artifacts and recordings, a few megabytes
#     gpu_steps.sh run DIR                where a GPU, its driver and a C++ compiler are; "sanitize DIR" under
#                                         compute-sanitizer, for stray accesses
set -euo pipefail
root="$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)"
steps=4

# A line for each case of the list in $1: name, model, settings, precision, micro-batches.
cases() { grep '^steps-' "$1"; }

tolerance() { [[ "$1" == *-bf16 ]] && echo 5e-2 || echo 1e-3; }

prepare() {
    local dir="$1" architectures="${2:-sm_80,sm_90a}" name model settings precision parts
    (cd "$root" && mvn -q -B -o -pl tests -am -DskipTests package)
    mkdir -p "$dir"
    cp "$root/tests/benchmarks/run_step.cc" "$root/tests/src/bundle/cases" "$dir"
    while read -r name model settings precision parts _; do
        mkdir -p "$dir/$name"
        model="$root/samples/$model.model"
        "$root/remat" build "$model" --set "$settings" --precision "$precision" --arch "$architectures" --c-abi \
            --micro-batches "$parts" --allow-unverified -o "$dir/$name/artifact" </dev/null | sed -n 's/^built/built/p'
        "${JAVA25_HOME:-${JAVA_HOME:?}}/bin/java" --enable-native-access=ALL-UNNAMED \
            -cp "$root/tests/target/test-classes:$(echo "$root"/cli/target/remat-cli-*.jar):$(<"$root/cli/target/classpath")" \
            dev.remat.tests.cuda.RecordSteps "$model" "$settings" "$precision" "$parts" "$steps" "$dir/$name/recording" </dev/null
    done < <(cases "$dir/cases")
}

run() {
    local dir="$1" wrapper=("${@:2}") name failed=0
    while read -r name _; do
        echo "== $name"
        (cd "$dir" && c++ -O1 -std=c++17 "-I$name/artifact" run_step.cc "$name/artifact/step.cc" -o "$name/run_step" -ldl)
        "${wrapper[@]}" "$dir/$name/run_step" "$dir/$name/artifact" "$dir/$name/recording" \
            --tolerance "$(tolerance "$name")" --time 50 </dev/null || failed=1
    done < <(cases "$dir/cases")
    return "$failed"
}

case "${1:-} ${2:-}" in
    "prepare "?*) prepare "${@:2}" ;;
    "run "?*) run "$2" ;;
    "sanitize "?*) run "$2" compute-sanitizer --error-exitcode 1 ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
