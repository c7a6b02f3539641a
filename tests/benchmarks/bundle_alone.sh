#!/usr/bin/env bash
# Unpacks a bundle and runs it as a machine would that has nothing else: no variables, no PATH, no Java.
#
#     bundle_alone.sh ARCHIVE           says what it holds, trains on the CPU, and looks for a GPU
#     bundle_alone.sh ARCHIVE sm_90a    runs its GPU tests, too, on the tests' CUDA driver, compiled for its cases; for
#                                       a bundle of few cases, since that driver computes on the CPU
set -euo pipefail
root="$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)"
[[ $# -ge 1 ]] || { sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
archive="$1" architecture="${2:-}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

expect() { # CODE COMMAND...
    local want="$1" code=0
    shift
    echo "\$ $*"
    (cd "$bundle" && env -i "${environment[@]}" "$@") || code=$?
    [[ "$code" == "$want" ]] || { echo "bundle_alone: ended with $code, not $want" >&2; exit 1; }
}

tar -xJf "$archive" -C "$work"
bundle="$(echo "$work"/remat-*)"
environment=("PATH=" "HOME=$work/home")
mkdir "$work/home"
printf '%d MB packed, %d MB unpacked: ' "$(($(stat -c %s "$archive") / 1000000))" "$(($(du -sb "$bundle" | cut -f1) / 1000000))"
(cd "$bundle" && du -sBMB -- * tests/* | sort -rn | head -8 | tr '\t\n' ' ,') && echo

expect 0 ./remat doctor
expect 0 ./remat train samples/mlp.model --set B=32,features=100,width=64 --data synthetic --steps 3
expect 5 tests/gpu
if [[ -n "$architecture" ]]; then
    "${JAVA25_HOME:-${JAVA_HOME:?}}/bin/java" --enable-native-access=ALL-UNNAMED \
        -cp "$root/tests/target/test-classes:$(echo "$root"/cli/target/remat-cli-*.jar):$(<"$root/cli/target/classpath")" \
        dev.remat.tests.gpu.DriverForCases "$bundle/tests/cases" "$architecture" "$work/driver"
    capability="${architecture//[!0-9]/}"
    environment+=("LD_LIBRARY_PATH=$work/driver" "REMAT_TEST_KERNELS=$work/driver/kernels.so" \
        "REMAT_TEST_CAPABILITY=$capability" "REMAT_TEST_FREE=1000000000")
    expect 0 ./remat doctor
    expect 0 tests/gpu verified-families
    (cd "$bundle" && cat verified-families)
fi
