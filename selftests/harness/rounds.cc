// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "rounds.h"

#include <atomic>
#include <thread>

namespace selftest
{

void hear(runtime_fixture &fx, het_event *e, told_by how)
{
	event_handle later;
	std::atomic<bool> called{false};
	switch (how) {
	case told_by::wait:
		wait_for(e);
		break;
	case told_by::status:
		while (status_of(e) > HET_COMPLETE)
			std::this_thread::yield();
		break;
	case told_by::callback:
		HET_OK(het_event_callback(
			e, [](het_event *, int, void *arg) { *static_cast<std::atomic<bool> *>(arg) = true; },
			&called));
		while (!called)
			std::this_thread::yield();
		break;
	case told_by::follower:
		HET_OK(het_marker(fx.queue, 1, &e, later.out()));
		wait_for(later);
		break;
	case told_by::marker:
		HET_OK(het_marker(fx.queue, 0, nullptr, later.out()));
		wait_for(later);
		break;
	case told_by::finish:
		HET_OK(het_finish(fx.queue));
		break;
	}
}

void launch_add(runtime_fixture &fx, model_array &a, size_t off, size_t n, uint8_t value, het_event **e,
		runtime_fixture::options o)
{
	HET_OK(fx.launch(fx.add, n, {a.part(off, n, HET_READ_WRITE), value_arg(value)}, e, o));
	add_to_model(a.model, off, n, value);
}

} // namespace selftest
