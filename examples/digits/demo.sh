#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

# Classifies handwritten digits with Tenon and shows some of them.
#
#   examples/digits/demo.sh BUILD [--device NAME]
#       BUILD: where Tenon and its examples were built; results go to BUILD/demo
set -eu

if [ $# -ne 1 ] && { [ $# -ne 3 ] || [ "$2" != --device ]; }; then
  sed -n '5,8s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
build=$1
device=${3:-}
example=$(dirname "$0")
tenon=$build/cli/tenon
library=$build/examples/digits/libdigits.so
show=$build/examples/digits/digits_show
out=$build/demo

for file in "$tenon" "$library" "$show"; do
  if [ ! -e "$file" ]; then
    echo "demo.sh: $file is not there; build first (make, or cmake --build $build)" >&2
    exit 1
  fi
done
mkdir -p "$out"

bold= dim= plain=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
  bold=$(printf '\033[1m') dim=$(printf '\033[2m') plain=$(printf '\033[0m')
fi

# Prints a command, then runs it.
run() {
  printf '%s$ %s%s\n' "$dim" "$*" "$plain"
  "$@"
}

printf '%s%s%s\n\n' "$bold" "A network from JAX, its layers two operations written in C (examples/digits/kernels.c)" "$plain"
run "$tenon" run "$example/digits.mlir" --load "$library" --input "$example/images.npy" \
  --output "$out/predictions.npy" --output "$out/probabilities.npy" --time ${device:+--device "$device"}
echo
run "$show" "$example/images.npy" "$example/labels.npy" "$out/predictions.npy" "$out/probabilities.npy"

# The plan says where every value lives; its summary has the peak.
echo
"$tenon" show "$example/digits.mlir" --load "$library" --stage plan >"$out/plan.txt"
sed -n '/peak/{s/^ */the plan: /p;q;}' "$out/plan.txt"
"$tenon" show "$example/digits.mlir" --load "$library" --stage plan --format svg >"$out/plan.svg"

cat <<END

${bold}What to try next$plain
  $tenon show $example/digits.mlir --load $library --stage plan
      where every value lives; $out/plan.svg draws it
  $tenon ops digits_dense --load $library
      what an operation of the library takes and gives
  $tenon bench $example/digits.mlir --load $library
      how long a run takes
  edit examples/digits/kernels.c (try another activation in digits_dense), then: make demo
      read examples/digits/README.md
END
