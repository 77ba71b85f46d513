// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The memory core reaches the memory of the runtime's devices through this device of lib/dev, whose buffers the runtime
// makes and counts.
#pragma once

#include "dev/device.h"

#include <memory>
#include <utility>

namespace het::rt
{

// All devices of a memory core that the runtime has started are of this class.
class memory_device : public device
{
      public:
	explicit memory_device(std::unique_ptr<device> inner) : inner_(std::move(inner)) {}

	const char *name() const override { return inner_->name(); }
	int api() const override { return inner_->api(); }
	bool signal_safe() const override { return inner_->signal_safe(); }
	bool has_alias() const override { return inner_->has_alias(); }
	int numa_node() const override { return inner_->numa_node(); }

	int read(unsigned lane, std::span<const transfer> pieces) override { return inner_->read(lane, pieces); }
	int write(unsigned lane, std::span<const transfer> pieces) override { return inner_->write(lane, pieces); }
	int start_read(unsigned lane, const transfer &piece, read_ticket &ticket) override
	{
		return inner_->start_read(lane, piece, ticket);
	}
	int finish_read(unsigned lane, read_ticket &ticket) override { return inner_->finish_read(lane, ticket); }
	int copy_from(unsigned lane, void *dst, size_t dst_offset, device &from, void *src, size_t src_offset,
		      size_t size) override
	{
		device &other = *static_cast<memory_device &>(from).inner_;
		return inner_->copy_from(lane, dst, dst_offset, other, src, src_offset, size);
	}

	unsigned pinned_reads() const override { return inner_->pinned_reads(); }
	bool pin(void *p, size_t n) override { return inner_->pin(p, n); }
	void unpin(void *p) override { inner_->unpin(p); }

	size_t lent_memory() const override { return inner_->lent_memory(); }
	void keep_memory() override { inner_->keep_memory(); }
	size_t report_paths(std::span<path_report> room) const override { return inner_->report_paths(room); }
	double seconds_to_write(size_t n) const override { return inner_->seconds_to_write(n); }

	int retain_event(void *event, void **kept) override { return inner_->retain_event(event, kept); }
	int wait_event(void *kept) override { return inner_->wait_event(kept); }
	event_state look_at_event(void *kept) override { return inner_->look_at_event(kept); }
	void release_event(void *kept) override { inner_->release_event(kept); }

      private:
	std::unique_ptr<device> inner_;
};

} // namespace het::rt
