#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Gets a Debian kernel for the guest, its headers and its sources. Nothing is installed: the packages are unpacked
# below build/vm/VERSION/, where they stay until `make clean`. Needs no root.
#   fetch.sh kernel 6.1|6.12|unstable   vmlinuz, lib/modules/, headers/ (a KDIR) and release (what uname -r says)
#   fetch.sh source 6.1|6.12|unstable   linux-source.tar.xz, and below selftests/ what kselftests are built with
# "unstable" is the newest kernel that Debian has, with the compiler that its headers ask for. DEBIAN_MIRROR and
# DEBIAN_SECURITY_MIRROR name other mirrors.
set -eu
cd "$(dirname "$0")/../.."

what=${1:-} version=${2:-}
case $what:$version in
kernel:6.1 | source:6.1) suites=(bookworm bookworm-security) ;;
kernel:6.12 | source:6.12) suites=(bookworm-backports) ;;
kernel:unstable | source:unstable) suites=(unstable) ;;
*)
	sed -n '3,8s/^# \?//p' "$0" >&2
	exit 2
	;;
esac
into=$PWD/build/vm/$version

say() { echo "vm: $*"; }

# An apt of our own lies beside the system's; its only sources are those of the wanted kernel.
apt=$into/apt
apt_options=(-q -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
	-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
	-o "Dir::State=$apt" -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Architecture=amd64)

update() {
	local suite mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
		say "Linux $version comes from Debian's archive by apt-get and dpkg-deb, and they are not here." \
			"'make modules KDIR=' builds the module for a kernel of your own, and its tests run on a machine with that" \
			"(Documentation/building.rst)" >&2
		return 1
	fi
	if [ ! -r "$keyring" ]; then
		say "$keyring, which the archive's signatures are looked at with, is not here: install debian-archive-keyring" >&2
		return 1
	fi
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	for suite in "${suites[@]}"; do
		mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
		[[ $suite != *-security ]] || mirror=${DEBIAN_SECURITY_MIRROR:-http://deb.debian.org/debian-security}
		echo "deb [signed-by=$keyring] $mirror $suite main"
	done >"$apt/sources.list"
	# Without that option it goes on where nothing was downloaded.
	apt-get "${apt_options[@]}" -o APT::Update::Error-Mode=any update >"$apt/log" 2>&1 || {
		cat "$apt/log" >&2
		say "no lists of packages from the mirrors in $apt/sources.list;" \
			"DEBIAN_MIRROR= and DEBIAN_SECURITY_MIRROR= name others" >&2
		return 1
	}
}

# Prints what packages ask for, as far as it looks like the pattern.
depends() { # pattern package...
	local pattern=$1
	shift
	apt-cache "${apt_options[@]}" show --no-all-versions "$@" | sed -n 's/^Depends: //p' | tr -d ' ' |
		tr ',|' '\n\n' | sed 's/(.*//' | grep -xE "$pattern" | sort -u
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

# The compiler and tools want a later C library than this machine's: each such program becomes a script that starts it
# with the libraries that were unpacked beside it.
adapt() { # root folder...
	local root=$1 libraries=$1/usr/lib/x86_64-linux-gnu program
	shift
	find "$@" -type f -perm /100 ! -name "*.so*" | while read -r program; do
		ldd "$program" 2>/dev/null | grep -q . || continue
		! ldd "$program" 2>&1 | grep -q 'not found' || later "$program"
	done
}

later() { # program
	mv "$1" "$1.elf"
	printf '#!/bin/sh\nexec "%s" --argv0 "$0" --library-path "%s" "%s" "$@"\n' \
		"$libraries/ld-linux-x86-64.so.2" "$libraries" "$1.elf" >"$1"
	chmod +x "$1"
}

# Gets what builds modules for a kernel that is newer than this machine's tools.
fetch_compiler() { # root headers package...
	local root=$1 headers=$2 compiler libraries target=x86-64-linux-gnu
	shift 2
	compiler=$(depends 'gcc-[0-9]+-for-host' "$headers")
	compiler=${compiler%-for-host}
	mapfile -t libraries < <(depends 'lib.*|zlib1g' "$compiler-$target" "binutils-$target" "$@" |
		grep -vE '^lib(cc1|gprofng|ssl)')
	unpack "$root" "$compiler-$target" "cpp-${compiler#gcc-}-$target" "binutils-$target" "${libraries[@]}"
	adapt "$root" "$root/usr/bin" "$root/usr/libexec" "$root"/usr/lib/linux-kbuild-*
	# Kbuild finds all tools by the prefix, and the compiler finds the assembler and the linker by -B.
	sed -i -e "s|^override CROSS_COMPILE = .*|override CROSS_COMPILE = $root/usr/bin/${target/86-/86_}-|" \
		-e 's|^CC = .*|& -B$(CROSS_COMPILE)|' "$root/usr/src/$headers/.kernelvariables"
}

fetch_kernel() {
	local image headers release others root=$into/root
	[ ! -e "$into/release" ] || return 0
	update
	image=$(depends "linux-image-.*" linux-image-amd64)
	headers=$(depends "linux-headers-.*" linux-headers-amd64)
	release=${image#linux-image-}
	[[ $version == unstable || $release == "$version".* ]] || {
		say "${suites[*]} has Linux $release, not $version" >&2
		return 1
	}
	rm -rf "$root"
	mapfile -t others < <(depends "linux-(headers|kbuild|binary|modules)-.*" "$headers" "$image")
	unpack "$root" "$image" "$headers" "${others[@]}"
	# The packages know each other by absolute paths.
	sed -i "s|/usr/src/|$root/usr/src/|g" "$root/usr/src/$headers/Makefile"
	# With vmlinux beside the headers Kbuild asks for pahole, to describe the module's types.
	rm -f "$root/usr/src/$headers/vmlinux"
	[ "$version" != unstable ] || fetch_compiler "$root" "$headers" "${others[@]}"
	ln -sfn "root/usr/src/$headers" "$into/headers"
	ln -sfn "$(cd "$into" && find root -name vmlinuz -o -name "vmlinuz-$release" | head -n 1)" "$into/vmlinuz"
	echo "$release" >"$into/release"
}

# kselftest.h and its like are laid out as in the kernel's tree.
fetch_source() {
	local tar=$into/linux-source.tar.xz package=linux-source-$version top
	[ ! -e "$into/selftests/lib.mk" ] || return 0
	if [ ! -e "$tar" ]; then
		update
		[ "$version" != unstable ] || package=$(depends 'linux-source-.*' linux-source)
		unpack "$into/source" "$package"
		mv "$into/source/usr/src/$package.tar.xz" "$tar"
		rm -rf "$into/source"
	fi
	rm -rf "$into/tree"
	mkdir -p "$into/tree"
	top=$(tar -tf "$tar" | head -n 1)
	top=${top%%/*}
	tar -C "$into/tree" -xf "$tar" --strip-components=1 --wildcards "$top/scripts/subarch.include" \
		"$top/tools/testing/selftests/*.h" "$top/tools/testing/selftests/*.mk" \
		"$top/tools/testing/selftests/kselftest/*"
	ln -sfn tree/tools/testing/selftests "$into/selftests"
}

"fetch_$what"
