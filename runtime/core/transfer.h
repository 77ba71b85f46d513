// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Copies and fills are done by the host, and what it touches comes home by itself; but copies of what a device has are
// done there.
#pragma once

#include "core/event.h"
#include "core/memory.h"

namespace het::rt
{

// Such a place is bytes of a memory object, or of the program's.
struct place_in_memory {
	het_memory *object;
	size_t offset;
	const void *pointer;
};

class transfer : public het_event
{
      public:
	explicit transfer(het_queue &q) : het_event(&q) {}
	// Returns the bytes, and retains the object they belong to. They are empty with *err set if there are none.
	range take_place(const place_in_memory &p, size_t n, const char *call, int *err);
	bool is_empty() const override { return false; }

      protected:
	// An object of which a queue of one device writes much is for kernels there: it gets memory on that device.
	void find_device(het_memory *written, size_t n);
	// Returns the device that writes these bytes, or null if the host does.
	het_device *device_to_write(range to) const;

	// The accesses, which the derived class sets, are these.
	access_entry entries_[2];

      private:
	reference<het_memory> objects_[2];
	het_device *meant_for_ = nullptr;
};

class copy final : public transfer
{
      public:
	using transfer::transfer;
	int take(const het_copy_args &args);
	begin_result begin(executor &) override;

      private:
	het_device *device_for_both() const;

	range to_, from_;
};

class fill final : public transfer
{
      public:
	using transfer::transfer;
	int take(const het_fill_args &args);
	begin_result begin(executor &) override;

      private:
	void repeat(char *to, size_t n) const;
	bool begin_on(het_device &d, int *err) const;

	static constexpr size_t most = 128;
	range to_;
	char pattern_[most];
	size_t pattern_size_ = 0;
};

} // namespace het::rt
