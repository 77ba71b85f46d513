// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The graph knows which command waits for which: by events, the order of queues, and data. It has no devices and no
// threads of its own.
//
// A node becomes ready when everything it waits for has finished; it is handed out exactly once, by add() or by the
// finish() of the last of those. Whoever names a node in a wait list keeps it alive during the call.
//
// A stream is a device that runs commands in the order in which they are submitted. A node that has one is handed out
// earlier: when all of those before it that have not finished are under way on its stream. It is *behind* them then,
// and may be submitted, but ends only after they have ended. If it can't be submitted yet it is given back once, and
// handed out as a node without a stream.
//
// The program may hear of an end later than other commands do, when its bytes have come home. So a node that has
// finished is shown, and leaves the graph, when it is at home and everything it waits for has been shown: who hears
// that one command is over may rely on all that came before it. Until then commands that are added have it before them,
// but do not wait for it. A node must live from add() until it has been shown. It is handed out for that exactly once,
// too: by its own finish() or is_home(), or by the show() of the last of those before it.
//
// An order between two commands comes from
//   events    those named in the wait list; their failure is inherited, also if they have finished
//   data      ranges that overlap, one of them written; a failed writer's failure is inherited by readers
//   queues    in-order queues, markers and barriers; failures are not inherited
#pragma once

#include "os/lock.h"
#include "sched/interval_tree.h"

#include <algorithm>
#include <atomic>
#include <span>

namespace het::rt
{

struct edge {
	edge *next;
	node *to;
	bool inherits;
	node *from = nullptr; // is null once that has left the graph
};

class sequence;

struct node {
	node() = default;
	~node();
	node(const node &) = delete;
	node &operator=(const node &) = delete;

	// The command reads and writes these; they lie in memory of the command's, and are set before add().
	std::span<access_entry> accesses;
	// It may be handed out behind others on this stream; null if it may not. This is set before add(), too.
	const void *stream = nullptr;
	// This says how urgent it is. It is set before add(), and raised under the lock by what is more urgent and
	// waits for it.
	std::atomic<int8_t> level{0};
	// Later commands of an in-order queue do not wait for it, but barriers and markers do. This is set before
	// add().
	bool aside = false;

	// The graph's lock guards all below. A node that is ready or shown is its owner's alone.
	uint32_t missing = 0;   // counts those before it that have not finished
	uint32_t elsewhere = 0; // counts those of them that are not under way on its stream
	uint32_t unshown = 0;   // counts those that have not been shown, and itself while it comes home
	// Holds the first failure of what it waited for, or why it was cancelled: also while its owner has it, who may
	// see that late.
	std::atomic<int> inherited{0};
	const void *under_way_on = nullptr; // a stream, once it is
	bool handed_out = false;
	bool behind = false;         // some before it had not finished when it was
	bool waits_for_ends = false; // it was given back
	bool has_ended = false;      // its device has done it, and it can't finish yet
	bool finished = false;
	bool failed = false;
	bool shown = false; // it has left the graph
	bool held = false;  // the program ends it: it does not become ready unless it inherits a failure
	edge *successors = nullptr;
	node *next_ready = nullptr;
	sequence *in = nullptr;
	uint64_t number = 0;                       // the node's number in the sequence, which rises
	node *earlier = nullptr, *later = nullptr; // its neighbours in the sequence

	// These edges end here, and are in the lists of those it waits for.
	static constexpr size_t few = 6;
	edge own_edges[few];
	edge *more_edges = nullptr;
	size_t more_count = 0;
	std::span<edge> edges_before() { return more_edges ? std::span(more_edges, more_count) : std::span(own_edges); }
	node *next_raised = nullptr; // links those whose predecessors are to be raised
};

enum class ordering : uint8_t {
	free,     // comes after the sequence's barrier
	in_order, // comes after all that was added before, but for what stands aside
	marker,   // does the same, and nothing waits for it
	barrier,  // does the same, and everything added later waits for it
	fence,    // comes after the sequence's barrier; everything added later waits for it
};

// A sequence is the commands of a queue that have not been shown. The graph's lock guards it.
class sequence
{
	friend class command_graph;

      public:
	// So many have left it, and who has them to show has not said so yet; he counts them down.
	std::atomic<uint32_t> leaving{0};

      private:
	node *first_ = nullptr, *last_ = nullptr;
	node *barrier_ = nullptr;
	uint64_t count_ = 0;
};

// It comes before commands that were there earlier.
class overtaking
{
      public:
	// It waits for this one that uses its bytes; else that must not begin before it has finished. It is called
	// under the graph's lock, perhaps several times for one.
	virtual bool waits_for(node &user) = 0;
	// There was no room for what it was asked then, so it is not to be added; and makes some, with no lock held.
	// That is false if there is no memory.
	virtual bool lacks_room() const = 0;
	virtual bool make_room() = 0;

