#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# The module's selftests in a guest, as `make check-vm` and `make check-vm-debug` run them.
#   check.sh modules 6.1|6.12|debug                    gets or builds the kernel, and builds the module for it
#   check.sh run 6.1|6.12|debug [guest.py option...]   also builds the tests, boots, judges
#                                                      (only some of them: TESTS="faults stale")
#   check.sh library 6.1|6.12|debug [option...]        the same with the library's selftests, as they lie in build/
set -eu
cd "$(dirname "$0")/../.."

get_kernel() {
	if [ "$kernel" = debug ]; then
		scripts/setup.sh packages vm-debug
		scripts/vm/debug-kernel.sh
	else
		scripts/vm/fetch.sh kernel "$kernel"
	fi
}

build_module() {
	scripts/vm/module.sh "$vm/headers" "$vm/kmod"
}

build_test_module() {
	scripts/vm/module.sh "$vm/headers" "$vm/kmod-test" GPUVM_TEST=1
}

# kselftest's headers and rules are those of the kernel that the tests run on.
make_tests() { # target
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -s -j"$(nproc)" -C selftests/kmod \
		KSELFTEST="$PWD/build/vm/$source/selftests" OUTPUT="$PWD/$vm/tests" "$1"
}

build_tests() {
	scripts/vm/fetch.sh source "$source"
	mkdir -p "$vm/tests"
	make_tests all
}

run() { # guest.py option...
	# Some tests need a module that does wrong on request.
	local test_build=(stale allocation) tests=() late=() modules name path limits=(--seconds 400 --job-seconds 200)
	for name in $(make_tests emit_tests | sed 's/.*://'); do
		[ -z "${TESTS:-}" ] || [[ " $TESTS " == *" ${name%.sh} "* ]] || continue
		path=$vm/tests/$name
		[ -e "$path" ] || path=selftests/kmod/$name
		if [[ " ${test_build[*]} " == *" $name "* ]]; then
			late+=("$path")
		else
			tests+=("$path")
		fi
	done
	if [ "$kernel" = debug ]; then
		modules=("$vm/kmod-test/gpuvm.ko" "${tests[@]}" "${late[@]}")
		limits=(--seconds 900 --job-seconds 400 --memory 2048)
	else
		modules=("$vm/kmod/gpuvm.ko" "${tests[@]}" "$vm/kmod-test/gpuvm.ko" "${late[@]}")
	fi
	scripts/vm/guest.py "$vm" --env GPUVM_SELFTEST_DISK=/dev/ram0 "${limits[@]}" "$@" "${modules[@]}"
}

# What needs OpenCL finds no device in the guest.
run_library() { # guest.py option...
	scripts/vm/guest.py "$vm" --seconds 1500 --job-seconds 600 --memory 2048 --file build/inject \
		--env HET_TEST_DEVICES=none,host,host2,hostcb "$@" "$vm/kmod/gpuvm.ko" build/selftests/*
}

what=${1:-} kernel=${2:-}
vm=build/vm/$kernel
source=${kernel/debug/6.12}
case $what:$kernel in
modules:6.1 | modules:6.12 | modules:debug)
	scripts/setup.sh packages modules
	get_kernel
	build_module
	;;
run:6.1 | run:6.12 | run:debug)
	shift 2
	scripts/setup.sh packages vm
	get_kernel
	build_module
	build_test_module
	build_tests
	run "$@"
	;;
library:6.1 | library:6.12 | library:debug)
	shift 2
	scripts/setup.sh packages vm
	get_kernel
	build_module
	run_library "$@"
	;;
*)
	sed -n '4,7s/^# \?//p' "$0" >&2
	exit 2
	;;
esac
