#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Every file of the project says its licence in one SPDX line, and LICENSES/ has the text of each.
set -u
cd "$(dirname "$0")/.." || exit 1

# Data, and files whose format has no comments.
exempt='^\./(VERSION|LICENSES/.*|bench/data/.*|bench/results/.*|.*\.(png|svg|json|csv))$'

bad=0
while IFS= read -r file; do
	first=$(head -n 3 "$file" | sed -n 's/.*SPDX-License-Identifier: \([^*]*[^* ]\).*/\1/p' | sed 's/ *-->$//')
	if [ -z "$first" ]; then
		echo "$file: no SPDX line in its first three lines"
		bad=1
		continue
	fi
	for id in $(sed 's/[()]/ /g; s/ \(OR\|AND\|WITH\) / /g' <<<"$first"); do
		[ -e "LICENSES/$id" ] || [ -e "LICENSES/$id.txt" ] || {
			echo "$file: $id has no text in LICENSES/"
			bad=1
		}
	done
done < <(find . \( -name .git -o -name 'build*' -o -name __pycache__ \) -prune -o -type f -print | grep -Ev "$exempt")
exit $bad
