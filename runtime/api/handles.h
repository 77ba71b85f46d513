// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Checks and makes handles as all functions of the C boundary do.
#pragma once

#include "core/object.h"
#include "core/runtime.h"
#include "core/start.h"
#include "os/log.h"

#include <new>

namespace het::rt
{

// Checks that the runtime is started, and no pointer null.
template <class... P> int check(const char *call, const P *...pointers)
{
	if (int err = check_started())
		return err;
	return (pointers && ...) ? 0 : fail(HET_ENULL, "%s: a null argument", call);
}

template <class T> int retain(const char *call, T *o)
{
	int err = check(call, o);
	if (!err)
		o->retain();
	return err;
}

// In a forked child the driver can't be called, so nothing is destroyed.
template <class T> int release(const char *call, T *o)
{
	if (!o)
		return fail(HET_ENULL, "%s: null object", call);
	if (!core().forked.load(std::memory_order_relaxed))
		o->release();
	return 0;
}

// Makes an object by init(T &), which returns 0 or a code.
template <class T, class F> int make(const char *call, T **made, F init)
{
	reference<T> o(new (std::nothrow) T);
	if (!o)
		return fail(HET_ENOMEM, "%s: out of memory", call);
	if (int err = init(*o))
		return err;
	*made = o.give_up();
	return 0;
}

} // namespace het::rt
