// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "sched/graph.h"

#include "os/pool.h"

namespace het::rt
{

namespace
{

// Makes one ring of two.
void join(access_entry &a, access_entry &b)
{
	access_entry *after_a = a.next, *after_b = b.next;
	a.next = after_b;
	after_b->previous = &a;
	b.next = after_a;
	after_a->previous = &b;
}

void leave_ring(access_entry &e)
{
	e.next->previous = e.previous;
	e.previous->next = e.next;
	e.next = e.previous = &e;
}

} // namespace

node::~node()
{
	if (more_edges)
		pool().release(more_edges, more_count * sizeof(edge));
}

// Calls f(node &, inherits) for each node in the graph that must come before @n, perhaps several times.
template <class F> void command_graph::for_predecessors(node &n, const place &p, F f)
{
	for (node *w : p.waits) {
		if (!w->shown)
			f(*w, true);
	}
	for (const access_entry &mine : n.accesses) {
		auto conflict = [&](access_entry &other) { f(*other.owner, mine.reads && other.writes); };
		if (mine.writes)
			tree_.for_overlaps(mine.bytes, conflict);
		else
			tree_.for_writers(mine.bytes, conflict);
	}
	if (!p.in)
		return;
	if (p.how == ordering::free || p.how == ordering::fence) {
		if (p.in->barrier_)
			f(*p.in->barrier_, false);
	} else if (p.how == ordering::in_order) {
		node *last = p.in->last_;
		while (last && last->aside)
			last = last->earlier;
		if (last)
			f(*last, false);
	} else {
		for (node *before = p.in->first_; before; before = before->later)
			f(*before, false);
	}
}

// Takes out an entry. Those that it covers are still to be found by forget_users().
void command_graph::drop(access_entry &e)
{
	access_entry *other = e.next;
	leave_ring(e);
	if (!e.inside)
		return;
	tree_.remove(e);
	if (other != &e)
		join(uncovered_, *other);
}

// Commands added later wait for @n instead of what it covers, and @n waits for that.
void command_graph::take_over_data(node &n)
{
	for (access_entry &mine : n.accesses) {
		mine.owner = &n;
		mine.next = mine.previous = &mine;
		while (access_entry *covered = mine.writes ? tree_.first_inside(mine.bytes, &n) : nullptr) {
			tree_.remove(*covered);
			join(mine, *covered);
		}
	}
	for (access_entry &mine : n.accesses) {
		if (!mine.bytes.empty())
			tree_.insert(mine);
	}
}

void command_graph::append(sequence &s, node &n)
{
	n.in = &s;
	n.number = ++s.count_;
	n.earlier = s.last_;
	(n.earlier ? n.earlier->later : s.first_) = &n;
	s.last_ = &n;
}

// @n would not have to wait for the end of @before.
bool command_graph::may_follow(const node &before, const node &n)
{
	return n.stream && before.under_way_on == n.stream;
}

// Hands out a node that waits for nothing any longer.
bool command_graph::becomes_ready(node &n)
{
	if (n.has_ended)
		return !n.missing;
	bool may_go_behind = n.stream && !n.waits_for_ends && !n.inherited;
	if (n.handed_out || (may_go_behind ? n.elsewhere : n.missing) || (n.held && !n.inherited))
		return false;
	n.held = false;
	n.handed_out = true;
	n.behind = n.missing;
	return true;
}

// @e is one of the edges of @n.
void command_graph::connect(node &before, node &n, edge &e, bool inherits) const
{
	e = {before.successors, &n, inherits, &before};
	before.successors = &e;
	n.unshown++;
	if (!before.finished) {
		n.missing++;
		n.elsewhere += !may_follow(before, n);
	} else if (before.failed && inherits) {
		n.inherited = inherited_code_;
	}
}

bool command_graph::make_edges(node &n, size_t count, edge **first)
{
	if (count > node::few) {
		n.more_edges = pool_array<edge>(count);
		if (!n.more_edges)
			return false;
		n.more_count = count;
	}
	*first = n.more_edges ? n.more_edges : n.own_edges;
	return true;
}

void command_graph::follow(node &n, const follower &then)
{
	if (!then.n)
		return;
	connect(n, *then.n, then.n->own_edges[0], true);
	then.n->held = true;
	take_over_data(*then.n);
	append(*then.in, *then.n);
}

command_graph::added command_graph::add(node &n, const place &p, const follower &then)
{
	hold h(lock_);
	size_t count = 0;
	edge *next = nullptr;
	for_predecessors(n, p, [&](node &, bool) { count++; });
	if (!make_edges(n, count, &next))
		return added::no_memory;
	for_predecessors(n, p, [&](node &before, bool inherits) { connect(before, n, *next++, inherits); });
	for (node *w : p.waits)
		n.inherited = w->failed ? inherited_code_ : n.inherited.load();
	take_over_data(n);
	if (p.in) {
		append(*p.in, n);
		if (p.how == ordering::barrier || p.how == ordering::fence)
			p.in->barrier_ = &n;
	}
	follow(n, then);
	if (p.lets_go_of && p.lets_go_of->held) {
		p.lets_go_of->held = false;
		connect(n, *p.lets_go_of, p.lets_go_of->own_edges[1], false);
	}
	return becomes_ready(n) ? added::ready : added::waiting;
}

// What another use covers may have begun although that has not: so all are looked at.
command_graph::added command_graph::add_before(node &n, const follower &then, overtaking &o)
{
	hold h(lock_);
	size_t count = 0;
	edge *next = nullptr;
	for (const access_entry &mine : n.accesses)
		for_users(mine.bytes, [&](node &user) { count += o.waits_for(user); });
	if (o.lacks_room() || !make_edges(n, count, &next))
		return added::no_memory;
	for (const access_entry &mine : n.accesses) {
		for_users(mine.bytes, [&](node &user) {
			if (o.waits_for(user))
				connect(user, n, *next++, true);
		});
	}
	take_over_data(n);
	follow(n, then);
	return becomes_ready(n) ? added::ready : added::waiting;
}

node *command_graph::set_under_way(node &n, const void *stream)
{
	hold h(lock_);
	n.under_way_on = stream;
	node *ready = nullptr, **end = &ready;
	for (edge *e = n.successors; e; e = e->next) {
		node &to = *e->to;
		if (to.stream != stream || --to.elsewhere || !becomes_ready(to))
			continue;
		*end = &to;
		end = &to.next_ready;
	}
	*end = nullptr;
	return ready;
}

bool command_graph::give_back(node &n)
{
	hold h(lock_);
	n.waits_for_ends = true;
	n.handed_out = false;
	return becomes_ready(n);
}

bool command_graph::is_behind(const node &n)
{
	if (!n.behind)
		return false;
	hold h(lock_);
	return n.missing;
}

bool command_graph::may_finish(node &n)
{
	hold h(lock_);
	n.has_ended = n.missing;
	return !n.missing;
}

command_graph::ending command_graph::finish(node &n, int status, bool comes_home)
{
	hold h(lock_);
	n.finished = true;
	n.failed = status < 0;
	n.unshown += comes_home;
	ending r;
	node **end = &r.ready;
	for (edge *e = n.successors; e; e = e->next) {
		node &to = *e->to;
		if (status < 0 && e->inherits && !to.inherited)
			to.inherited = inherited_code_;
		to.missing--;
		to.elsewhere -= !may_follow(n, to);
		if (!becomes_ready(to))
			continue;
		*end = &to;
		end = &to.next_ready;
	}
	*end = nullptr;
	r.shown = !n.unshown;
	r.to_show = r.shown ? leave(n) : nullptr;
	return r;
}

bool command_graph::is_home(node &n)
{
	hold h(lock_);
	n.next_ready = nullptr;
	return !--n.unshown;
}

node *command_graph::show(node &n)
{
	hold h(lock_);
	return leave(n);
}

// Those behind it that have finished, and waited for it alone, are returned.
node *command_graph::leave(node &n)
{
	n.shown = true;
	for (access_entry &mine : n.accesses)
		drop(mine);
	if (n.in) {
		(n.earlier ? n.earlier->later : n.in->first_) = n.later;
		(n.later ? n.later->earlier : n.in->last_) = n.earlier;
		if (n.in->barrier_ == &n)
			n.in->barrier_ = nullptr;
		n.in->leaving.fetch_add(1);
	}
	node *to_show = nullptr, **end = &to_show;
	for (edge *e = n.successors; e; e = e->next) {
		node &to = *e->to;
		e->from = nullptr;
		if (--to.unshown || !to.finished)
			continue;
		*end = &to;
		end = &to.next_ready;
	}
	*end = nullptr;
	n.successors = nullptr;
	return to_show;
}

command_graph::uses command_graph::find_uses(range r, const node &n, std::span<range> written, std::span<range> read)
{
	hold h(lock_);
	uses count;
	tree_.for_overlaps(r, [&](access_entry &e) {
		if (e.owner == &n || e.owner->finished)
			return;
		std::span<range> found = e.writes ? written : read;
		size_t &number = e.writes ? count.written : count.read;
		if (number < found.size())
			found[number] = intersect(e.bytes, r);
		number++;
	});
	return count;
}

} // namespace het::rt
