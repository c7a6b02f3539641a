#!/usr/bin/env bash
# Holds samples on several ranks against one: every plan on every number of ranks leaves the same bits.
#
#     ranks.sh                     all that are listed below, on 1, 2, 4 and 8 ranks
#     ranks.sh gpt vit             these
#     RANKS=1,2 ranks.sh gpt       on other numbers of ranks
#     SHARD=none ranks.sh          with other state in shares than each of what --shard auto chooses among
#     PLACES=memory ranks.sh       with all state in the arena, and not also with what can be on disk
set -euo pipefail
root="$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)"
ranks="${RANKS:-1,2,4,8}"
shard="${SHARD:-auto}"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
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
names=("$@")
[[ $# -gt 0 ]] || mapfile -t names < <(printf '%s\n' "${!settings[@]}" | sort)
failed=0
for name in "${names[@]}"; do
    [[ -n "${settings[$name]:-}" ]] || { echo "ranks: no sizes for $name" >&2; exit 2; }
    for place in ${PLACES:-memory disk}; do
        below=()
        [[ "$place" == memory ]] || below=(--disk "$scratch" --offload all)
        found="$("$root/remat" check "$root/samples/$name.model" --set "B=8,${settings[$name]}" --micro-batches 8 \
            --ranks "$ranks" --shard "$shard" --strategy keep-all,peak-priority --steps 2 "${below[@]}" --json \
            2>/dev/null)" || failed=1
        printf '%-14s %-7s %s\n' "$name" "$place" \
            "$(grep -oE '"(differ|distinctPlans)" ?: ?[0-9]+' <<<"$found" | tr -d '"' | tr '\n' ' ')"
    done
done
exit "$failed"