      protected:
	~overtaking() = default;
};

class command_graph
{
      public:
	// @code is what nodes inherit from those that failed.
	explicit command_graph(int code) : inherited_code_(code)
	{
		uncovered_.next = uncovered_.previous = &uncovered_;
	}

	struct place {
		sequence *in = nullptr;
		ordering how = ordering::free;
		std::span<node *const> waits = {};
		// The new node lets go of this one, which then waits for it, whether it fails or not. Nothing happens
		// if this one is not held.
		node *lets_go_of = nullptr;
	};
	// A follower is a node right behind another: it waits for that alone, which must have the same accesses or
	// more, and is held.
	struct follower {
		node *n = nullptr;
		sequence *in = nullptr;
	};

	enum class added : uint8_t { ready, waiting, no_memory };
	// After ready the caller has to see to it. After no_memory nothing has changed.
	added add(node &n, const place &p, const follower &then);
	added add(node &n, const place &p) { return add(n, p, {}); }

	// Adds a node that reads, and comes before users of its bytes as @o says. It is in no sequence.
	added add_before(node &n, const follower &then, overtaking &o);
	// Runs f(users) under the lock; users(range, look_at) calls look_at(node &) for each command that uses bytes of
	// the range and has not been shown, perhaps several times.
	template <class F> auto with_users(F f)
	{
		hold h(lock_);
		return f([this](range r, auto look_at) { this->for_users(r, look_at); });
	}

	// A node that has been handed out is under way on the stream: on its device all that is submitted there later
	// comes after it. Returns those that have become ready, linked by next_ready.
	node *set_under_way(node &n, const void *stream);
	// A node that was handed out behind others has not been submitted. If it is true the node is ready all the
	// same, as those have finished, and still the caller's; if not, it will be handed out again.
	bool give_back(node &n);
	// Some of those that a node was handed out behind have not finished still.
	bool is_behind(const node &n);
	// The device has done a node that was behind others. If it is false some of those have not finished, and the
	// node comes back as one that has become ready, with has_ended, for its finish() then.
	bool may_finish(node &n);

	// The node has finished. With @comes_home, is_home() is to be called. Lists are linked by next_ready. A node
	// that is not shown, and does not come home, may be gone when this returns.
	struct ending {
		node *ready = nullptr;   // these have become ready
		bool shown = false;      // the node has left the graph
		node *to_show = nullptr; // show() is to be called for these
	};
	ending finish(node &n, int status, bool comes_home = false);
	// If it is true, show() is to be called for the node, a list of one. If not, it may be gone.
	bool is_home(node &n);
	// The node leaves the graph. Returns those for which show() is to be called next.
	node *show(node &n);

	// What @n waits for, and what that waits for, becomes as urgent as @n is. Calls raised(node &), under the lock,
	// for each that has not finished and was less urgent. The caller keeps @n alive.
	template <class F> void raise_predecessors(node &n, F raised)
	{
		hold h(lock_);
		n.next_raised = nullptr;
		raise_before(&n, n.level.load(std::memory_order_relaxed), raised);
	}

	// The node, and what it waits for, becomes so urgent. @raised is as above. The caller keeps @n alive.
	template <class F> void raise_node(node &n, int8_t level, F raised)
	{
		hold h(lock_);
		node *first = nullptr;
		raise(n, level, raised, &first);
		raise_before(first, level, raised);
	}

	// Those that use bytes of @r and are wanted(node &), and what they wait for, become so urgent. @raised is as
	// above.
	template <class W, class F> void raise_users(range r, int8_t level, W wanted, F raised)
	{
		hold h(lock_);
		node *first = nullptr;
		for_users(r, [&](node &n) {
			if (wanted(n))
				raise(n, level, raised, &first);
		});
		raise_before(first, level, raised);
	}

	// Writes down which bytes of @r commands that have not finished will write, and which they only read, but for
	// @n, one range for each use. Tells how many there are; it writes no more than fit.
	struct uses {
		size_t written = 0, read = 0;
	};
	uses find_uses(range r, const node &n, std::span<range> written, std::span<range> read);

