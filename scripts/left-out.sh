#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Which files can't be compiled for want of some system headers, by way of the project's own headers too.
#   left-out.sh HEADER... -- FOLDER...    prints "FILE HEADER" lines
# A file that asks with __has_include sees to it by itself.
set -u
headers=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	headers+=("$1")
	shift
done
shift

for folder in "$@"; do
	files=$(find "$folder" \( -name '*.cc' -o -name '*.c' -o -name '*.h' \) 2>/dev/null)
	[ -n "$files" ] || continue
	for header in "${headers[@]}"; do
		found=$(grep -lF "#include <$header>" $files | xargs -r grep -LF "__has_include(<$header>)")
		new=$found
		while [ -n "$new" ]; do
			names=$(grep '\.h$' <<<"$new" | sed 's|.*/||; s|\.|\\.|g' | paste -sd '|')
			[ -n "$names" ] || break
			new=$(grep -lE "^#include \"(.*/)?($names)\"" $files | grep -vxF "$found")
			found=$(printf '%s\n%s' "$found" "$new")
		done
		[ -z "$found" ] || sed "s|\$| $header|" <<<"$found"
	done
done
