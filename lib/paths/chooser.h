// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What is known of all paths of one GPU in one direction, or from another GPU, by size of copy, and which of them
// copies of that size take now. Paths that carry nothing are asked with real pieces, which are at most a hundredth of
// the bytes that went elsewhere, and are not waited for longer than a twentieth of the time. This is pure; the caller
// serialises.
#pragma once

#include "paths/policy.h"

#include <cstdint>

namespace het::paths
{

// Smaller copies do not gain from several paths.
inline constexpr size_t least_split = 8 << 20;

// What a copy takes.
struct plan {
	path_set carriers = 0;  // share the bytes
	path_set asked = 0;     // one at most, which carries one piece
	path_set spare = 0;     // are asked if the copy takes much longer than expected
	size_t question = 0;    // bytes of such a piece
	path_set by_kernel = 0; // carry by a kernel
};

class chooser
{
      public:
	static constexpr unsigned classes = 4;

	void open(const journey &j, const policy &p);
	void open(unsigned gpu, direction d, const policy &p) { open({gpu, d}, p); }
	// The direct path is there from the start, and stays.
	// Of one that comes nothing is known.
	void add(unsigned path);
	void drop(unsigned path);
	// A kernel can carry on the path as well, by the same links.
	void add_kernel(unsigned path) { kernels_ |= only(path); }
	// A copy could not take the path. After some such failures it is dropped, which this returns.
	bool failed(unsigned path);

	plan choose(size_t bytes, const traffic &t);
	// Returns what is known of a path for copies of so many bytes; of another size if of this one nothing is.
	const estimate &known(unsigned path, size_t bytes) const;
	// A copy of @bytes, of which the path carried @carried, by a kernel or not, has left this behind.
	void learn(unsigned path, size_t bytes, size_t carried, const estimate &e, bool by_kernel = false);
	// It has carried so much, of which nothing is to be learnt.
	void count(unsigned path, size_t carried) { carried_[path] += carried; }
	// Of what it has carried so much went by a kernel.
	void count_kernel_s(unsigned path, size_t carried) { carried_by_kernels_[path] += carried; }
	// A copy of @ns has waited so long for the path alone. If that was most of it, the path is left in peace for
	// some time, which doubles each time that this happens again.
	void held_up(unsigned path, uint64_t waited_ns, uint64_t ns);
	// The longest that a piece took on the path without a kernel, beyond what was expected of it. Copy engines
	// serve what comes in order, so a copy waits for all of what others send, and can take nothing back. Kernels do
	// not: if that was long, they carry for some time.
	void stalled(unsigned path, uint64_t ns);
	// A kernel has not begun for long, and will be left out for some time.
	void kernel_waited(unsigned path);
	// A copy is over after @ns: paths that carried nothing of it may be asked the sooner.
	void passed(size_t bytes, uint64_t ns, path_set carried);

	// Returns in how many ns a copy that begins now should be over, by the paths that it would take, or 0 if
	// nothing is known of these.
	double expected_ns(size_t bytes, const traffic &t) const;
	// Returns how many bytes the path has carried so far.
	uint64_t carried(unsigned path) const { return carried_[path]; }
	uint64_t carried_by_kernels(unsigned path) const { return carried_by_kernels_[path]; }

	path_set present() const { return present_; }
	path_set taken(size_t bytes) const { return current_[class_of(bytes)]; }
	uint64_t switches() const { return switches_; }

	static unsigned class_of(size_t bytes);

      private:
	bool by_kernel(unsigned path) const
	{
		return stalled_ns_[path] > 0 && (kernels_ & only(path)) && !(kernel_rests_ns_[path] > 0);
	}
	bool is_calm(unsigned path, size_t bytes) const;
	bool is_worth_a_look(unsigned path, size_t bytes) const;
	unsigned list_candidates(size_t bytes, const traffic &t, candidate (&to)[most_paths]) const;

	journey journey_ = {0, direction::to_device};
	const policy *policy_ = nullptr;
	path_set present_ = 0, kernels_ = 0;
	uint64_t carried_[most_paths] = {}, carried_by_kernels_[most_paths] = {};
	estimate known_[most_paths][classes], known_of_kernels_[most_paths][classes];
	path_set current_[classes] = {};
	bool is_vain(unsigned size_class);
	void judge(size_t bytes, uint64_t ns);
	bool may_ask(const candidate &c, size_t bytes, const question &q) const;
	path_set whom_to_ask(const question &q, size_t bytes);

	size_t credit_ = 0;                   // bytes that may be asked with
	double waited_ns_[most_paths] = {};   // since the path carried something
	double in_peace_ns_[most_paths] = {}; // before it is asked again, since then
	double stalled_ns_[most_paths] = {};  // for which kernels carry, if they do not rest
	double kernel_rests_ns_[most_paths] = {};
	double calm_ns_[most_paths] = {}; // for which kernels have found the link free
	uint8_t failures_[most_paths] = {};
	double alone_[classes] = {}; // bytes a ns of whole copies that the direct path made
	uint8_t vain_[classes] = {}; // copies that shall not be shared since sharing did not pay
	uint8_t rest_[classes] = {}; // so many of those are left
	uint64_t switches_ = 0;
};

} // namespace het::paths
