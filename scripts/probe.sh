#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Finds out by trial compilation what this machine offers, and prints it as make variables:
#   scripts/probe.sh COMPILER [FLAG...]
# For each feature X: HAVE_X (1 or empty), X_CFLAGS, X_LIBS. MISSING_HEADERS lists the headers
# that programs must do without. Headers named in HIDE count as missing.
set -u

compiler=("$@")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# With OpenMP it has a region for another device: compilers that offload link such ones with a program of their own.
printf 'int main()\n{\n\tint x = 0;\n#pragma omp target data map(x)\n\tx++;\n\treturn x;\n}\n' >"$tmp/main.cc"

has_header() { # header [flag]...
	[[ " ${HIDE:-} " != *" $1 "* ]] || return
	printf '#if !__has_include(<%s>)\n#error missing\n#endif\n' "$1" >"$tmp/probe.cc"
	"${compiler[@]}" "${@:2}" -fsyntax-only "$tmp/probe.cc" 2>/dev/null
}

links() { # [flag]...
	"${compiler[@]}" "$tmp/main.cc" -o "$tmp/main" -Wl,--no-as-needed "$@" 2>/dev/null
}

# A CUDA toolkit brings OpenCL along; it serves where the distribution's packages are not installed.
toolkit=${CUDA_HOME:-/usr/local/cuda}
# Debian has a folder for each version of StarPU and of LLVM.
starpu=/usr/include/starpu/1.3
llvm=/usr/lib/llvm-14/include
# Debian's own Python has Debian's numpy; another one may stand before it on PATH.
python=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)

# MPIs have folders of their own, and Debian's a choice of them.
mpi=$(pkg-config --variable=includedir ompi-c 2>/dev/null)

missing=()
unreported=
feature() { # name header [candidate for the libraries]...
	local name=$1 header=$2 cflags='' libs='' folder candidate found=
	shift 2
	if has_header "$header"; then
		found=1
	else
		for folder in "$toolkit/include" $starpu $llvm $python $mpi; do
			has_header "$header" -I"$folder" && found=1 cflags="-isystem $folder" && break
		done
	fi
	if [ -n "$found" ] && [ $# -gt 0 ]; then
		found=
		for candidate in "$@"; do
			# Word splitting is wanted: a candidate is a list of flags.
			links $candidate && found=1 libs=$candidate && break
		done
	fi
	[ -n "$found" ] || cflags='' libs=''
	[ -n "$found$unreported" ] || missing+=("$header")
	printf 'HAVE_%s := %s\n%s_CFLAGS := %s\n%s_LIBS := %s\n' "$name" "$found" "$name" "$cflags" "$name" "$libs"
}

feature NUMA numa.h -lnuma
feature SDT sys/sdt.h
feature CL CL/cl.h
feature OPENCL CL/cl.h -lOpenCL -l:libOpenCL.so.1 "-L$toolkit/lib64 -lOpenCL"
feature PNG png.h -lpng
feature URING liburing.h -luring
feature CUDA cuda.h
feature GTEST gtest/gtest.h "-lgtest -lgtest_main"
feature CLI11 CLI/CLI.hpp
feature JSON nlohmann/json.hpp
feature ELF libelf.h -lelf
feature LLVM llvm/IR/Function.h -lLLVM-14
feature GOMP omp.h "-fopenmp -foffload=disable"
feature PYTHON Python.h
feature PYBIND11 pybind11/pybind11.h
feature MPI mpi.h -lmpi
# These only serve comparisons: the program says what it did without.
unreported=1
feature STARPU starpu.h -lstarpu-1.3
printf 'MISSING_HEADERS := %s\n' "${missing[*]:-}"
