#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Measures OpenMP programs with GCC's plug-in and through libhet in turn, in one run, on a machine with a GPU:
#   run.sh BUILD GCC [TURNS [ARGUMENT...]]
# BUILD has libhet's bin/, openmp/ and bench/openmp/; GCC has libgomp.so.1 and its plug-in; figures gets the arguments.
set -u
build=$1 gcc=$2 turns=${3:-3}
shift $(($# < 3 ? $# : 3))
for ((turn = 1; turn <= turns; turn++)); do
	echo "== gcc $turn"
	LD_LIBRARY_PATH=$gcc timeout 100 "$build/bench/openmp/figures" "$@"
	for lazy in "" 0; do
		echo "== libhet lazy=$lazy $turn"
		HET_OPENMP_LAZY=$lazy LD_LIBRARY_PATH=$gcc timeout 100 "$build/bin/het-openmp" "$build/bench/openmp/figures" "$@"
	done
done
