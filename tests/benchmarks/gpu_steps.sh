#!/usr/bin/env bash
# Holds training steps on a GPU against the CPU's, sample by sample.
#
#     gpu_steps.sh prepare DIR [ARCH,…]   where Java and Maven are: artifacts and recordings, a few megabytes
#     gpu_steps.sh run DIR                where a GPU, its driver and a C++ compiler are; "sanitize DIR" under
#                                         compute-sanitizer, for stray accesses
set -euo pipefail
root="$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)"
steps=4

# Name, model, settings. Names that end in -bf16 train the same model in bf16, on tensor cores where options allow them.
cases=(
    "mlp mlp B=32,features=100,width=65,depth=3,classes=10"
    "gpt gpt B=4,T=48,width=64,depth=3,heads=4,context=48"
    "gpt-odd gpt B=3,T=37,vocab=101,width=36,depth=2,heads=3"
    "gpt-bf16 gpt B=4,T=64,width=128,depth=2,heads=4,context=64"
    "resnet resnet B=4,layers=14,classes=10,width=12,image=32"
    "resnet-bf16 resnet B=4,layers=14,classes=10,width=12,image=32"
    "resnet-cifar resnet-cifar B=4,depth=20,classes=10,width=8,image=16"
    "unet unet B=2,classes=3,width=5,image=32,pad=1"
    "densenet densenet B=3,layers=21,classes=3,growth=8,image=32,drop=0.2"
    "lstm lstm B=4,T=6,features=12,width=32,depth=2,classes=5"
    "vgg vgg B=2,classes=3,width=4,hidden=30,image=32"
    "mobilenet mobilenet B=3,classes=3,width=1,image=32"
    "transformer transformer-encdec B=2,S=14,T=13,vocab=57,width=32,depth=2,heads=4,hidden=48,context=16"
    "vit vit B=2,patch=4,width=32,depth=2,heads=2,hidden=48,image=16,classes=5,drop=0.1"
    "bert bert B=2,T=14,vocab=57,width=32,depth=2,heads=4,hidden=48,context=16"
    "llama llama B=2,T=14,vocab=57,width=32,depth=2,heads=4,kv_heads=2,hidden=48"
    "vae vae B=8,pixels=60,hidden=32,latent=7"
    "dcgan dcgan B=2,noise=6,width=2"
    "ddpm ddpm B=2,steps=20,width=8,factors=[1,2],units=1,attends=[false,true],groups=2,image=8"
    "autoencoder autoencoder B=2,channels=1,width=4,code=8,image=32"
)

tolerance() { [[ "$1" == *-bf16 ]] && echo 5e-2 || echo 1e-3; }

prepare() {
    local dir="$1" architectures="${2:-sm_80,sm_90a}" name model settings file
    (cd "$root" && mvn -q -B -o -pl tests -am -DskipTests package)
    mkdir -p "$dir"
    cp "$root/tests/benchmarks/run_step.cc" "$dir"
    for each in "${cases[@]}"; do
        read -r name model settings <<<"$each"
        mkdir -p "$dir/$name"
        file="$dir/$name/$model.model"
        sed "$([[ "$name" == *-bf16 ]] && echo 's/precision f32/precision bf16/')" \
            "$root/samples/$model.model" >"$file"
        "$root/remat" build "$file" --set "$settings" --arch "$architectures" --c-abi --allow-unverified \
            -o "$dir/$name/artifact" | sed -n 's/^built/built/p'
        "${JAVA25_HOME:-${JAVA_HOME:?}}/bin/java" --enable-native-access=ALL-UNNAMED \
            -cp "$root/tests/target/test-classes:$(echo "$root"/cli/target/remat-cli-*.jar):$(<"$root/cli/target/classpath")" \
            dev.remat.tests.cuda.RecordSteps "$file" "$settings" "$steps" "$dir/$name/recording"
    done
}

run() {
    local dir="$1" wrapper=("${@:2}") name failed=0
    for each in "${cases[@]}"; do
        read -r name _ <<<"$each"
        echo "== $name"
        (cd "$dir" && c++ -O1 -std=c++17 "-I$name/artifact" run_step.cc "$name/artifact/step.cc" -o "$name/run_step" -ldl)
        "${wrapper[@]}" "$dir/$name/run_step" "$dir/$name/artifact" "$dir/$name/recording" \
            --tolerance "$(tolerance "$name")" --time 50 || failed=1
    done
    return "$failed"
}

case "${1:-} ${2:-}" in
    "prepare "?*) prepare "${@:2}" ;;
    "run "?*) run "$2" ;;
    "sanitize "?*) run "$2" compute-sanitizer --error-exitcode 1 ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
