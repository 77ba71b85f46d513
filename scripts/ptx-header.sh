#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Makes a header from CUDA sources, with the PTX text in a string, so that nothing needs nvcc to build:
#   ptx-header.sh FILE.cu    writes FILE.h with the array NAME_ptx, where FILE is …/NAME
# The text is for any GPU from sm_70 on, and says so. Nothing that a toolkit's header defines gets into it.
set -eu
source=$1
name=$(basename "${source%.cu}")
text=$(mktemp)
trap 'rm -f "$text"' EXIT
nvcc -ptx -arch=compute_75 -O3 --fmad=false "$source" -o "$text"
{
	echo "// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT"
	echo "// Made from $name.cu by scripts/ptx-header.sh."
	echo "#pragma once"
	echo
	echo "inline constexpr char ${name}_ptx[] = R\"ptx("
	sed -e '/^\/\//d' -e '/^$/d' -e 's/^\.version .*/.version 6.0/' -e 's/^\.target .*/.target sm_70/' "$text"
	echo ')ptx";'
} >"${source%.cu}.h"
