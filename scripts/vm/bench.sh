#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Measures what the kernel module gains in a guest, as `make bench-vm` does it: by the host's time, and with 6.12 once
# more by the number of instructions.
#   bench.sh 6.1|6.12 [OPTION...]    options of kmod-latency, which lies in build/bin/
# Leaves kmod-latency.json and counted.json in build/bench-vm/KERNEL/, and in timed/ and counted/ the guests' logs.
set -eu
cd "$(dirname "$0")/../.."

kernel=${1:-}
case $kernel in
6.1 | 6.12) shift ;;
*)
	sed -n '5,6s/^# \?//p' "$0" >&2
	exit 2
	;;
esac
vm=build/vm/$kernel out=build/bench-vm/$kernel
commit=$(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)

# The guest has one NUMA node: the kernel's balancing among several would take part.
guest() { # name of the run, kmod-latency's command line, option of guest.py...
	local name=$1 program=$2
	shift 2
	scripts/vm/guest.py "$vm" --show --out "$out/$name" --seconds 1500 --job-seconds 1400 --memory 2048 --nodes 1 \
		--env HET_COMMIT="$commit" "$@" "$vm/kmod/gpuvm.ko" "$program"
}

scripts/setup.sh packages vm
scripts/vm/fetch.sh kernel "$kernel"
scripts/vm/module.sh "$vm/headers" "$vm/kmod"

# /share is the guest's name for the folder that it shares with the host.
guest timed "build/bin/kmod-latency --json /share/result.json $*"
cp "$out/timed/share/result.json" "$out/kmod-latency.json"
echo "results: $out/kmod-latency.json"
# Linux 6.1 does not get through its boot with such a clock.
[ "$kernel" = 6.12 ] || exit 0
printf '\nThe same by the number of instructions (1 µs is 1000), without other threads:\n\n'
guest counted "build/bin/kmod-latency --quick --alone --json /share/result.json" --icount
cp "$out/counted/share/result.json" "$out/counted.json"
echo "results: $out/counted.json"
