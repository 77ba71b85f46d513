#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Makes Debian packages, and tests them.
#   deb.sh build     the packages into build/deb/
#   deb.sh check     builds them twice, and judges bytes, lintian, installation, upgrade and removal in a new Debian 12,
#                    the tests of debian/tests there, and the module through DKMS
# Ends with a line of counts. Needs the network, but for the builds.
set -u
cd "$(dirname "$0")/.." || exit 1
packages=build/deb
work=$PWD/build/deb-check
passed=0 failed=0

# Runs a step, and shows what it said if it fails.
step() { # name command...
	local name=$1 log
	shift
	log=$work/${name// /-}.log
	if "$@" >"$log" 2>&1; then
		passed=$((passed + 1))
		echo "deb: $name: ok"
	else
		failed=$((failed + 1))
		echo "deb: $name: FAILED (all of it: $log)"
		tail -n 30 "$log" | sed 's/^/    /'
		return 1
	fi
}

# The second build is of the source package. It has another folder, another time zone and language, one processor, and compiles everything.
build_again() {
	env TZ=Pacific/Kiritimati LC_ALL=C CCACHE_DISABLE=1 taskset -c 0 scripts/deb/build.sh "$work/again/somewhere/else" \
		"$packages"/libhet_*.dsc
}

# .buildinfo and .changes tell of the machine, and are not installed.
same_bytes() {
	local file other bad=0
	for file in "$packages"/*.deb "$packages"/*.dsc "$packages"/*.tar.*; do
		other=$work/again/somewhere/else/${file##*/}
		cmp "$file" "$other" && continue
		bad=1
		diffoscope --max-report-size 20000 "$file" "$other"
	done
	return $bad
}

lintian_is_silent() {
	local said
	said=$(lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$packages"/libhet_*.changes 2>&1) || {
		echo "$said"
		return 1
	}
	echo "$said"
}

if [ "${1:-}" = check ] && [ "$(id -u)" -ne 0 ]; then
	echo "deb: only root may make the Debian in which packages are tried: sudo make check-deb" >&2
	exit 1
fi
if ! scripts/setup.sh packages "$([ "${1:-}" = check ] && echo deb-check || echo deb)"; then
	exit 1
fi
case ${1:-} in
build)
	scripts/deb/build.sh "$packages" || exit 1
	ls -l "$packages"/*.deb
	;;
check)
	rm -rf "$work"
	mkdir -p "$work"
	step "build" scripts/deb/build.sh "$packages" || exit 1
	step "lintian" lintian_is_silent
	step "second build" build_again && step "same bytes" same_bytes
	step "DKMS, Linux 6.1" scripts/deb/dkms.sh "$packages" "$work/dkms-6.1" 6.1
	step "DKMS, Linux 6.12" scripts/deb/dkms.sh "$packages" "$work/dkms-6.12" 6.12
	step "new Debian" scripts/deb/chroot.sh make "$work/chroot" &&
		step "install, upgrade, remove, purge" scripts/deb/chroot.sh lifecycle "$work/chroot" "$packages" &&
		step "tests of the packages" scripts/deb/chroot.sh autopkgtest "$work/chroot" "$packages"
	echo "$passed passed, $failed failed, 0 skipped"
	[ "$failed" -eq 0 ]
	;;
*)
	sed -n '3,8s/^# \?//p' "$0"
	exit 2
	;;
esac