	// Finds nodes that wait for nothing but @first, which has not finished, or others that are found, in an order
	// in which they may run; as far as wanted(node &), which is called under the lock, says. Returns how many they
	// are.
	template <class F> size_t find_behind(const node &first, std::span<node *> found, F wanted)
	{
		hold h(lock_);
		size_t n = 0;
		const auto is_one = [&](const node *of) {
			return of == &first ||
			       std::find(found.begin(), found.begin() + long(n), of) != found.begin() + long(n);
		};
		const auto waits_for_others = [&](node &of) {
			const std::span<edge> before = of.edges_before();
			return std::any_of(before.begin(), before.end(), [&](const edge &e) {
				return e.from && !e.from->finished && !is_one(e.from);
			});
		};
		for (size_t i = 0; i <= n; i++) {
			for (edge *e = i ? found[i - 1]->successors : first.successors; e && n < found.size();
			     e = e->next)
				if (!is_one(e->to) && !waits_for_others(*e->to) && wanted(*e->to))
					found[n++] = e->to;
		}
		return n;
	}

	// Calls is_over(node &), under the lock, for each command that uses bytes of @r and has not been shown, perhaps
	// several times. If it says yes, the command will not use them any longer: later ones neither wait for it there
	// nor inherit its failure.
	template <class F> void forget_users(range r, F is_over)
	{
		hold h(lock_);
		access_entry *over;
		auto look_at = [&](access_entry &e) {
			over = !over && e.bytes.overlaps(r) && is_over(*e.owner) ? &e : over;
		};
		auto look_at_others = [&](access_entry &in_ring) {
			for (access_entry *e = in_ring.next; e != &in_ring; e = e->next)
				look_at(*e);
		};
		do {
			over = nullptr;
			tree_.for_overlaps(r, [&](access_entry &e) {
				look_at(e);
				look_at_others(e);
			});
			look_at_others(uncovered_);
			if (over)
				drop(*over);
		} while (over);
	}
	// Returns how many commands the sequence has had.
	uint64_t count_of(sequence &s)
	{
		hold h(lock_);
		return s.count_;
	}
	// Returns the first node of the sequence for which wanted(node &) is true, which is called under the
	// lock.
	template <class F> node *find(sequence &s, F wanted)
	{
		hold h(lock_);
		node *n = s.first_;
		while (n && !wanted(*n))
			n = n->later;
		return n;
	}
	// Returns the last of the sequence if its number is at most @last, else the first one under the same condition,
	// or null if there is none. It is retained through keep(node &) under the lock.
	template <class F> node *last_or_first_of(sequence &s, uint64_t last, F keep)
	{
		hold h(lock_);
		for (node *n : {s.last_, s.first_}) {
			if (!n || n->number > last)
				continue;
			keep(*n);
			return n;
		}
		return nullptr;
	}
	// Runs f() under the lock.
	template <class F> auto locked(F f)
	{
		hold h(lock_);
		return f();
	}

      private:
	// The rest has the lock.
	template <class F> static void raise(node &n, int8_t level, F &raised, node **list)
	{
		if (n.finished || n.level.load(std::memory_order_relaxed) >= level)
			return;
		n.level.store(level, std::memory_order_relaxed);
		raised(n);
		n.next_raised = *list;
		*list = &n;
	}
	template <class F> static void raise_before(node *first, int8_t level, F &raised)
	{
		while (first) {
			node &to = *first;
			first = to.next_raised;
			for (edge &e : to.edges_before())
				if (e.from)
					raise(*e.from, level, raised, &first);
		}
	}
	// Calls f(node &) for each command that uses bytes of @r and has not been shown, perhaps several times.
	template <class F> void for_users(range r, F f)
	{
		auto look_at_ring = [&](access_entry &in_ring) {
			for (access_entry *e = in_ring.next; e != &in_ring; e = e->next)
				if (e->bytes.overlaps(r))
					f(*e->owner);
		};
		tree_.for_overlaps(r, [&](access_entry &e) {
			f(*e.owner);
			look_at_ring(e);
		});
		look_at_ring(uncovered_);
	}

	using hold = runtime_guard<lock_rank::graph>;

	template <class F> void for_predecessors(node &n, const place &p, F f);
	static bool make_edges(node &n, size_t count, edge **first);
	void follow(node &n, const follower &then);
	void drop(access_entry &e);
	void take_over_data(node &n);
	static void append(sequence &s, node &n);
	void connect(node &before, node &n, edge &e, bool inherits) const;
	static bool may_follow(const node &before, const node &n);
	static bool becomes_ready(node &n);
	node *leave(node &n);

	futex_lock lock_;
	// The tree has uses by commands that have not been shown: those that later commands have to look at. Each is in
	// a ring with those that it covers, which later commands need not know: a chain of commands on one array may be
	// long, and the tree is not.
	interval_tree tree_;
	// The ring has those whose coverer was forgotten.
	access_entry uncovered_;
	const int inherited_code_;
};

} // namespace het::rt
