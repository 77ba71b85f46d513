#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Installs into a folder, uses what was installed as strangers would, and uninstalls.
#   check-install.sh new    programs compiled through pkg-config: a small one, and the documentation's examples
#   check-install.sh old    a program that was linked against libgpuvm.so.0
set -eu
cd "$(dirname "$0")/.."
work=$PWD/build/check/install-$1
root=$work/root
cc=${CC:-gcc}
cxx=${CXX:-g++}
# Folders are those of Debian's packages: see debian/rules.
multiarch=$($cc -print-multiarch)
libdir=/usr/lib/${multiarch:-multiarch}
settings=(PREFIX=/usr "LIBDIR=$libdir" "OPENCLDIR=$libdir/libhet" "VENDORDIR=$libdir/libhet/vendors")
lib=$root$libdir
sources=selftests/install
say() { echo "+ $*"; "$@"; }

rm -rf "$work"
mkdir -p "$work"
say make --no-print-directory -s install DESTDIR="$root" "${settings[@]}"
find "$root" -printf '%P -> %l\n'

export PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
export POCL_CACHE_DIR=$work/pocl-cache
strict="-Wall -Wextra -Werror -pedantic -D_GNU_SOURCE"
opencl=-DCL_TARGET_OPENCL_VERSION=300

use_new() {
	test "$(pkg-config --modversion libhet)" = "$(cat VERSION)"
	local flags example
	flags=$(pkg-config --cflags --libs libhet)
	say $cc -std=c11 $strict $sources/new_program.c -o "$work/new_c" $flags
	say $cxx -std=c++20 $strict -x c++ $sources/new_program.c -x none -o "$work/new_cxx" $flags
	LD_LIBRARY_PATH=$lib say "$work/new_c"
	LD_LIBRARY_PATH=$lib say "$work/new_cxx"
	local standard
	for standard in 17 20; do
		say $cxx -std=c++$standard $strict $sources/cxx_program.cc -o "$work/cxx$standard" $flags
		LD_LIBRARY_PATH=$lib say "$work/cxx$standard"
	done
	for example in Documentation/examples/*.c Documentation/examples/*.cc; do
		case $example in
		*/embedded.c) continue ;; # its kernels are put into it by make, for `make check` to run
		*.cc) say $cxx -std=c++17 $strict "$example" -o "$work/example" $flags ;;
		*) say $cc -std=c11 $strict -DCL_TARGET_OPENCL_VERSION=300 "$example" -o "$work/example" $flags \
			-lOpenCL -lm ;;
		esac
		LD_LIBRARY_PATH=$lib say "$work/example"
	done
	use_python
	use_openmp
}

# Where it was not built, make has said so.
use_openmp() {
	test -e "$root/usr/bin/het-openmp" || return 0
	HET_DEVICES=host say "$root/usr/bin/het-openmp" "$work/new_c"
}

# Where the package was not built, make has said so.
use_python() {
	local packages=$root/usr/lib/python3/dist-packages
	test -e "$packages/het/_het.so" && /usr/bin/python3 -c 'import numpy' || return 0
	(cd "$work" && LD_LIBRARY_PATH=$lib PYTHONPATH=$packages PYTHONDONTWRITEBYTECODE=1 HET_DEVICES=host \
		say /usr/bin/python3 "$OLDPWD/Documentation/examples/heat.py")
}

use_old() {
	mkdir "$work/2011"
	say $cc -shared -fPIC -Wl,-soname,libgpuvm.so.0 $sources/libgpuvm.c -o "$work/2011/libgpuvm.so.0"
	say $cc -std=c11 $strict $opencl -Ilib/include selftests/old_program.c -o "$work/old" \
		"$work/2011/libgpuvm.so.0" -lOpenCL
	readelf -d "$work/old" | grep -q 'NEEDED.*libgpuvm\.so\.0'
	if readelf -d "$work/old" | grep 'NEEDED.*libhet'; then
		echo "the old program knows libhet: this tests nothing" >&2
		return 1
	fi
	# ldconfig must keep the name and put it into the cache.
	/sbin/ldconfig -n "$lib"
	: >"$work/ld.so.conf"
	/sbin/ldconfig -f "$work/ld.so.conf" -C "$work/ld.so.cache" "$lib" 2>/dev/null || true
	/sbin/ldconfig -C "$work/ld.so.cache" -p | grep 'libgpuvm\.so\.0'
	LD_LIBRARY_PATH=$lib say "$work/old"
	# The interposers work only if libhet stands before libc, as libgpuvm stood when this was linked.
	LD_LIBRARY_PATH=$lib LD_DEBUG=bindings LD_DEBUG_OUTPUT=$work/bindings timeout 60 "$work/old" >/dev/null
	grep -h "$work/old .* symbol .free'" "$work"/bindings.* | tee /dev/stderr | grep -q 'to .*/libhet\.so'
}

# Installs what DKMS would be given, which takes the version from dkms.conf and looks for the folder of that name.
dkms_sources() {
	say make --no-print-directory -s dkms_install DESTDIR="$work/dkms"
	local PACKAGE_NAME= PACKAGE_VERSION= BUILT_MODULE_NAME DEST_MODULE_LOCATION MAKE CLEAN
	local dkms_tree=/var/lib/dkms kernel_source_dir=/
	. "$work/dkms/usr/src/gpuvm-$(cat VERSION)/dkms.conf"
	test "$PACKAGE_NAME-$PACKAGE_VERSION" = "gpuvm-$(cat VERSION)"
	test -e "$work/dkms/usr/src/gpuvm-$(cat VERSION)/Kbuild"
}

# Where something was left out of the build, so it is of what was installed.
packages_are_complete() {
	local part
	for part in "lib/${libdir##*/}/libhet-mpi.so.0" lib/python3/dist-packages/het/_het.so "lib/${libdir##*/}/libhet/libhetcl.so" bin/het-analyse bin/het-openmp; do
		[ -e "$root/usr/$part" ] || { echo "no $part was built here: debian/ is not looked at" && return; }
	done
	cp -r "$root" "$work/all"
	cp -r "$work/dkms/." "$work/all"
	say "${PYTHON:-python3}" scripts/check-packages.py build/libhet.so "$work/all"
}

use_"$1"
dkms_sources
if [ "$1" = new ]; then
	packages_are_complete
fi

say make --no-print-directory -s uninstall DESTDIR="$root" "${settings[@]}"
left=$(find "$root" ! -type d)
if [ -n "$left" ]; then
	echo "uninstall left: $left" >&2
	exit 1
fi
