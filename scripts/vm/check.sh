#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Runs the module's selftests in a guest, as `make check-vm` and `make check-vm-debug` do.
# KERNEL is 6.1, 6.12, unstable (the newest that Debian has), debug (6.12 with all that watches) or debug-6.1.
#   check.sh modules KERNEL                    gets or builds the kernel, and builds the module for it
#   check.sh run KERNEL [guest.py option...]   also builds the tests, boots, judges
#   check.sh library KERNEL [option...]        the same with the library's selftests, as they lie in build/
#   Only some of them: TESTS="faults stale". With HET_TEST_FULL=1 the fuzzers get ten minutes each.
set -eu
cd "$(dirname "$0")/../.."

get_kernel() {
	if [[ $kernel == debug* ]]; then
		scripts/setup.sh packages vm-debug
		scripts/vm/debug-kernel.sh "$kernel"
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
	local test_build=(stale allocation unload kernel_thread)
	local tests=() late=() modules name path limits=(--seconds 400 --job-seconds 200)
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
	if [[ $kernel == debug* ]]; then
		modules=("$vm/kmod-test/gpuvm.ko" "${tests[@]}" "${late[@]}")
		limits=(--seconds 3000 --job-seconds 1200 --memory 2048 --env GPUVM_LEAKS_DIVISOR=5)
	else
		modules=("$vm/kmod/gpuvm.ko" "${tests[@]}" "$vm/kmod-test/gpuvm.ko" "${late[@]}")
	fi
	[ -z "${GPUVM_LEAKS_DIVISOR:-}" ] || limits+=(--env "GPUVM_LEAKS_DIVISOR=$GPUVM_LEAKS_DIVISOR")
	[ -z "${HET_TEST_FULL:-}" ] || limits+=(--seconds 3000 --job-seconds 1200 --env GPUVM_FUZZ_SECONDS=600)
	scripts/vm/guest.py "$vm" --env GPUVM_SELFTEST_DISK=/dev/ram0 "${limits[@]}" "$@" "${modules[@]}"
}

# Tests that need OpenCL find no device in the guest. A module that knows a feature more than the library, which asks it
# for the same then, and such as lack SHARED and ACCESSED, or ACCESSED alone, come first.
run_library() { # guest.py option...
	local all=(build/selftests/*) few=("build/selftests/"{host_writes,coherence}" --require-trap=kmod")
	local loops=("build/selftests/foresight --filter="{loop,input_stays} "build/selftests/foresight --filter=asked")
	local environment=() setting
	[ -z "${TESTS:-}" ] || read -ra all <<<"$(printf 'build/selftests/%s ' $TESTS)"
	for setting in TRAPS=kmod DEVICES=none,host,host2,host3,hostcb,hostcb2 PATIENCE=8; do
		environment+=(--env "HET_TEST_$setting")
	done
	scripts/vm/guest.py "$vm" --out "$vm/library" --seconds 1500 --job-seconds 600 --memory 2048 \
		--file build/inject --file build/example-device "${environment[@]}" "$@" \
		"$vm/kmod-test/gpuvm.ko" "${few[0]}" "$vm/kmod/gpuvm.ko features=6" "${few[@]}" \
		"$vm/kmod/gpuvm.ko features=7" "${loops[0]}" "$vm/kmod/gpuvm.ko" "${loops[@]}" "${all[@]}"
}

what=${1:-} kernel=${2:-}
vm=build/vm/$kernel
source=${kernel#debug-}
source=${source/debug/6.12}
case $what:$kernel in
modules:6.1 | modules:6.12 | modules:unstable | modules:debug | modules:debug-6.1) ;;
run:6.1 | run:6.12 | run:unstable | run:debug | run:debug-6.1) ;;
library:6.1 | library:6.12 | library:unstable | library:debug | library:debug-6.1) ;;
*)
	sed -n '4,8s/^# \?//p' "$0" >&2
	exit 2
	;;
esac
shift 2
# Two that use one kernel set it up one after the other, and run beside each other.
mkdir -p build/vm
exec {setting_up}>build/vm/setting-up
flock "$setting_up"
scripts/setup.sh packages "$([ "$what" = modules ] && echo modules || echo vm)"
get_kernel
build_module
[ "$what" = modules ] || build_test_module
[ "$what" != run ] || build_tests
exec {setting_up}>&-
case $what in
run) run "$@" ;;
library) run_library "$@" ;;
esac
