#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Gets a Debian kernel for the guest, its headers and its sources. Nothing is installed: the packages are unpacked
# below build/vm/VERSION/, where they stay until `make clean`. Needs no root.
#   fetch.sh kernel 6.1|6.12      vmlinuz, lib/modules/, headers/ (a KDIR) and release (what uname -r says)
#   fetch.sh source 6.1|6.12      linux-source.tar.xz, and below selftests/ what kselftests are built with
# DEBIAN_MIRROR and DEBIAN_SECURITY_MIRROR name other mirrors.
set -eu
cd "$(dirname "$0")/../.."

what=${1:-} version=${2:-}
case $what:$version in
kernel:6.1 | source:6.1) suites=(bookworm bookworm-security) ;;
kernel:6.12 | source:6.12) suites=(bookworm-backports) ;;
*)
	sed -n '3,7s/^# \?//p' "$0" >&2
	exit 2
	;;
esac
into=$PWD/build/vm/$version

say() { echo "vm: $*"; }

# An apt of our own beside the system's, whose sources are those of the wanted kernel alone.
apt=$into/apt
apt_options=(-q -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
	-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
	-o "Dir::State=$apt" -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Architecture=amd64)

update() {
	local suite mirror
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	for suite in "${suites[@]}"; do
		mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
		[[ $suite != *-security ]] || mirror=${DEBIAN_SECURITY_MIRROR:-http://deb.debian.org/debian-security}
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
	done >"$apt/sources.list"
	apt-get "${apt_options[@]}" update >"$apt/log" 2>&1 || {
		cat "$apt/log" >&2
		return 1
	}
}

# What a package asks for, as far as it looks like the pattern.
depends() { # package pattern
	apt-cache "${apt_options[@]}" show --no-all-versions "$1" | sed -n 's/^Depends: //p' | tr -d ' ' |
		tr ',|' '\n\n' | sed 's/(.*//' | grep -xE "$2"
}

unpack() { # folder package...
	local folder=$1
	shift
	say "downloading $*"
	mkdir -p "$apt/deb" "$folder"
	(cd "$apt/deb" && apt-get "${apt_options[@]}" download "$@" >>"$apt/log" 2>&1) || {
		tail -n 5 "$apt/log" >&2
		return 1
	}
	local deb
	for deb in "$apt"/deb/*.deb; do
		dpkg-deb -x "$deb" "$folder"
		rm "$deb"
	done
}

fetch_kernel() {
	local image headers release others root=$into/root
	[ ! -e "$into/release" ] || return 0
	update
	image=$(depends linux-image-amd64 "linux-image-.*")
	headers=$(depends linux-headers-amd64 "linux-headers-.*")
	release=${image#linux-image-}
	[[ $release == "$version".* ]] || {
		say "${suites[*]} has Linux $release, not $version" >&2
		return 1
	}
	rm -rf "$root"
	mapfile -t others < <(depends "$headers" "linux-(headers|kbuild)-.*")
	unpack "$root" "$image" "$headers" "${others[@]}"
	# The packages know each other by absolute paths.
	sed -i "s|/usr/src/|$root/usr/src/|g" "$root/usr/src/$headers/Makefile"
	# With vmlinux beside the headers Kbuild asks for pahole, to describe the module's types.
	rm -f "$root/usr/src/$headers/vmlinux"
	ln -sfn "root/usr/src/$headers" "$into/headers"
	ln -sfn "root/boot/vmlinuz-$release" "$into/vmlinuz"
	echo "$release" >"$into/release"
}

# kselftest.h and its like, laid out as in the kernel's tree.
fetch_source() {
	local tar=$into/linux-source.tar.xz top=linux-source-$version
	[ ! -e "$into/selftests/lib.mk" ] || return 0
	if [ ! -e "$tar" ]; then
		update
		unpack "$into/source" "linux-source-$version"
		mv "$into/source/usr/src/$top.tar.xz" "$tar"
		rm -rf "$into/source"
	fi
	rm -rf "$into/tree"
	mkdir -p "$into/tree"
	tar -C "$into/tree" -xf "$tar" --strip-components=1 --wildcards "$top/scripts/subarch.include" \
		"$top/tools/testing/selftests/*.h" "$top/tools/testing/selftests/*.mk" "$top/tools/testing/selftests/kselftest/*"
	ln -sfn tree/tools/testing/selftests "$into/selftests"
}

"fetch_$what"
