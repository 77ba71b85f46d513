// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/alias_compute.h"

#include "dev/host_buffer.h"
#include "dev/memory_device.h"
#include "os/inject.h"
#include "os/log.h"

#include <cstring>
#include <gpuvm.h>
#include <new>

namespace het::rt
{

namespace
{

constexpr char name_of_all[] = "host memory";

class alias_memory final : public device
{
      public:
	explicit alias_memory(host_memory_keeper &keeper) : keeper_(keeper) {}

	const char *name() const override { return name_of_all; }
	// Bytes that a touch waits for are kept nowhere else from then on.
	bool signal_safe() const override { return keeper_.has_none(); }
	bool has_alias() const override { return true; }

	int retain(void *, size_t) override { return 0; }
	void release(void *) override {}

	int read(unsigned lane, std::span<const transfer> pieces) override
	{
		for (const transfer &t : pieces) {
			char *const from = static_cast<char *>(t.devbuf) + t.offset;
			if (!t.alias)
				memcpy(t.host, from, t.size);
			else if (int err = keeper_.bring(t.devbuf, range_of(from, t.size), static_cast<char *>(t.host),
							 lane))
				return err;
		}
		return 0;
	}
	int write(unsigned lane, std::span<const transfer> pieces) override
	{
		for (const transfer &t : pieces) {
			char *const to = static_cast<char *>(t.devbuf) + t.offset;
			// What is elsewhere now may come home between the two calls, which change() has to know of.
			const bool is_elsewhere = !keeper_.has_none();
			if (!is_mutant(mutant::keeps_written))
				keeper_.changed(range_of(to, t.size));
			int err = 0;
			if (!t.alias)
				memcpy(to, t.host, t.size);
			else if (is_elsewhere)
				err = keeper_.change(range_of(to, t.size), static_cast<char *>(t.host), lane);
			if (err)
				return err;
		}
		return 0;
	}
	int start_read(unsigned lane, const transfer &piece, read_ticket &) override { return read(lane, {&piece, 1}); }
	int finish_read(unsigned, read_ticket &) override { return 0; }

	int retain_event(void *, void **) override { return no_events(); }
	int wait_event(void *) override { return no_events(); }
	event_state look_at_event(void *) override { return event_state::failed; }
	void release_event(void *) override {}

      private:
	static int no_events() { return fail(GPUVM_EAPI, "%s has no events", name_of_all); }

	host_memory_keeper &keeper_;
};

// It counts references to buffers.
class alias_device final : public memory_device
{
      public:
	alias_device(std::unique_ptr<device> inner, host_memory_keeper &keeper)
	    : memory_device(std::move(inner)), keeper_(keeper)
	{
	}
	int retain(void *buffer, size_t) override
	{
		retain_host_buffer(buffer);
		return 0;
	}
	void release(void *buffer) override
	{
		keeper_.gone(range_of(buffer, host_buffer_size(buffer)));
		drop_host_buffer(buffer);
	}

      private:
	host_memory_keeper &keeper_;
};

class alias_compute final : public compute_device
{
      public:
	explicit alias_compute(host_memory_keeper &keeper) : keeper_(keeper)
	{
		info_.size = sizeof(info_);
		info_.kind = HET_DEVICE_APART;
		info_.name = name_of_all;
	}

	const het_device_info &info() const override { return info_; }
	bool has_queue() const override { return false; }
	bool is_in_place() const override { return false; }
	bool has_addresses() const override { return false; }
	size_t wanted_groups() const override { return 1; }
	bool can_build(const program_source &) const override { return false; }
	int build(const program_source &, std::unique_ptr<device_program> &, text &) override { return HET_ENODEV; }

	int allocate(size_t nbytes, void **buffer) override
	{
		*buffer = make_host_buffer(nbytes, true);
		return *buffer ? 0 : no_device_memory;
	}
	void drop(void *buffer) override { drop_host_buffer(buffer); }
	void *address_of(void *buffer) const override { return buffer; }
	std::unique_ptr<device> make_memory(unsigned, unsigned, int *error) override
	{
		std::unique_ptr<device> inner(new (std::nothrow) alias_memory(keeper_)), made;
		if (inner)
			made.reset(new (std::nothrow) alias_device(std::move(inner), keeper_));
		*error = made ? 0 : fail(GPUVM_ESALLOC, "%s: no memory", name_of_all);
		return made;
	}

	int submit(device_kernel &, const launch_shape &, std::span<const device_arg>, ticket &) override
	{
		return HET_ENODEV;
	}
	int wait(ticket &, command_times &) override { return HET_ENODEV; }

      private:
	host_memory_keeper &keeper_;
	het_device_info info_ = {};
};

} // namespace

std::unique_ptr<compute_device> make_alias_compute(host_memory_keeper &keeper)
{
	return std::unique_ptr<compute_device>(new (std::nothrow) alias_compute(keeper));
}

} // namespace het::rt
