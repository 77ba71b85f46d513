// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The end of all joint writers of one launch in one array: makes one copy of what they have written (memory/joint.h).
#pragma once

#include "memory/joint.h"

#include <span>

namespace het
{

// It is one thread's. The caller is a visitor and holds the lock; it is dropped for copies.
class joint_end
{
      public:
	joint_end(array &a, array_guard &g, const void *launch, joint_notes *notes)
	    : a_(a), g_(g), launch_(launch), notes_(notes)
	{
	}
	~joint_end();
	joint_end(const joint_end &) = delete;
	joint_end &operator=(const joint_end &) = delete;

	// Returns 0, GPUVM_EDEVALLOC or GPUVM_ESALLOC. The brackets are closed in any case.
	int run();

      private:
	std::span<const usage> writers() const { return {writers_, count_}; }
	range written(const usage &u, range bytes) const;
	unsigned only_writer(uint32_t c) const;
	bool has_writer(uint32_t c) const;
	bool is_exact(uint32_t c) const;
	bool may_be_given(uint32_t c) const;
	bool is_contested(range bytes) const;

	int gather();
	int end_chunks();
	int choose_owner(uint32_t c, bool *gather);
	int leave_in_fragments(uint32_t c, bool *gather);
	int gather_chunks(layout::span s);
	bool is_at_home(uint32_t c) const;
	int collect(layout::span s);
	int collect_from(const usage &u, layout::span s);
	int read(unsigned device, std::span<const struct transfer> pieces);
	int merge(range bytes, char *host);
	int merge_window(range window, char *host);
	int collect_edge(unsigned edge, range bytes);
	void close();

	array &a_;
	array_guard &g_;
	const void *const launch_;
	joint_notes *const notes_;
	// Each stands here once, however many blocks had the same. The launch begins no more.
	usage *writers_ = nullptr;
	size_t count_ = 0, room_ = 0;
	// These are two windows of the merge: the host's bytes as they were, and a device's.
	char *staging_ = nullptr;
};

} // namespace het
