# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# This makes Debian's packages. They are built in a copy of the sources, by debian/rules, which calls make for its part.

deb:
	@scripts/deb.sh build

# It takes a quarter of an hour, root and the network. What can be known without building packages `make check` looks at.
check-deb:
	@scripts/deb.sh check

.PHONY: deb check-deb
