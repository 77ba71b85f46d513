// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/pending.h"

#include "memory/context.h"
#include "os/log.h"
#include "os/pool.h"

#include <gpuvm.h>

namespace het
{

pending_kernel *make_pending(memory_context &context, unsigned device, void *event, int *err)
{
	void *kept = nullptr;
	*err = context.devices[device]->retain_event(event, &kept);
	if (*err)
		return nullptr;
	auto *p = pool_array<pending_kernel>(1);
	if (!p) {
		context.devices[device]->release_event(kept);
		*err = fail(GPUVM_ESALLOC, "gpuvm_kernel_end_event: out of memory");
		return nullptr;
	}
	p->event = kept;
	p->device = uint8_t(device);
	return p;
}

void drop_pending(memory_context &context, pending_kernel *p)
{
	context.devices[p->device]->release_event(p->event);
	pool().release(p, sizeof(*p));
}

int settle(array &a, array_guard &g, copyset *broken)
{
	int err = 0;
	while (pending_kernel *p = a.pending) {
		p->waiters++;
		g.unlock();
		int failed = a.context->devices[p->device]->wait_event(p->event);
		g.lock();
		if (failed)
			err = failed;
		if (failed && p->writes && broken)
			*broken |= device_copy(p->device);
		if (a.pending == p)
			a.pending = nullptr;
		if (--p->waiters)
			continue;
		g.unlock();
		drop_pending(*a.context, p);
		g.lock();
	}
	return err;
}

} // namespace het
