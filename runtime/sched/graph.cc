// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "sched/graph.h"

#include "os/pool.h"

namespace het::rt
{

node::~node()
{
	if (more_edges)
		pool().release(more_edges, more_count * sizeof(edge));
}

// Calls f(node &, inherits) for each unfinished node that must come before @n, perhaps several times.
template <class F> void command_graph::for_predecessors(node &n, const place &p, F f)
{
	auto unfinished = [&](node &before, bool inherits) {
		if (!before.finished)
			f(before, inherits);
	};
	for (node *w : p.waits)
		unfinished(*w, true);
	for (const access_entry &mine : n.accesses) {
		tree_.for_overlaps(mine.bytes, [&](access_entry &other) {
			if (mine.writes || other.writes)
				f(*other.owner, mine.reads && other.writes);
		});
	}
	if (!p.in)
		return;
	if (p.how == ordering::free || p.how == ordering::fence) {
		if (p.in->barrier_)
			f(*p.in->barrier_, false);
	} else if (p.how == ordering::in_order) {
		if (p.in->last_)
			f(*p.in->last_, false);
	} else {
		for (node *before = p.in->first_; before; before = before->later)
			f(*before, false);
	}
}

void command_graph::cover(access_entry &e)
{
	tree_.remove(e);
	covered_.insert(e);
}

// Commands added later wait for @n instead of what it covers, and @n waits for that.
void command_graph::take_over_data(node &n)
{
	for (const access_entry &mine : n.accesses) {
		while (access_entry *covered = mine.writes ? tree_.first_inside(mine.bytes, &n) : nullptr)
			cover(*covered);
	}
	for (access_entry &mine : n.accesses) {
		mine.owner = &n;
		if (!mine.bytes.empty())
			tree_.insert(mine);
	}
}

command_graph::added command_graph::add(node &n, const place &p)
{
	hold h(lock_);
	size_t count = 0;
	for_predecessors(n, p, [&](node &, bool) { count++; });
	if (count > node::few) {
		n.more_edges = pool_array<edge>(count);
		if (!n.more_edges)
			return added::no_memory;
		n.more_count = count;
	}
	edge *next = n.more_edges ? n.more_edges : n.own_edges;
	for_predecessors(n, p, [&](node &before, bool inherits) {
		*next = {before.successors, &n, inherits};
		before.successors = next++;
	});
	n.missing = uint32_t(count);
	take_over_data(n);
	if (p.in) {
		n.in = p.in;
		n.number = ++p.in->count_;
		n.earlier = p.in->last_;
		(n.earlier ? n.earlier->later : p.in->first_) = &n;
		p.in->last_ = &n;
		if (p.how == ordering::barrier || p.how == ordering::fence)
			p.in->barrier_ = &n;
	}
	return count ? added::waiting : added::ready;
}

node *command_graph::finish(node &n, int status)
{
	hold h(lock_);
	n.finished = true;
	for (access_entry &mine : n.accesses) {
		if (mine.inside)
			mine.inside->remove(mine);
	}
	if (n.in) {
		(n.earlier ? n.earlier->later : n.in->first_) = n.later;
		(n.later ? n.later->earlier : n.in->last_) = n.earlier;
		if (n.in->barrier_ == &n)
			n.in->barrier_ = nullptr;
	}
	node *ready = nullptr, **end = &ready;
	for (edge *e = n.successors; e; e = e->next) {
		node &to = *e->to;
		if (status < 0 && e->inherits && !to.inherited)
			to.inherited = inherited_code_;
		if (--to.missing)
			continue;
		*end = &to;
		end = &to.next_ready;
	}
	n.successors = nullptr;
	return ready;
}

} // namespace het::rt
