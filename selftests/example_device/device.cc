// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "example_device/device.h"

#include "example_device/faults.h"
#include "example_device/memory.h"
#include "example_device/queue.h"
#include "os/clock.h"
#include "os/log.h"

#include <algorithm>
#include <cstring>
#include <gpuvm.h>
#include <new>

namespace example
{

fault_counts het_example_faults;

namespace
{

using namespace het::rt;
using het::fail;

class kernel final : public device_kernel
{
      public:
	explicit kernel(const het_function &f) : function(f) {}
	uint32_t nargs() const override { return function.nargs; }
	group_limits limits() const override { return {SIZE_MAX, {}}; }

	const het_function function;
};

// A driver's compiler would make this.
class program final : public device_program
{
      public:
	explicit program(std::span<const het_function> functions) : functions_(functions) {}

	int make_kernel(const char *name, std::unique_ptr<device_kernel> &made) override
	{
		auto f = std::ranges::find_if(functions_, [&](auto &one) { return !strcmp(one.name, name); });
		if (f == functions_.end())
			return HET_ENAME;
		made.reset(new (std::nothrow) kernel(*f));
		return made ? 0 : fail(HET_ENOMEM, "example: no memory for kernel %s", name);
	}
	// No kernel needs rewriting for slices: struct het_group tells of the whole launch.
	int make_slice_kernel(const char *name, const slicing &, std::unique_ptr<device_kernel> &made) override
	{
		return make_kernel(name, made);
	}

      private:
	const std::span<const het_function> functions_; // belongs to the source, which lives as long
};

class device final : public compute_device
{
      public:
	bool open() { return queue_.start(); }

	const het_device_info &info() const override { return info_; }
	bool has_queue() const override { return true; }
	bool is_in_place() const override { return false; }
	bool has_addresses() const override { return false; }
	size_t wanted_groups() const override { return info_.units; }

	bool can_build(const program_source &source) const override { return !source.functions.empty(); }
	int build(const program_source &source, std::unique_ptr<device_program> &made, text &) override
	{
		made.reset(new (std::nothrow) program(source.functions));
		return made ? 0 : fail(HET_ENOMEM, "example: no memory for a program");
	}

	int allocate(size_t nbytes, void **buffer) override
	{
		return make_buffer(nbytes, buffer) ? 0 : fail(HET_EDEVICE, "example: no memory for %zu bytes", nbytes);
	}
	void drop(void *buffer) override { drop_buffer(buffer); }
	void *address_of(void *) const override { return nullptr; }
	std::unique_ptr<het::device> make_memory(unsigned, unsigned, int *error) override
	{
		auto made = example::make_memory();
		*error = made ? 0 : fail(GPUVM_ESALLOC, "example: no memory");
		return made;
	}

	int submit(device_kernel &k, const launch_shape &shape, std::span<const device_arg> args, ticket &t) override
	{
		if (is_hit(het_example_faults.submits))
			return fail(HET_EDEVICE, "example: it took no command");
		std::unique_ptr<device_arg[]> own(new (std::nothrow) device_arg[args.size()]);
		std::unique_ptr<command> c(own ? new (std::nothrow) command{static_cast<kernel &>(k).function.run,
									    shape, std::move(own), args.size()}
					       : nullptr);
		if (!c)
			return fail(HET_ENOMEM, "example: no memory for a command");
		std::ranges::transform(args, c->args.get(), on_device);
		t.submitted = het::now_ns();
		queue_.push(*c);
		t.handle = c.release();
		return 0;
	}
	int wait(ticket &t, command_times &times) override
	{
		std::unique_ptr<command> c(static_cast<command *>(t.handle));
		queue_.wait(*c);
		times = c->times;
		return c->error;
	}
	bool is_lost() override { return het_example_faults.lost; }

      private:
	// Turns an argument into what the kernel finds.
	static device_arg on_device(device_arg a)
	{
		if (a.buffer)
			a.buffer = bytes_of(a.buffer);
		return a;
	}

	const het_device_info info_ = {.size = sizeof(info_),
				       .kind = device_kind,
				       .units = 1,
				       .group_size = SIZE_MAX,
				       .memory = size_t{1} << 30,
				       .local_memory = 64 << 10,
				       .name = "example"};
	queue queue_;
};

} // namespace

std::unique_ptr<compute_device> make_device()
{
	std::unique_ptr<device> made(new (std::nothrow) device);
	return made && made->open() ? std::move(made) : nullptr;
}

} // namespace example
