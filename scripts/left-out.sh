#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Tells which files can't be compiled for want of some system headers, by way of the project's own headers, too.
#   left-out.sh HEADER... -- FOLDER...    prints "FILE HEADER" lines
# A header in a folder of its package's own stands for all of them: who lacks llvm/IR/Function.h lacks llvm/IR/CFG.h. A
# file that asks with __has_include sees to it by itself.
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
		case $header in
		sys/*) included="<$header>" ;;
		*/*) included="<${header%%/*}/" ;;
		*) included="<$header>" ;;
		esac
		found=$(grep -lF "#include $included" $files | xargs -r grep -LF "__has_include(<$header>)")
		new=$found
		while [ -n "$new" ]; do
			# Sources may name them with some of their folders, or none.
			names=$(grep '\.h$' <<<"$new" |
				awk -F/ '{ n = $NF; print n; for (i = NF - 1; i; i--) print n = $i "/" n }' |
				sed 's|\.|\\.|g' | paste -sd '|')
			[ -n "$names" ] || break
			new=$(grep -lE "^#include \"($names)\"" $files | grep -vxF "$found")
			found=$(printf '%s\n%s' "$found" "$new")
		done
		[ -z "$found" ] || sed "s|\$| $header|" <<<"$found"
	done
done
