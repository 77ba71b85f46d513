// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/runtime.h"

#include <new>

namespace het::rt
{

runtime &core()
{
	// It is never destroyed: workers live as long as the process.
	alignas(runtime) static char memory[sizeof(runtime)];
	static runtime *r = new (memory) runtime;
	return *r;
}

} // namespace het::rt
