// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Copies and fills are done by the host: what it touches comes home by itself, but for large copies between a device's
// bytes and others that no device has.
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
	// The accesses, which the derived class sets, are these.
	access_entry entries_[2];

      private:
	reference<het_memory> objects_[2];
};

class copy final : public transfer
{
      public:
	using transfer::transfer;
	int take(const het_copy_args &args);
	begin_result begin(executor &) override;

      private:
	range to_, from_;
};

class fill final : public transfer
{
      public:
	using transfer::transfer;
	int take(const het_fill_args &args);
	begin_result begin(executor &) override;

      private:
	static constexpr size_t most = 128;
	range to_;
	char pattern_[most];
	size_t pattern_size_ = 0;
};

} // namespace het::rt
