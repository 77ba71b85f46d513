// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The devices `host` and `apart` run kernels that are functions of the program's. `host` works on host memory in place;
// `apart` has buffers of its own and stands in for a GPU in tests, also under sanitizers.
#include "dev/crew.h"
#include "dev/host_buffer.h"
#include "dev/host_twin.h"
#include "dev/memory_device.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/thread.h"

#include <cstdio>
#include <cstring>
#include <gpuvm.h>
#include <mutex>
#include <new>
#include <unistd.h>

namespace het::rt
{

namespace
{

// --- programs ------------------------------------------------------------------

class host_kernel final : public device_kernel
{
      public:
	explicit host_kernel(const het_function &f) : function(f) {}
	uint32_t nargs() const override { return function.nargs; }
	group_limits limits() const override { return {SIZE_MAX, {}}; }

	const het_function function;
};

class host_program final : public device_program
{
      public:
	explicit host_program(std::span<const het_function> functions) : functions_(functions) {}

	int make_kernel(const char *name, std::unique_ptr<device_kernel> &made) override
	{
		for (const het_function &f : functions_) {
			if (strcmp(f.name, name) != 0)
				continue;
			made.reset(new (std::nothrow) host_kernel(f));
			return made ? 0 : fail(HET_ENOMEM, "kernel %s: no memory", name);
		}
		return HET_ENAME;
	}
	int make_slice_kernel(const char *name, const slicing &how, std::unique_ptr<device_kernel> &made) override
	{
		if (how.in_place)
			return HET_ENODEV;
		return make_kernel(name, made); // it is told all that it has to know of the group
	}

      private:
	std::span<const het_function> functions_; // the program's own
};

class apart_memory final : public memory_device
{
      public:
	using memory_device::memory_device;
	int retain(void *buffer, size_t) override
	{
		retain_host_buffer(buffer);
		return 0;
	}
	void release(void *buffer) override { drop_host_buffer(buffer); }
};

// --- the device ----------------------------------------------------------------

class host_compute final : public compute_device
{
      public:
	host_compute(bool in_place, unsigned slower) : in_place_(in_place), slower_(slower)
	{
		info_.size = sizeof(info_);
		info_.kind = in_place ? HET_DEVICE_HOST : HET_DEVICE_APART;
		info_.units = usable_cores();
		info_.group_size = SIZE_MAX;
		info_.memory = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
		info_.local_memory = info_.memory;
		snprintf(name_, sizeof(name_), slower > 1 ? "apart/%u (host memory)" : "apart (host memory)", slower);
		info_.name = in_place ? "host" : name_;
	}

	const het_device_info &info() const override { return info_; }
	// het-bench measures one core of the host, so that the host has no profile.
	cache::profiled_device profiled() const override
	{
		return in_place_ ? cache::profiled_device{} : cache::profiled_device{name_, ""};
	}
	bool has_queue() const override { return false; }
	size_t wanted_groups() const override { return info_.units; }
	bool is_in_place() const override { return in_place_; }
	// `apart` stands in for a device with processors of its own.
	unsigned processors() const override { return in_place_ ? processors_of_host : 0; }
	bool has_addresses() const override { return true; }
	bool can_build(const program_source &source) const override { return !source.functions.empty(); }

	int build(const program_source &source, std::unique_ptr<device_program> &made, text &) override
	{
		made.reset(new (std::nothrow) host_program(source.functions));
		return made ? 0 : fail(HET_ENOMEM, "%s: no memory for a program", info_.name);
	}

	int allocate(size_t nbytes, void **buffer) override
	{
		*buffer = make_host_buffer(nbytes);
		return *buffer ? 0 : no_device_memory;
	}
	void drop(void *buffer) override { drop_host_buffer(buffer); }
	void *address_of(void *buffer) const override { return buffer; }

	std::unique_ptr<device> make_memory(unsigned index, unsigned lanes, int *error) override
	{
		std::unique_ptr<device> inner = make_host_device(index, nullptr, lanes, error);
		if (!inner)
			return nullptr;
		std::unique_ptr<device> made(new (std::nothrow) apart_memory(std::move(inner)));
		if (!made)
			*error = fail(GPUVM_ESALLOC, "%s: no memory", info_.name);
		return made;
	}

	bool makes_twins() const override { return !in_place_; }
	int make_twin(size_t nbytes, std::unique_ptr<device_twin> &made) override
	{
		made = make_host_twin(nbytes);
		return made ? 0 : no_device_memory;
	}

	int submit(device_kernel &kernel, const launch_shape &shape, std::span<const device_arg> args,
		   ticket &t) override
	{
		t.submitted = now_ns();
		group_job job = {static_cast<host_kernel &>(kernel).function.run, &shape, args, t.between};
		return slower_ > 1 ? run_slowly(job, t.submitted) : run_groups(job);
	}
	int wait(ticket &, command_times &) override { return 0; }

      private:
	// Such devices take turns on the processors: waits for each other would count so many times, and their speeds
	// would not be known.
	int run_slowly(const group_job &job, uint64_t submitted) const
	{
		static std::mutex turn;
		uint64_t took;
		int err;
		{
			std::lock_guard g(turn);
			uint64_t began = now_ns();
			err = run_groups(job);
			took = now_ns() - began;
		}
		uint64_t now = now_ns(), end = submitted + took * slower_;
		if (end > now)
			sleep_ns(end - now);
		return err;
	}

	const bool in_place_;
	const unsigned slower_;
	char name_[40];
	het_device_info info_ = {};
};

} // namespace

std::unique_ptr<compute_device> make_host_compute(bool in_place, unsigned slower)
{
	return std::unique_ptr<compute_device>(new (std::nothrow) host_compute(in_place, slower));
}

} // namespace het::rt
