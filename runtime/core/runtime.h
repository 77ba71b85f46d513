// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The one instance of everything that the runtime shares, from start to exit.
#pragma once

#include "core/executor.h"
#include "core/twin_pool.h"

// A device for the program: it lives as long as the process.
struct het_device {
	het_device(std::unique_ptr<het::rt::compute_device> d, unsigned number)
	    : compute(std::move(d)), executor(compute.get(), number)
	{
	}

	const std::unique_ptr<het::rt::compute_device> compute;
	het::rt::executor executor;
	// Its number in the memory core; of no meaning for devices in place.
	unsigned memory_number = 0;
	// Bytes a second that travel there, as the last large transfers have shown.
	std::atomic<double> rate{8e9};
	// Seconds of a launch in which its kernel does not run.
	std::atomic<double> cost{0};
	std::atomic<uint64_t> last_over{0}; // when the last launch ended there
	het::rt::twin_pool twins;
	// It has failed for good: nothing is sent there any longer.
	std::atomic<bool> lost{false};

	// What one of them does holds up the other.
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

	// Set by start, constant afterwards.
	std::unique_ptr<het_device> devices[most_devices];
	unsigned ndevices = 0;
	// Devices with memory of their own.
	unsigned nmemories = 0;
	// Commands of the host's own.
	executor service{nullptr, most_devices};
	// Whom executors report to.
	supervisor *above = nullptr;

	// Commands that were added and have not finished, and a count of those that have.
	std::atomic<uint32_t> unfinished{0};
	std::atomic<uint32_t> finished{0};
	std::atomic<uint32_t> awaiting_progress{0};

	std::atomic<bool> started{false};
	// The memory core runs with the devices above.
	std::atomic<bool> memory_started{false};
	std::atomic<bool> forked{false};

	template <class F> void for_executors(F f)
	{
		for (unsigned i = 0; i < ndevices; i++)
			f(devices[i]->executor);
		f(service);
	}
};

runtime &core();

} // namespace het::rt
