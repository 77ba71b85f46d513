// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Knows which commands use which bytes: the tree is a treap of byte ranges that knows the largest ends of each subtree.
// It makes no system call, and is intrusive: entries belong to their commands, so neither insert nor remove can fail.
#pragma once

#include "core/range.h"

#include <cstdint>

namespace het::rt
{

struct node;
class interval_tree;

// Describes a command's use of a range.
struct access_entry {
	range bytes;
	node *owner = nullptr;
	bool reads = false;
	bool writes = false;

	// These belong to the tree.
	interval_tree *inside = nullptr;
	uint32_t priority = 0;
	uintptr_t largest_end = 0, largest_written_end = 0; // those of the subtree
	access_entry *left = nullptr, *right = nullptr;

	// These belong to the graph: they make a ring of this entry and those that it covers.
	access_entry *next = nullptr, *previous = nullptr;
};

class interval_tree
{
      public:
	// The range must not be empty.
	void insert(access_entry &e);
	void remove(access_entry &e);
	bool empty() const { return !root_; }

	// Calls f(access_entry &) for each entry that overlaps @r, in rising order. f leaves the tree alone.
	template <class F> void for_overlaps(range r, F f) const { visit<false>(root_, r, f); }
	// Does the same for those that write: what many read is searched as fast as what few do.
	template <class F> void for_writers(range r, F f) const { visit<true>(root_, r, f); }
	// Returns the first entry that lies inside @r and is not @owner's, or null if there is none.
	access_entry *first_inside(range r, const node *owner) const { return first_inside(root_, r, owner); }

      private:
	template <bool writers, class F> static void visit(access_entry *e, range r, F &f)
	{
		if (!e || (writers ? e->largest_written_end : e->largest_end) <= r.begin)
			return;
		visit<writers>(e->left, r, f);
		if (e->bytes.overlaps(r) && (!writers || e->writes))
			f(*e);
		if (e->bytes.begin < r.end)
			visit<writers>(e->right, r, f);
	}
	static access_entry *first_inside(access_entry *e, range r, const node *owner);

	uint32_t next_priority();

	access_entry *root_ = nullptr;
	uint32_t random_ = 0x9e3779b9;
};

} // namespace het::rt
