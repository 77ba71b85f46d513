#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# A new Debian 12 in a folder, in which packages are tried. Needs root and the network.
#   chroot.sh make FOLDER
#   chroot.sh lifecycle FOLDER PACKAGES     installs an earlier version, upgrades, removes and purges all packages there:
#                                           what is left of them is a fault
#   chroot.sh autopkgtest FOLDER PACKAGES   runs debian/tests against the installed packages
set -eu
root=$(realpath -m "$2")
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
here=$(cd "$(dirname "$0")/../.." && pwd)
version=$(cat "$here/VERSION")

make_root() {
	rm -rf "$root"
	mmdebstrap --variant=apt --mode=root --aptopt='APT::Install-Recommends "false"' --include=ca-certificates \
		bookworm "$root" "$mirror"
}

inside() {
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# Maintainer scripts look into /proc, and OpenCL's driver for its processors into /sys.
with_system() {
	mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
	mountpoint -q "$root/sys" || mount -t sysfs -o ro sysfs "$root/sys"
	trap 'umount "$root/proc" "$root/sys"' EXIT
}

# The same packages as they would be called if they were older: what is to be upgraded.
make_earlier() { # package...
	local deb folder=$root/root/deb
	rm -rf "$folder"
	mkdir -p "$folder/earlier" "$folder/now"
	for deb in "$@"; do
		cp "$deb" "$folder/now"
		dpkg-deb -R "$deb" "$folder/x"
		sed -i -e "s/^Version: .*/Version: $version~earlier/" -e "s/(\(>*=\) $version)/(\1 $version~earlier)/g" "$folder/x/DEBIAN/control"
		dpkg-deb -Znone --root-owner-group -b "$folder/x" "$folder/earlier/$(basename "$deb")"
		rm -rf "$folder/x"
	done
}

# Files and folders, links with what they point to; not what apt, dpkg and the dynamic linker keep for themselves.
list_files() {
	(cd "$root" && find . \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./root -o -path ./tmp -o -path ./var/cache \
		-o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/log -o -name __pycache__ \) -prune \
		-o -printf '%P -> %l\n' | LC_ALL=C sort)
}

lifecycle() { # folder of packages
	local debs=() deb names=()
	for deb in "$1"/*.deb; do
		case $deb in *-dbgsym_*) continue ;; esac
		debs+=("$deb")
		deb=${deb##*/}
		names+=("${deb%%_*}")
	done
	with_system
	make_earlier "${debs[@]}"
	inside apt-get update -q

	echo "== the packages come with what they need, and go: so the latter is there from now on"
	inside sh -c 'apt-get install -q -y /root/deb/earlier/*.deb'
	inside apt-get purge -q -y "${names[@]}"
	list_files >"$root/root/before"

	echo "== an earlier version, and the upgrade"
	inside sh -c 'apt-get install -q -y /root/deb/earlier/*.deb'
	inside sh -c 'apt-get install -q -y /root/deb/now/*.deb'
	inside dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n' "${names[@]}" | tee "$root/root/installed"
	[ "$(grep -c " $version installed" "$root/root/installed")" -eq ${#names[@]} ]
	inside dkms status gpuvm | grep -q "gpuvm/$version"
	inside getent group gpuvm
	inside test -e /etc/OpenCL/vendors/het.icd # also not a link to nowhere
	inside sh -c 'test -e "$(cat /etc/OpenCL/vendors/het.icd)"'

	echo "== what was changed in files of the packages is seen"
	inside dpkg --verify "${names[@]}"

	echo "== removal leaves configuration alone, and no OpenCL platform"
	inside apt-get remove -q -y "${names[@]}"
	if [ -L "$root/etc/OpenCL/vendors/het.icd" ]; then
		echo "the removed platform is still there for OpenCL's loader"
		return 1
	fi

	echo "== purge leaves nothing"
	inside dpkg --purge "${names[@]}"
	list_files | diff "$root/root/before" -
}

case $1 in
make) make_root ;;
lifecycle) lifecycle "$3" ;;
autopkgtest)
	with_system
	autopkgtest --no-built-binaries --apt-upgrade "$3"/*.deb "$3/libhet_$version.dsc" -- chroot "$root"
	;;
esac
