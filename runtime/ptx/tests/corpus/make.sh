#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Makes the PTX texts of this folder again, from the sources beside them. Needs CUDA 13's nvcc, clang 14 with
# libclc-14, and GCC 12 with its nvptx back end. Nothing that a header defines gets into them: the CUDA sources use
# built-in functions alone, libclc's are its work-item functions, and of GCC's image only the program's own text is
# kept.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

keep() { # file command...
	{
		echo "// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT"
		echo "// Made by make.sh: ${*:2}"
		cat "$tmp/$1"
	} >"$1"
}

for name in basic control warp calls counting graphs linear scans simd sorts stencils tensor transforms vectors words; do
	nvcc -ptx -arch=sm_75 $name.cu -o "$tmp/$name.ptx"
	keep $name.ptx nvcc -ptx -arch=sm_75 $name.cu
done
nvcc -ptx -lineinfo -arch=sm_90 basic.cu -o "$tmp/lines.ptx"
# Where the files lay is nobody's business.
sed -i "s|\"$PWD/|\"|; s|\"/.*/include/|\"|" "$tmp/lines.ptx"
keep lines.ptx nvcc -ptx -lineinfo -arch=sm_90 basic.cu

clang_flags="-x cl -cl-std=CL1.2 -O2 -target nvptx64-nvidia-nvcl -Xclang -target-cpu -Xclang sm_75 -Xclang -target-feature \
-Xclang +ptx63 -Xclang -finclude-default-header -Xclang -mlink-builtin-bitcode -Xclang /usr/lib/clc/nvptx64--nvidiacl.bc"
clang-14 $clang_flags -S kernels.cl -o "$tmp/kernels.ptx"
keep kernels.ptx clang-14 $clang_flags -S kernels.cl

gcc_flags="-O2 -fopenmp -foffload=nvptx-none -foffload-options=nvptx-none=-misa=sm_75\ -Wa,--no-verify"
(cd "$tmp" && eval gcc-12 $gcc_flags -save-temps -foffload-options=nvptx-none=-save-temps "$OLDPWD/regions.c" -o regions)
# The first text of the image, whose texts end with a zero byte each, is the program's.
head -z -n 1 "$tmp/regions.xnvptx-none.mkoffload" | tr -d '\0' >"$tmp/regions.ptx"
keep regions.ptx gcc-12 $gcc_flags regions.c
