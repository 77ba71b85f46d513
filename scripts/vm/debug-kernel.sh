#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Builds a debugging kernel from Debian's sources and debug.config, once, into build/vm/NAME/. (About ten minutes on two
# cores; a changed debug.config builds it anew.)
#   debug-kernel.sh debug|debug-6.1      from linux-source-6.12, or -6.1
#   vmlinuz, headers/ (a KDIR) and release, as fetch.sh leaves them
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
name=${1:-debug}
version=${name#debug-}
version=${version/debug/6.12}
into=$PWD/build/vm/$name
tar=$PWD/build/vm/$version/linux-source.tar.xz
config=$here/debug.config

say() { echo "vm: $*"; }
cmp -s "$config" "$into/config.done" && exit 0

scripts/vm/fetch.sh source "$version"
say "building a debugging kernel in $into; this takes about ten minutes, once"
mkdir -p "$into"
if [ ! -e "$into/unpacked" ]; then
	rm -rf "$into/src"
	mkdir "$into/src"
	# A third of the sources is of no use here.
	tar -C "$into/src" -xf "$tar" --strip-components=1 --exclude='*/Documentation/*/*' \
		--exclude='*/testing/selftests/*' --exclude='*/drivers/gpu/drm/amd/*/*.[ch]' \
		--exclude='*/drivers/net/ethernet/*.[ch]' --exclude='*/sound/*/*.[ch]'
	touch "$into/unpacked"
fi

build() { make -C "$into/src" --no-print-directory -s -j"$(nproc)" "$@" >>"$into/log" 2>&1; }

: >"$into/log"
build KCONFIG_ALLCONFIG="$config" allnoconfig
# Kconfig drops without a word what lacks something it depends on.
dropped=$(grep -vE '^(#|$)' "$config" | grep -vxFf "$into/src/.config" || true)
if [ -n "$dropped" ]; then
	say "Kconfig did not take:" $dropped >&2
	exit 1
fi
build bzImage modules || {
	tail -n 30 "$into/log" >&2
	exit 1
}
ln -sfn src/arch/x86/boot/bzImage "$into/vmlinuz"
ln -sfn src "$into/headers"
cp "$into/src/include/config/kernel.release" "$into/release"
cp "$config" "$into/config.done"
