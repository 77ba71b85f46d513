#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Loads and unloads the module. The other tests want the module, so it is there again at the end. GPUVM_KO names the
# file; without it nothing is unloaded.
plan=4 number=0 failed=0

result() { # status name
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number $2"
	else
		echo "not ok $number $2"
		failed=1
	fi
}

echo "TAP version 13"
if [ ! -e "$GPUVM_KO" ] || [ ! -e /sys/module/gpuvm ]; then
	echo "1..0 # SKIP GPUVM_KO= does not say which module to load, or it is not loaded"
	exit 4
fi
if [ "$(id -u)" -ne 0 ]; then
	echo "1..0 # SKIP not root"
	exit 4
fi
echo "1..$plan"

exec 9<>/dev/gpuvm
! rmmod gpuvm 2>/dev/null
result $? "can't be unloaded while a context is open"
exec 9>&-

rmmod gpuvm && [ ! -e /dev/gpuvm ] && [ ! -e /sys/module/gpuvm ]
result $? "can be unloaded afterwards"

good=0
for _ in 1 2 3 4 5; do
	insmod "$GPUVM_KO" && [ -c /dev/gpuvm ] && rmmod gpuvm || good=1
done
result $good "can be loaded and unloaded again and again"

insmod "$GPUVM_KO" spin_us=0 && [ "$(cat /sys/module/gpuvm/parameters/spin_us)" = 0 ]
result $? "takes parameters"
rmmod gpuvm
insmod "$GPUVM_KO"
exit $failed
