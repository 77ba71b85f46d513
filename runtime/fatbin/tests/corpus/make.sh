#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Makes the fat binaries of this folder again, from kernels.cl: for the fuzzer to begin with, and for tests, which also
# see by them that files of format version 1.0 can still be read. Needs build/bin/het-fatbin with what that needs,
# llvm-spirv and nvcc. images.het has two native binaries for devices that do not exist, and a cubin that is none.
set -eu
cd "$(dirname "$0")"
het_fatbin=../../../../build/bin/het-fatbin
rubbish=$(mktemp) ptx=$(mktemp)
trap 'rm -f "$rubbish" "$ptx"' EXIT

"$het_fatbin" build kernels.cl --targets opencl --options "-cl-std=CL1.2" -o source.het
"$het_fatbin" build kernels.cl --targets spirv,opencl -o images.het
echo "a binary" >"$rubbish"
"$het_fatbin" add images.het "$rubbish" --target native --name "a; b; c"
"$het_fatbin" add images.het "$rubbish" --target native --name "a; b; d"
"$het_fatbin" build kernels.cl --targets spirv --options '-DQUOTED="x"' -o no-image.het 2>/dev/null
nvcc -ptx -arch=compute_75 -O3 kernels.cu -o - | sed -e '/^\/\//d' -e '/^$/d' -e 's/^\.version .*/.version 6.0/' \
	-e 's/^\.target .*/.target sm_70/' >"$ptx"
"$het_fatbin" add images.het "$ptx" --target ptx --name sm_70 --version 6.0
"$het_fatbin" add images.het "$rubbish" --target cubin --name sm_90
# Of a later version, with the analysis. (Made again, the files above would be so, too: keep those of version 1.0, and
# analysed-1.1.het and analysed-1.2.het, which were made in the same way.)
"$het_fatbin" build analysed.cl --targets opencl,ptx -o analysed.het
