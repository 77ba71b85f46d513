// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A block is a part of a split launch, for one device.
#pragma once

#include "core/pooled_array.h"
#include "core/split_plan.h"
#include "policy/ledger.h"

#include <new>

namespace het::rt
{

class block final : public het_event
{
      public:
	block(split_plan &launch, unsigned number, rows r);

	// Whoever ends a block makes the next ones, and a touch may wait for him that has malloc's locks.
	static void *operator new(size_t n, const std::nothrow_t &) noexcept { return pool().allocate(n); }
	static void operator delete(void *p, size_t n) { pool().release(p, n); }

	// Allocates memory for its arguments. It is false if there is none.
	bool allocate();

	begin_result begin(executor &) override;
	int end(int device_error) override;
	void after(int status) override { of->block_is_over(*this, status, again_); }
	bool is_empty() const override { return false; }

	// Brings together what is open still, of this block and those that follow in the list. @notes is null, or of
	// uses without a pattern.
	int end_joint(twins *notes);
	// What it has written does not count. It is a block of a launch with twins.
	void abandon();

	const reference<split_plan> of;
	// The launch's lock guards it.
	ledger_entry entry;
	block *next = nullptr;       // is in the launch's list
	block *next_start = nullptr; // is in the list of blocks to be started
	block *next_emptied = nullptr;
	// begun_at is when its own work began, twins_ns how long it took before to make twins.
	uint64_t begun_at = 0, twins_ns = 0;
	// This is when it counted. The launch's lock guards it.
	uint64_t ended_at = 0;
	// Its data is there, and the device has its kernel.
	std::atomic<bool> submitted{false};
	// It was named as one that waits for others. The launch's lock guards it.
	bool is_late = false;
	// It could not begin, as the device's memory is others' and the launch is at work elsewhere.
	bool is_short_of_memory = false;

      private:
	het_device &device() const { return of->device(entry.member); }
	std::span<range_use> uses() { return {uses_.get(), nuses_}; }
	outcome begin_uses(int *err);
	begin_result begin_on_device();
	int make_twins();
	void take_uses();
	void add_use(const range_use &u);
	void take_use(size_t i);
	range piece(const range_use &u, const het_pattern &p, uint64_t number) const;
	void place_arguments();

	pooled_array<range_use> uses_;
	pooled_array<size_t> first_use_; // has one entry for each argument that is memory
	pooled_array<device_arg> args_;
	size_t nuses_ = 0;
	bool again_ = false; // it has failed, and others may do it: what it began with is somewhere else, too
};

} // namespace het::rt
