#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Builds the Debian packages and the source package from a copy of the sources, so that the tree stays as it is.
#   build.sh FOLDER [DSC]    copies to FOLDER/libhet-VERSION, or unpacks the source package there, and leaves the packages
#                            in FOLDER
# Compilers are asked through ccache where it is there, as elsewhere; CCACHE_DISABLE=1 does without.
set -eu
mkdir -p "$1"
into=$(cd "$1" && pwd)
source_package=${2:+$(realpath "$2")}
cd "$(dirname "$0")/../.."
version=$(cat VERSION)
copy=$into/libhet-$version

# Where there is git it knows what belongs to the sources.
list_sources() {
	if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
		git ls-files -z --cached --others --exclude-standard
	else
		find . \( -path './build*' -o -name __pycache__ \) -prune -o ! -type d -printf '%P\0'
	fi
}

# The tree may have changed since a source package was made of it.
copy_sources() {
	mkdir "$copy"
	# A tracked file that was deleted just now is in the list, too.
	list_sources | while IFS= read -r -d '' file; do
		[ ! -e "$file" ] || printf '%s\0' "$file"
	done | xargs -0 cp --parents -t "$copy"
	# A umask is no part of what is built.
	chmod -R u=rwX,go=rX "$copy"
}

rm -rf "$copy"
find "$into" -maxdepth 1 -type f \( -name '*.deb' -o -name "libhet_*" \) -delete
if [ -n "$source_package" ]; then
	dpkg-source --no-check -x "$source_package" "$copy"
else
	copy_sources
fi

# debhelper gives programs a home folder of the build's own, in which ccache would find nothing.
if command -v ccache >/dev/null; then
	CCACHE_DIR=$(ccache -k cache_dir)
	export CCACHE_DIR
fi
cd "$copy"
unset MAKEFLAGS MFLAGS MAKELEVEL
dpkg-buildpackage -us -uc -j"$(nproc)" >"$into/build.log" 2>&1 || {
	tail -n 40 "$into/build.log" >&2
	echo "deb: the build failed; all that it said is in $into/build.log" >&2
	exit 1
}
rm -rf "$copy"
