#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Does what `make check` has no time for: all sources go through each compiler that is installed, of those that the
# project is kept fit for, and once without each header that a machine may lack. Nothing is made but errors and
# warnings. The last line counts.
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL

compilers=(clang-16 clang-19)
headers=(numa.h sys/sdt.h png.h liburing.h cuda.h gtest/gtest.h CLI/CLI.hpp nlohmann/json.hpp libelf.h
	llvm/IR/Function.h omp.h mpi.h starpu.h)
passed=0 failed=0 skipped=0

look() { # what folder [setting]...
	if make --no-print-directory -k WERROR=1 SYNTAX=1 UNITS=1 B="$2" "${@:3}" objects >"$2.log" 2>&1; then
		passed=$((passed + 1))
		echo "$1: ok"
	else
		failed=$((failed + 1))
		echo "$1: FAILED, see $2.log"
		grep -E 'error:|Error [0-9]' "$2.log" | head -n 20
	fi
}

mkdir -p build
quickest=()
for cc in "${compilers[@]}"; do
	cxx=${cc/gcc/g++} cxx=${cxx/clang/clang++}
	if command -v "$cxx" >/dev/null; then
		settings=("CC=$cc" "CXX=$cxx")
		[[ $cc == gcc* ]] || settings+=(PRECOMPILED=1)
		# Clang takes a fifth of GCC's time, with which each header is hidden.
		[[ $cc == gcc* ]] || quickest=("${settings[@]}")
		# Each source is compiled by itself, once: so it names what it needs of headers.
		[ "$cc" != gcc-12 ] || settings+=(UNITS=0)
		look "$cc" "build/with-$cc" "${settings[@]}"
	else
		skipped=$((skipped + 1))
		echo "$cc: skipped, it is not installed"
	fi
done
for header in "${headers[@]}"; do
	look "without <$header>" "build/without-${header//\//-}" HIDE="$header" "${quickest[@]}"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
