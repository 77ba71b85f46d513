#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Checks what the built library shows to the outside, and what its core asks of it.
#   check-symbols.sh BUILD_FOLDER
set -u
b=$1
cd "$(dirname "$0")/.." || exit 1
bad=0

# libhet answers these calls of other libraries in their place (lib/api/interpose_*.cc).
interposed='pthread_exit|close|close_range|closefrom|dup2|dup3|free|realloc|reallocarray|munmap|mremap|sigaction|sigset|(|bsd_|s|sysv_|__sysv_)signal|cl[A-Z][A-Za-z0-9]*|cu[A-Z][A-Za-z0-9_]*'

# Our own symbols are name@@version. Interposers have the bare name, since they must carry no version.
exports=$(nm -D --defined-only "$b/libhet.so" | awk '$2 != "A" { print $3 }' |
	grep -vxE "(gpuvm|het)_[a-z0-9_]+@@HET_0|($interposed)")
if [ -n "$exports" ]; then
	echo "libhet.so exports what it should not:"
	echo "$exports"
	bad=1
fi

# bpftrace and perf attach to these probes, where the build had <sys/sdt.h>.
if grep -q '^HAVE_SDT := 1' "$b/config.mk"; then
	probes=$(readelf -n "$b/libhet.so" | awk '/Provider:/ { ours = $2 == "libhet" } /Name:/ && ours { print $2 }')
	for probe in fault fetch resolve revoke; do
		if ! grep -qx "$probe" <<<"$probes"; then
			echo "libhet.so has no USDT probe $probe"
			bad=1
		fi
	done
fi

# The core is pure: it has arithmetic and memory, but no system call, no thread, no clock.
pure='_Z.*|mem(cpy|move|set|cmp|chr)|strlen|abort|__(stack_chk_fail|cxa_|gxx_|dso_handle|asan_|ubsan_|tsan_).*|_GLOBAL_OFFSET_TABLE_|_Unwind_Resume'
for object in $(find "$b/obj/lib/core" -maxdepth 1 -name '*.o' 2>/dev/null); do
	wants=$(nm -u "$object" | awk '{ print $2 }' | grep -vxE "$pure")
	if [ -n "$wants" ]; then
		echo "$object is of the pure core, but calls:" $wants
		bad=1
	fi
done
exit $bad
