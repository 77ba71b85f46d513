// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "sched/interval_tree.h"

#include <algorithm>

namespace het::rt
{

namespace
{

// Entries of the same begin are told apart by their address.
bool is_before(const access_entry &a, const access_entry &b)
{
	return a.bytes.begin != b.bytes.begin ? a.bytes.begin < b.bytes.begin : &a < &b;
}

void update(access_entry &e)
{
	e.largest_end = e.bytes.end;
	e.largest_written_end = e.writes ? e.bytes.end : 0;
	for (access_entry *child : {e.left, e.right}) {
		if (!child)
			continue;
		e.largest_end = std::max(e.largest_end, child->largest_end);
		e.largest_written_end = std::max(e.largest_written_end, child->largest_written_end);
	}
}

// Entries before @at go to *low, the others to *high.
void split(access_entry *e, const access_entry &at, access_entry **low, access_entry **high)
{
	if (!e) {
		*low = *high = nullptr;
		return;
	}
	if (is_before(*e, at)) {
		split(e->right, at, &e->right, high);
		*low = e;
	} else {
		split(e->left, at, low, &e->left);
		*high = e;
	}
	update(*e);
}

access_entry *merge(access_entry *low, access_entry *high)
{
	if (!low || !high)
		return low ? low : high;
	if (low->priority >= high->priority) {
		low->right = merge(low->right, high);
		update(*low);
		return low;
	}
	high->left = merge(low, high->left);
	update(*high);
	return high;
}

void insert_at(access_entry **root, access_entry &e)
{
	if (*root && (*root)->priority >= e.priority) {
		insert_at(is_before(e, **root) ? &(*root)->left : &(*root)->right, e);
	} else {
		split(*root, e, &e.left, &e.right);
		*root = &e;
	}
	update(**root);
}

void remove_at(access_entry **root, access_entry &e)
{
	if (*root == &e) {
		*root = merge(e.left, e.right);
		return;
	}
	remove_at(is_before(e, **root) ? &(*root)->left : &(*root)->right, e);
	update(**root);
}

} // namespace

// xorshift will do: the tree's shape need not be secret.
uint32_t interval_tree::next_priority()
{
	random_ ^= random_ << 13;
	random_ ^= random_ >> 17;
	random_ ^= random_ << 5;
	return random_;
}

void interval_tree::insert(access_entry &e)
{
	e.priority = next_priority();
	e.inside = this;
	insert_at(&root_, e);
}

void interval_tree::remove(access_entry &e)
{
	remove_at(&root_, e);
	e.left = e.right = nullptr;
	e.inside = nullptr;
}

access_entry *interval_tree::first_inside(access_entry *e, range r, const node *owner)
{
	if (!e || e->largest_end <= r.begin)
		return nullptr;
	if (access_entry *found = first_inside(e->left, r, owner))
		return found;
	if (e->owner != owner && r.covers(e->bytes))
		return e;
	return e->bytes.begin < r.end ? first_inside(e->right, r, owner) : nullptr;
}

} // namespace het::rt
