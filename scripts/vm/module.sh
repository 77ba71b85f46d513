#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Builds the module from a copy of kmod/, so that several kernels can have one each and kmod/ stays clean.
#   module.sh KDIR FOLDER [make argument...]    leaves FOLDER/gpuvm.ko
set -eu
kdir=$1 into=$2
shift 2
here=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$into"
into=$(cd "$into" && pwd)

# What is gone from kmod/ goes from the copy; what is unchanged keeps its time, so that little is built anew.
(cd "$into" && find . -name '*.[ch]' -o -name Kbuild) | while read -r file; do
	[ -e "$here/kmod/$file" ] || [[ $file == *.mod.c ]] || rm "$into/$file"
done
cp -Ru --preserve=timestamps "$here/kmod/." "$into"

# Kbuild minds neither our settings nor where we are.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -s -j"$(nproc)" -C "$kdir" M="$into" "$@" modules \
	2> >(grep -vE '^Skipping BTF generation|pahole|The kernel was built with: [0-9]+$|You are using: +0$' >&2)
