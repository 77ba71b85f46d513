#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Builds the module of gpuvm-dkms by DKMS, in folders of its own, for one of Debian's kernels.
#   dkms.sh FOLDER_OF_PACKAGES WORK 6.1|6.12
set -eu
packages=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
kernel=$3
cd "$(dirname "$0")/../.."
version=$(cat VERSION)

scripts/vm/fetch.sh kernel "$kernel"
release=$(cat "build/vm/$kernel/release")
dpkg-deb -x "$packages/gpuvm-dkms_${version}_all.deb" "$work/root"
mkdir -p "$work/tree"
dkms build "gpuvm/$version" -k "$release" --kernelsourcedir "$PWD/build/vm/$kernel/headers" \
	--sourcetree "$work/root/usr/src" --dkmstree "$work/tree" || {
	cat "$work/tree/gpuvm/$version/build/make.log" >&2
	exit 1
}
module=$(find "$work/tree/gpuvm/$version/$release" -name 'gpuvm.ko*')
case $module in *.xz) xz -dk "$module" && module=${module%.xz} ;; esac
modinfo -F vermagic "$module" | tee /dev/stderr | grep -q "^$release "
