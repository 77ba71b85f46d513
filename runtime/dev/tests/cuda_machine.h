// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A driver of CUDA for unit tests, which does nothing but to know on which streams copies are under way.
#pragma once

#include "dev/cuda_calls.h"

#include <cstdlib>
#include <set>
#include <vector>

namespace het::rt
{

// Copies are under way until their stream is waited for.
struct simulated_driver {
	std::set<cu_stream> at_work;
	uintptr_t handles = 0;
	int launch_error = 0;
	std::vector<void *> host_memory;

	simulated_driver() { simulated = this; }
	template <class T> int make(T *handle)
	{
		*handle = reinterpret_cast<T>(++handles);
		return 0;
	}

	static inline simulated_driver *simulated = nullptr;
};

inline cuda_calls simulated_calls()
{
	cuda_calls cu = {};
	cu.stream_priorities = [](int *least, int *greatest) {
		*least = *greatest = 0;
		return 0;
	};
	cu.create_stream = [](cu_stream *s, unsigned, int) { return simulated_driver::simulated->make(s); };
	cu.create_event = [](cu_event *e, unsigned) { return simulated_driver::simulated->make(e); };
	cu.allocate = [](cu_deviceptr *p, size_t) {
		*p = ++simulated_driver::simulated->handles << 32;
		return 0;
	};
	cu.allocate_host = [](void **p, size_t size, unsigned) {
		*p = simulated_driver::simulated->host_memory.emplace_back(calloc(1, size));
		return 0;
	};
	cu.copy_to_device = [](cu_deviceptr, const void *, size_t, cu_stream s) {
		simulated_driver::simulated->at_work.insert(s);
		return 0;
	};
	cu.copy_on_device = [](cu_deviceptr, cu_deviceptr, size_t, cu_stream s) {
		simulated_driver::simulated->at_work.insert(s);
		return 0;
	};
	cu.record_event = [](cu_event, cu_stream) { return 0; };
	cu.stream_waits = [](cu_stream, cu_event, unsigned) { return 0; };
	cu.synchronize_stream = [](cu_stream s) {
		simulated_driver::simulated->at_work.erase(s);
		return 0;
	};
	cu.launch = [](cu_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, cu_stream,
		       void **, void **) { return simulated_driver::simulated->launch_error; };
	cu.push_context = [](cu_context) { return 0; };
	cu.pop_context = [](cu_context *) { return 0; };
	cu.free = [](cu_deviceptr) { return 0; };
	cu.load_module = [](cu_module *m, const void *) { return simulated_driver::simulated->make(m); };
	cu.get_function = [](cu_function *f, cu_module, const char *) { return simulated_driver::simulated->make(f); };
	cu.clear = [](cu_deviceptr, unsigned char, size_t, cu_stream) { return 0; };
	cu.copy_to_host = [](void *, cu_deviceptr, size_t, cu_stream) { return 0; };
	return cu;
}

// What the runtime has of a driver it has until the process ends. So it is made here and stays reachable.
template <class machine> machine &make_for_good()
{
	static auto &all = *new std::vector<machine *>;
	return *all.emplace_back(new machine);
}

} // namespace het::rt
