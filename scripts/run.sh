#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Runs built programs and keeps their results.
#   run.sh main [PICTURE.png]    `make run`: the main job, results under build/run/
#   run.sh bench [OPTION...]     `make bench`: the benchmark suite, results under build/bench/
#   run.sh apps [OPTION...]      `make bench-apps`: the applications, results under build/bench-apps/
# The environment's B names the build folder, as for make.
set -u
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$PWD/$B/pocl-cache}
mkdir -p "$POCL_CACHE_DIR"

failed=()
job() { # title, program, argument...
	local title=$1 program=$2
	shift 2
	printf '\n=== %s: %s\n' "$program" "$title"
	if [ ! -x "$B/bin/$program" ]; then
		echo "$program was left out of the build; 'make all' says why"
		failed+=("$program (left out of the build)")
		return
	fi
	echo "$B/bin/$program $*"
	"$B/bin/$program" "$@" || failed+=("$program (exit status $?)")
}

main_job() {
	job "smooths a picture on the device; the host looks at rows between the steps" \
		photo "$@" --output "$out/photo.png" --json "$out/photo.json"
	job "x = Ax + b on every device, with hand-placed copies and with libhet" \
		matvec --json "$out/matvec.json"
	job "what one host touch of device data costs, trap by trap" \
		fault-latency --quick --json "$out/fault-latency.json" --plot "$out/fault-latency"
}

suite() {
	job "the figures that libhet is held to" figures --json "$out/figures.json" "$@"
	job "a read sweep over data of the device" sweep --json "$out/sweep.json" "$@"
	job "loops with foresight and without" loops --json "$out/loops.json" "$@"
	job "x = Ax + b with a kernel made for speed" matvec --tuned --json "$out/matvec-tuned.json" "$@"
	job "opening a fat binary and finding a device's image" fat-binary --json "$out/fat-binary.json" "$@"
	job "an empty kernel through het and through the device's own API" \
		launch-latency --json "$out/launch-latency.json" "$@"
	if ldconfig -p | grep -q 'libcuda\.so\.1 '; then
		job "an urgent launch beside one that fills the GPU" \
			preempt-latency --json "$out/preempt-latency.json" "$@"
	fi
	job "tasks that do nothing, beside StarPU" tasks --json "$out/tasks.json" "$@"
	job "the start of a program" start-up --json "$out/start-up.json" "$@"
	job "what one host touch of device data costs, trap by trap" \
		fault-latency --json "$out/fault-latency.json" --plot "$out/fault-latency" "$@"
	job "where the time of a touch goes, trap by trap" touch-stages --json "$out/touch-stages.json" "$@"
	if ldconfig -p | grep -q 'libcuda\.so\.1 '; then
		job "libhet beside CUDA managed memory" \
			uvm-compare --json "$out/uvm-compare.json" --plot "$out/uvm-compare" "$@"
	fi
}

app() { # title, program, argument...
	job "$1" "$2" --json "$out/$2.json" "${@:3}"
}

apps() {
	app "the sum of two vectors, and empty kernels" vectoradd "$@"
	app "the product of two matrices, by blocks" matmul "$@"
	app "bodies that attract each other" nbody "$@"
	app "heat on a plate, over many steps" stencil "$@"
	app "prices of options" black-scholes "$@"
	app "the sum of an array" reduction "$@"
	app "how often each byte occurs" histogram "$@"
	app "a sparse matrix times a vector, over and over" spmv "$@"
	app "the Mandelbrot set" mandelbrot "$@"
	app "smooths a picture; the host looks at rows between the steps" photo-het --output "$out/photo.png" "$@"
}

what=${1:-}
shift
out=$B/run
case $what in
main)
	mkdir -p "$out"
	main_job "$@"
	;;
bench)
	out=$B/bench
	mkdir -p "$out"
	suite "$@"
	;;
apps)
	out=$B/bench-apps
	mkdir -p "$out"
	apps "$@"
	;;
*)
	sed -n '3,7s/^# \?//p' "$0"
	exit 2
	;;
esac

printf '\nResults lie in %s:\n' "$out"
find "$out" -type f -printf '    %p\n' | sort
if [ ${#failed[@]} -gt 0 ]; then
	printf 'failed: %s\n' "${failed[@]}"
	exit 1
fi
