#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Every header compiles alone; the public ones as C too.
#   check-headers.sh "C++ COMPILER AND FLAGS" "C COMPILER AND FLAGS"
set -u
cxx=$1
cc=$2
cd "$(dirname "$0")/.." || exit 1

compile_alone() { # language header command
	# -Wno-unused: a static helper that nobody calls yet is no fault of the header.
	if ! echo "#include \"$2\"" | $3 -Wno-unused -fsyntax-only -I. -Ibench -Iselftests -x "$1" -; then
		echo "$2 does not compile alone as $1"
		return 255
	fi
}
export -f compile_alone

{
	find lib runtime tools bench selftests -name '*.h' 2>/dev/null | sed 's/^/c++ /'
	find lib/include runtime/include -name '*.h' 2>/dev/null | sed 's/^/c /'
} | sort | CXX=$cxx CC=$cc xargs -P "$(nproc)" -L 1 bash -c '
	case $1 in c++) compile_alone "$1" "$2" "$CXX" ;; c) compile_alone "$1" "$2" "$CC" ;; esac' -
