#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Makes PTX of OpenCL C, with what het-fatbin has for that (clang 14 and libclc):
#   kernel-ptx.sh HET-FATBIN FILE.cl FILE.ptx
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The driver gives textures as numbers, which the mode that clang names does not know.
handles() { grep -q '	tex\.' "$1" && echo '-es/,.texmode_independent//' || true; }
"$1" build "$2" --targets ptx -o "$work/made.het"
"$1" extract "$work/made.het" 1 -o "$work/made.ptx"
{
	echo '// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT'
	echo "// Made from $(basename "$2") by \`make kernels\`."
	sed -e '/^\/\//d' -e '/^$/d' $(handles "$work/made.ptx") "$work/made.ptx"
} >"$3"
