// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "trap/trap.h"

#include "os/mapping.h"

#include <cerrno>

namespace het
{

int trap::spoil(const pages &p, const page_source &source)
{
	bool ok = source.fail_at(p.at);
	wake(p);
	return ok ? 0 : -ENOMEM;
}

// The pages are accessible between the first step and the last.
int trap::heal(const pages &p, const page_source &source)
{
	if (!source.map_at(p.at, p.offset))
		return -ENOMEM;
	int err = watch(p);
	return err ? err : protect(p, access::none);
}

} // namespace het
