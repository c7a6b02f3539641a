#!/usr/bin/env bash
# Holds training steps on a GPU against the CPU's, sample by sample, and a GPT in two and three stages against the GPT that
# is not cut, bit by bit.
#
#     gpu_steps.sh prepare DIR [ARCH,…]   where Java and Maven are: artifacts and recordings, a few megabytes
#     gpu_steps.sh run DIR                where a GPU, its driver and a C++ compiler are; "sanitize DIR" under
#                                         compute-sanitizer, for stray accesses
set -euo pipefail
root="$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)"
steps=4

# A line for each case of the list in $1: name, model, settings, precision, micro-batches.
cases() { grep '^steps-' "$1"; }

staged="gpt B=16,T=64,width=64,depth=3,heads=4,vocab=120,context=64"
staged_parts=4

tolerance() { [[ "$1" == *-bf16 ]] && echo 5e-2 || echo 1e-3; }

prepare() {
    local dir="$1" architectures="${2:-sm_80,sm_90a}" name model settings precision parts
    (cd "$root" && mvn -q -B -o -pl tests -am -DskipTests package)
    mkdir -p "$dir"
    cp "$root/tests/benchmarks/run_step.cc" "$root/tests/src/bundle/cases" "$dir"
    while read -r name model settings precision parts _; do
        mkdir -p "$dir/$name"
        build "$model" "$settings" "$precision" "$parts" "$architectures" "$dir/$name/artifact"
        record "$model" "$settings" "$precision" "$parts" "$dir/$name/recording"
    done < <(cases "$dir/cases")
    prepare_stages "$dir" "$architectures"
}

# build MODEL SETTINGS PRECISION MICRO_BATCHES ARCHITECTURES DIR OPTION...
build() {
    "$root/remat" build "$root/samples/$1.model" --set "$2" --precision "$3" --arch "$5" --c-abi --micro-batches "$4" \
        --allow-unverified -o "$6" "${@:7}" </dev/null | sed -n '/built in/p'
}

# record MODEL SETTINGS PRECISION MICRO_BATCHES FILE
record() {
    "${JAVA25_HOME:-${JAVA_HOME:?}}/bin/java" --enable-native-access=ALL-UNNAMED \
        -cp "$root/tests/target/test-classes:$(echo "$root"/cli/target/remat-cli-*.jar):$(<"$root/cli/target/classpath")" \
        dev.remat.tests.cuda.RecordSteps "$root/samples/$1.model" "$2" "$3" "$4" "$steps" "$5" </dev/null
}

prepare_stages() {
    local dir="$1" architectures="$2" precision model settings
    read -r model settings <<<"$staged"
    cp "$root/tests/src/test/resources/dev/remat/tests/cuda/driver/run_stages.cc" "$dir"
    for precision in f32 bf16; do
        mkdir -p "$dir/stages-$precision"
        set -- "$model" "$settings" "$precision" "$staged_parts"
        build "$@" "$architectures" "$dir/stages-$precision/1"
        build "$@" "$architectures" "$dir/stages-$precision/2" --stages 2
        build "$@" "$architectures" "$dir/stages-$precision/3" --stages 3 --schedule zb --strategy pipe-always
        record "$@" "$dir/stages-$precision/recording"
    done
}

# Each precision's stages against a recording of what the whole gave on this GPU.
run_stages() {
    local dir="$1" wrapper=("${@:2}") precision count stage failed=0
    for precision in f32 bf16; do
        cd "$dir/stages-$precision"
        c++ -O1 -std=c++17 -I1 ../run_step.cc 1/step.cc -o run_step -ldl
        c++ -O1 -std=c++17 -I2/stage-0 ../run_stages.cc -o run_stages -ldl
        ./run_step 1 recording --tolerance 1 --write own >/dev/null </dev/null || failed=1
        for count in 2 3; do
            words=()
            for stage in "$count"/stage-*; do
                c++ -O1 -std=c++17 -shared -fPIC "-I$stage" "$stage/step.cc" -o "$stage/step.so" -ldl
                words+=("$PWD/$stage/step.so" "$stage")
            done
            echo "== $precision in $count stages"
            "${wrapper[@]}" ./run_stages own late "${words[@]}" </dev/null || failed=1
        done
    done
    return "$failed"
}

run() {
    local dir wrapper=("${@:2}") name failed=0
    dir="$(cd "$1" && pwd -P)"
    while read -r name _; do
        echo "== $name"
        (cd "$dir" && c++ -O1 -std=c++17 "-I$name/artifact" run_step.cc "$name/artifact/step.cc" -o "$name/run_step" -ldl)
        "${wrapper[@]}" "$dir/$name/run_step" "$dir/$name/artifact" "$dir/$name/recording" \
            --tolerance "$(tolerance "$name")" --time 50 </dev/null || failed=1
    done < <(cases "$dir/cases")
    (run_stages "$dir" "${wrapper[@]}") || failed=1
    return "$failed"
}

case "${1:-} ${2:-}" in
    "prepare "?*) prepare "${@:2}" ;;
    "run "?*) run "$2" ;;
    "sanitize "?*) run "$2" compute-sanitizer --error-exitcode 1 ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
