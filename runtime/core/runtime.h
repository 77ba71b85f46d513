// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This is the one instance of everything that the runtime shares, from start to exit.
#pragma once

#include "core/device_memory.h"
#include "core/executor.h"
#include "core/lanes.h"
#include "core/measured_rate.h"
#include "core/twin_pool.h"
#include "evict/array_log.h"
#include "evict/eviction.h"
#include "evict/kept_blocks.h"

// This is a device for the program: it lives as long as the process.
struct het_device {
	het_device(std::unique_ptr<het::rt::compute_device> d, unsigned number)
	    : compute(std::move(d)), executor(compute.get(), number), lanes(executor)
	{
	}

	const std::unique_ptr<het::rt::compute_device> compute;
	het::rt::executor executor;
	// These run commands of other levels than 0 where the device has lanes.
	het::rt::lanes lanes;
	// This is its number in the memory core; it has no meaning for devices in place.
	unsigned memory_number = 0;
	// So many bytes a second travel there, as the last large transfers have shown.
	std::atomic<double> rate{8e9};
	// What kernels can do there at most, as its profile says; it is set before the program sees the device.
	het::rt::kernel_rates rates;
	// In so many seconds of a launch its kernel does not run.
	std::atomic<double> cost{0};
	std::atomic<uint64_t> last_over{0}; // is when the last launch ended there
	het::rt::device_memory memory;
	het::rt::twin_pool twins{memory.account};
	// What launches in slices have left there for those to come (core/kept_memory.h), and whose bytes are worth it.
	het::rt::kept_blocks kept;
	het::rt::array_log repeated;
	// It has failed for good: nothing is sent there any longer.
	std::atomic<bool> lost{false};

	// Returns how long all that it has to do will take, as far as that is known.
	uint64_t expected_ns()
	{
		uint64_t all = executor.expected_ns();
		lanes.for_all([&](het::rt::executor &x) { all += x.expected_ns(); });
		return all;
	}

	// Returns how many commands it has done so far, on all lanes.
	uint32_t reaped()
	{
		uint32_t all = executor.reaped();
		lanes.for_all([&](const het::rt::executor &x) { all += x.reaped(); });
		return all;
	}

	// Returns what may be taken of its memory, of which @used bytes are in use, for launches that can be stopped.
	uint64_t room_for_stops(uint64_t used) const
	{
		uint64_t all = memory.account.budget();
		return all > used ? all - used : 0;
	}
	// What was taken counts, once.
	void count_stops()
	{
		uint64_t now = compute->bytes_for_stops(), before = counted_stops.exchange(now);
		memory.account.add(het::rt::memory_kind::stops, now - before);
	}
	// Gives back what is kept for launches to come. Returns whether there was any.
	bool clear_stops()
	{
		uint64_t freed = compute->drop_stops();
		memory.account.remove(het::rt::memory_kind::stops, freed);
		return freed;
	}
	std::atomic<uint64_t> counted_stops{0};

	// Returns whether what one of them does holds up the other.
	bool shares_processors_with(const het_device &other) const
	{
		return compute->processors() && compute->processors() == other.compute->processors();
	}
};

namespace het::rt
{

struct runtime {
	command_graph graph{HET_EWAIT};
	sequence user_events;
	sequence mappings;

	// The devices are set by start, and constant afterwards.
	std::unique_ptr<het_device> devices[most_devices];
	unsigned ndevices = 0;
	// So many devices have memory of their own.
	unsigned nmemories = 0;
	// It stands for the host's memory where launches work on that in windows (dev/alias_compute.h). It is none of
	// the devices above, but one of the memory core's, the last one; null where all have memory and there are too
	// many.
	std::unique_ptr<het_device> host_memory;
	eviction evicts = eviction::keep;
	inspection inspects = inspection::never;
	bool mixes = false; // launches in slices that are queued one behind the other
	// It has the commands that are the host's own.
	executor service{nullptr, most_devices};
	// Executors report to it.
	supervisor *above = nullptr;

	// unfinished counts the commands that were added and have not finished, and those whose bytes come home behind
	// them; finished counts those that have, and the pieces that have come.
	std::atomic<uint32_t> unfinished{0};
	std::atomic<uint32_t> finished{0};
	std::atomic<uint32_t> awaiting_progress{0};

	std::atomic<bool> started{false};
	// The memory core runs with the devices above.
	std::atomic<bool> memory_started{false};
	std::atomic<bool> forked{false};
	std::atomic<bool> exiting{false};

	template <class F> void for_executors(F f)
	{
		for (unsigned i = 0; i < ndevices; i++) {
			f(devices[i]->executor);
			devices[i]->lanes.for_all(f);
		}
		f(service);
	}
};

runtime &core();

} // namespace het::rt
