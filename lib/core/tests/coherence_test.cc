// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests the protocol of one chunk completely: each state, event, device and rule against the table of core/coherence.h,
// and each history that a chunk can have, with copies that carry contents.
#include "core/coherence.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace het
{

namespace
{

constexpr unsigned most_devices = 3;
constexpr access accesses[] = {access::none, access::read, access::write};
constexpr coherence_rules both_rules[] = {{.share = true}, {.share = false}};
constexpr const char *event_names[event_count] = {"touch_read",   "touch_write",   "fetch",  "begin_read",
						  "begin_write",  "send_ahead",    "revoke", "end_written",
						  "foresee_read", "foresee_write", "drop"};

using step_function = std::function<step(chunk_state, event, unsigned, coherence_rules)>;

constexpr bool is_foreseen(event e)
{
	return e == event::foresee_read || e == event::foresee_write;
}

constexpr bool is_touch(event e)
{
	return e == event::touch_read || e == event::touch_write;
}

std::string text(chunk_state s)
{
	std::string out = "{";
	for (unsigned p = 0; p <= most_devices; p++) {
		if (s.valid >> p & 1)
			out += p ? std::to_string(device_of(p)) : std::string("h");
	}
	return out + "}" + std::string{"-rw"[unsigned(s.host)]};
}

// Checks I1 to I3 in the words of the header.
bool obeys_invariants(chunk_state s)
{
	if (!s.valid)
		return false;
	if (s.host != access::none && !s.host_valid())
		return false;
	return s.host != access::write || s.valid == host_copy;
}

std::vector<chunk_state> consistent_states(unsigned devices)
{
	std::vector<chunk_state> states;
	for (copyset valid = 0; valid < copyset{2} << devices; valid++) {
		for (access a : accesses) {
			if (obeys_invariants({valid, a}))
				states.push_back({valid, a});
		}
	}
	return states;
}

// Calls f(state, event, device, rules) for all there are.
template <class F> void for_all_steps(unsigned devices, F f)
{
	for (coherence_rules rules : both_rules) {
		for (chunk_state s : consistent_states(devices)) {
			for (unsigned e = 0; e < event_count; e++) {
				for (unsigned d = 0; d < devices; d++)
					f(s, event(e), d, rules);
			}
		}
	}
}

// ---- the table of the header, row by row -------------------------------------------------------------

enum class when : uint8_t {
	always,
	host_valid_alone,
	host_valid_share,
	host_valid,
	host_valid_not_d,
	host_invalid_share,
	host_invalid,
	d_valid,
	d_invalid,
	not_d_alone,
};
enum class copies : uint8_t { nothing, to_host, to_d };
enum class next_valid : uint8_t { same, host, plus_host, d, plus_d, host_and_d, minus_d };
enum class next_access : uint8_t { same, none, at_most_read, read, write };

struct row {
	event e;
	when condition;
	copies copy;
	next_valid valid;
	next_access host;
};

constexpr row table[] = {
	{event::touch_read, when::host_valid_alone, copies::nothing, next_valid::same, next_access::write},
	{event::touch_read, when::host_valid_share, copies::nothing, next_valid::same, next_access::read},
	{event::touch_read, when::host_valid, copies::nothing, next_valid::host, next_access::write},
	{event::touch_read, when::host_invalid_share, copies::to_host, next_valid::plus_host, next_access::read},
	{event::touch_read, when::host_invalid, copies::to_host, next_valid::host, next_access::write},
	{event::touch_write, when::host_valid, copies::nothing, next_valid::host, next_access::write},
	{event::touch_write, when::host_invalid, copies::to_host, next_valid::host, next_access::write},
	{event::fetch, when::host_valid, copies::nothing, next_valid::same, next_access::same},
	{event::fetch, when::host_invalid, copies::to_host, next_valid::plus_host, next_access::none},
	{event::begin_read, when::d_valid, copies::nothing, next_valid::same, next_access::same},
	{event::begin_read, when::d_invalid, copies::to_d, next_valid::plus_d, next_access::at_most_read},
	{event::begin_write, when::d_valid, copies::nothing, next_valid::same, next_access::same},
	{event::begin_write, when::d_invalid, copies::to_d, next_valid::same, next_access::same},
	{event::send_ahead, when::host_valid_not_d, copies::to_d, next_valid::plus_d, next_access::at_most_read},
	{event::send_ahead, when::always, copies::nothing, next_valid::same, next_access::same},
	{event::revoke, when::always, copies::nothing, next_valid::same, next_access::none},
	{event::end_written, when::always, copies::nothing, next_valid::d, next_access::none},
	{event::foresee_read, when::always, copies::to_host, next_valid::host_and_d, next_access::read},
	{event::foresee_write, when::always, copies::to_host, next_valid::host, next_access::write},
	{event::drop, when::not_d_alone, copies::nothing, next_valid::minus_d, next_access::same},
};

bool applies(when condition, chunk_state s, unsigned d, coherence_rules rules)
{
	switch (condition) {
	case when::always:
		return true;
	case when::host_valid_alone:
		return s.valid == host_copy;
	case when::host_valid_share:
		return s.host_valid() && rules.share;
	case when::host_valid:
		return s.host_valid();
	case when::host_valid_not_d:
		return s.host_valid() && !s.device_valid(d);
	case when::host_invalid_share:
		return !s.host_valid() && rules.share;
	case when::host_invalid:
		return !s.host_valid();
	case when::d_valid:
		return s.device_valid(d);
	case when::d_invalid:
		return !s.device_valid(d);
	case when::not_d_alone:
		return s.valid != device_copy(d);
	}
	return false;
}

// Returns the first row that applies, as the header demands, or null if the event is not allowed.
const row *row_of(chunk_state s, event e, unsigned d, coherence_rules rules)
{
	for (const row &r : table) {
		if (r.e == e && applies(r.condition, s, d, rules))
			return &r;
	}
	return nullptr;
}

copyset valid_after(next_valid v, copyset old, unsigned d)
{
	switch (v) {
	case next_valid::same:
		return old;
	case next_valid::host:
		return host_copy;
	case next_valid::plus_host:
		return old | host_copy;
	case next_valid::d:
		return device_copy(d);
	case next_valid::plus_d:
		return old | device_copy(d);
	case next_valid::host_and_d:
		return host_copy | device_copy(d);
	case next_valid::minus_d:
		return old & ~device_copy(d);
	}
	return 0;
}

access access_after(next_access a, access old)
{
	switch (a) {
	case next_access::same:
		return old;
	case next_access::none:
		return access::none;
	case next_access::at_most_read:
		return std::min(old, access::read);
	case next_access::read:
		return access::read;
	case next_access::write:
		return access::write;
	}
	return old;
}

class coherence : public testing::TestWithParam<unsigned>
{
};

TEST_P(coherence, is_consistent_means_i1_to_i3)
{
	for (copyset valid = 0; valid < copyset{2} << GetParam(); valid++) {
		for (access a : accesses)
			EXPECT_EQ(is_consistent({valid, a}), obeys_invariants({valid, a})) << text({valid, a});
	}
}

TEST_P(coherence, next_states_are_consistent)
{
	for_all_steps(GetParam(), [](chunk_state s, event e, unsigned d, coherence_rules rules) {
		step st = next_step(s, e, d, rules);
		EXPECT_TRUE(obeys_invariants(st.next)) << text(s) << event_names[unsigned(e)] << text(st.next);
	});
}

TEST_P(coherence, every_step_is_its_row_of_the_table)
{
	std::set<const row *> used;
	for_all_steps(GetParam(), [&](chunk_state s, event e, unsigned d, coherence_rules rules) {
		SCOPED_TRACE(text(s) + " " + event_names[unsigned(e)] + " " + std::to_string(d) +
			     (rules.share ? ", share" : ""));
		step st = next_step(s, e, d, rules);
		const row *r = row_of(s, e, d, rules);
		ASSERT_EQ(st.allowed, r != nullptr);
		if (!r) {
			EXPECT_EQ(st.next, s);
			EXPECT_FALSE(st.copies());
			return;
		}
		used.insert(r);
		EXPECT_EQ(st.next.valid, valid_after(r->valid, s.valid, d));
		EXPECT_EQ(st.next.host, access_after(r->host, s.host));
		EXPECT_EQ(st.protect, std::min(s.host, st.next.host)) << "what is taken is taken before the copy";
		EXPECT_EQ(st.copies(), r->copy != copies::nothing);
		if (!st.copies()) {
			EXPECT_EQ(st.to, nobody);
			return;
		}
		// The step itself makes valid what the kernel has written.
		if (is_foreseen(e))
			EXPECT_EQ(st.from, 1 + d);
		else
			EXPECT_TRUE(s.valid >> st.from & 1) << "copied from a copy that is not valid";
		EXPECT_EQ(st.to, r->copy == copies::to_host ? 0 : 1 + d);
	});
	EXPECT_EQ(used.size(), std::size(table)) << "rows that no state needs";
}

TEST_P(coherence, events_of_the_host_know_no_device)
{
	for_all_steps(GetParam(), [](chunk_state s, event e, unsigned d, coherence_rules rules) {
		bool is_devices = e == event::begin_read || e == event::begin_write || e == event::end_written;
		if (is_devices || is_foreseen(e) || e == event::send_ahead || e == event::drop)
			return;
		step a = next_step(s, e, d, rules), b = next_step(s, e, 0, rules);
		EXPECT_EQ(a.next, b.next);
		EXPECT_EQ(a.from, b.from);
		EXPECT_EQ(a.protect, b.protect);
	});
}

// No copy of a chunk in fragments has all bytes: they are gathered, and whoever got them has the chunk.
TEST_P(coherence, fragments_are_gathered)
{
	constexpr chunk_state none = {0, access::none};
	for (unsigned d = 0; d < GetParam(); d++) {
		for (coherence_rules rules : both_rules) {
			constexpr chunk_state host = {host_copy, access::write};
			EXPECT_EQ(next_step(none, event::touch_read, d, rules).next, host);
			EXPECT_EQ(next_step(none, event::touch_write, d, rules).next, host);
			EXPECT_EQ(next_step(none, event::fetch, d, rules).next, (chunk_state{host_copy, access::none}));
			chunk_state device = {device_copy(d), access::none};
			EXPECT_EQ(next_step(none, event::begin_read, d, rules).next, device);
			EXPECT_EQ(next_step(none, event::end_written, d, rules).next, device);
			EXPECT_EQ(next_step(none, event::begin_write, d, rules).next, none);
			EXPECT_EQ(next_step(none, event::revoke, d, rules).next, none);
			EXPECT_FALSE(next_step(none, event::drop, d, rules).allowed);
			for (event e : {event::touch_read, event::touch_write, event::fetch})
				EXPECT_EQ(next_step(none, e, d, rules).from, each_fragments_own);
			for (event e : {event::begin_read, event::begin_write})
				EXPECT_EQ(next_step(none, e, d, rules).from, each_fragments_own);
			EXPECT_FALSE(next_step(none, event::send_ahead, d, rules).copies());
		}
	}
}

// ---- histories ---------------------------------------------------------------------------------------

// A copy holds the newest version, an older one, or what the running kernel has written so far.
enum class content : uint8_t { fresh, stale, draft };

constexpr unsigned no_writer = most_devices, no_target = most_devices;

// A world is a chunk with everything around it that matters.
struct world {
	chunk_state state;
	access mapped = access::write;    // the page tables let the host do this
	content copy[1 + most_devices]{}; // one for each participant
	unsigned writer = no_writer;      // the device whose writing kernel is between begin and end
	// The device to which the host's bytes are on their way, what they are, and whether they still count.
	unsigned target = no_target;
	content sent = content::stale;
	bool counts = false;

	uint64_t key() const
	{
		uint64_t k = state.valid;
		k = k * (most_devices + 1) + target;
		k = k * 3 + uint32_t(sent);
		k = k * 2 + counts;
		k = k * 3 + uint32_t(state.host);
		k = k * 3 + uint32_t(mapped);
		for (content c : copy)
			k = k * 3 + uint32_t(c);
		return k * (most_devices + 1) + writer;
	}
};

// What keeps a copy that is sent ahead from doing harm; mutants do without.
struct send_rules {
	bool steps_void_it = true, begins_wait = true;
};

// Walks through all worlds that can be reached, by the steps of @step, and stops at the first one that is wrong.
class explorer
{
      public:
	explorer(step_function step, unsigned devices, coherence_rules rules, send_rules sends = {})
	    : step_(std::move(step)), devices_(devices), rules_(rules), sends_(sends)
	{
	}

	// Returns how something went wrong, or "" if nothing can.
	std::string explore()
	{
		world first;
		std::fill_n(first.copy + 1, most_devices, content::stale);
		visit(first, "linked");
		for (at_ = 0; at_ < found_.size() && wrong_.empty(); at_++) {
			host_accesses();
			library_calls();
			for (unsigned d = 0; d < devices_; d++) {
				kernel_calls(d);
				sends(d);
			}
		}
		return wrong_;
	}
	size_t worlds() const { return found_.size(); }
	bool reached(chunk_state s) const
	{
		return std::any_of(found_.begin(), found_.end(), [&](const node &n) { return n.w.state == s; });
	}

      private:
	struct node {
		world w;
		size_t from;
		std::string by;
	};

	const world &now() const { return found_[at_].w; }

	void fail(const std::string &why, const std::string &by)
	{
		if (!wrong_.empty())
			return;
		wrong_ = by + ": " + why;
		for (size_t i = at_; i < found_.size(); i = found_[i].from)
			wrong_ = found_[i].by + " " + text(found_[i].w.state) + ", " + wrong_;
	}

	// Notes a world that @by leads to. Whoever changes the chunk voids what is sent of it; that the host loses
	// access is no change.
	void visit(world w, const std::string &by)
	{
		bool changed =
			!found_.empty() && (w.state.valid != now().state.valid || w.state.host > now().state.host);
		if (changed && sends_.steps_void_it)
			w.counts = false;
		visit_as_it_is(w, by);
	}

	void visit_as_it_is(const world &w, const std::string &by)
	{
		if (const char *why = what_is_wrong(w))
			fail(why, by);
		if (seen_.insert(w.key()).second)
			found_.push_back({w, found_.empty() ? ~size_t{0} : at_, by});
	}

	static bool may_be_seen(const world &w, unsigned participant)
	{
		content c = w.copy[participant];
		// A touch while a kernel writes is the program's race, so a draft may be seen then.
		return c == content::fresh || (c == content::draft && w.writer != no_writer);
	}

	static const char *what_is_wrong(const world &w)
	{
		if (!obeys_invariants(w.state))
			return "the state is inconsistent";
		if (w.mapped > w.state.host)
			return "the page allows more than the state";
		for (unsigned p = 0; p <= most_devices; p++) {
			if ((w.state.valid >> p & 1) && !may_be_seen(w, p))
				return "a valid copy is not the newest version";
		}
		if (w.mapped != access::none && !may_be_seen(w, 0))
			return "the host reads old bytes";
		return nullptr;
	}

	// Makes the host's copy the newest version.
	static void write(world &w)
	{
		for (unsigned p = 0; p <= most_devices; p++) {
			if (device_of(p) != w.writer)
				w.copy[p] = p ? content::stale : content::fresh;
		}
		w.sent = content::stale;
		// When the writer ends, its result counts all the same.
		if (w.writer != no_writer && w.copy[1 + w.writer] == content::fresh)
			w.copy[1 + w.writer] = content::stale;
	}

	// Takes a step up to the change of state. It calls f(world, step, whether the host wrote meanwhile) for all
	// that can happen, except for a copy that fails.
	template <class F> void take_step(event e, unsigned d, F f)
	{
		std::string name = event_names[unsigned(e)] + std::to_string(d);
		world w = now();
		step st = step_(w.state, e, d, rules_);
		if (!st.allowed)
			return;
		if (st.protect > w.state.host)
			return fail("protects by giving access", name);
		w.mapped = std::min(w.mapped, st.protect);
		if (st.copies()) {
			if (!(w.state.valid >> st.from & 1))
				return fail("copies from a copy that is not valid", name);
			if (w.state.valid >> st.to & 1)
				return fail("copies over a valid copy", name);
			world failed = w;
			failed.state.host = std::min(failed.state.host, st.protect);
			failed.copy[st.to] = content::stale;
			visit(failed, name + " failed");
			w.copy[st.to] = w.copy[st.from];
		}
		f(w, st, false);
		if (w.mapped == access::write) {
			write(w);
			f(w, st, true);
		}
	}

	void enter(event e, unsigned d)
	{
		take_step(e, d, [&](world w, const step &st, bool) {
			w.state = st.next;
			if (is_touch(e))
				w.mapped = std::max(w.mapped, st.next.host);
			visit(w, event_names[unsigned(e)] + std::to_string(d));
		});
	}

	void host_accesses()
	{
		for (event e : {event::touch_read, event::touch_write}) {
			access wanted = e == event::touch_write || !rules_.share ? access::write : access::read;
			if (step_(now().state, e, 0, rules_).next.host < wanted)
				fail("the toucher would come again", event_names[unsigned(e)]);
			enter(e, 0);
		}
		world w = now();
		if (w.mapped == access::write) {
			write(w);
			visit(w, "host write");
		}
		// The system may take pages from the mapping at any time.
		w = now();
		for (w.mapped = access::none; w.mapped < now().mapped; w.mapped = access(unsigned(w.mapped) + 1))
			visit(w, "reclaim");
	}

	void library_calls()
	{
		enter(event::fetch, 0);
		enter(event::revoke, 0);
	}

	// Kernels that read may run everywhere at once; one that writes keeps others from beginning, not from going on.
	void kernel_calls(unsigned d)
	{
		if (now().writer == no_writer && (now().target != d || !sends_.begins_wait)) {
			begin_read(d);
			begin_write(d);
			begin_overwrite(d);
		} else if (now().writer == d) {
			world w = now();
			w.copy[1 + d] = content::draft;
			visit(w, "kernel writes");
			end_written(d);
			foresee(event::foresee_read, d);
			foresee(event::foresee_write, d);
		}
		if (now().writer != d)
			drop(d);
	}

	void begin_read(unsigned d)
	{
		take_step(event::begin_read, d, [&](world w, const step &st, bool) {
			w.state = st.next;
			if (!w.state.device_valid(d) || w.copy[1 + d] != content::fresh)
				fail("the kernel reads old bytes", "begin_read");
			visit(w, "begin_read" + std::to_string(d));
		});
	}

	void begin_write(unsigned d)
	{
		take_step(event::begin_write, d, [&](world w, const step &st, bool host_wrote) {
			w.state = st.next;
			if (!host_wrote && w.copy[1 + d] != content::fresh)
				fail("the kernel reads old bytes", "begin_write");
			w.writer = d;
			visit(w, "begin_write" + std::to_string(d));
		});
	}

	void begin_overwrite(unsigned d)
	{
		world w = now();
		w.writer = d;
		visit(w, "begin_overwrite" + std::to_string(d));
	}

	void end_written(unsigned d)
	{
		take_step(event::end_written, d, [&](world w, const step &st, bool) {
			w.state = st.next;
			std::fill_n(w.copy, 1 + most_devices, content::stale);
			w.copy[1 + d] = content::fresh;
			w.writer = no_writer;
			visit(w, "end_written" + std::to_string(d));
		});
	}

	// The kernel has finished, and its bytes come home over those of before, which the host may see meanwhile.
	void foresee(event e, unsigned d)
	{
		std::string name = event_names[unsigned(e)] + std::to_string(d);
		world w = now();
		step st = step_(w.state, e, d, rules_);
		if (st.from != 1 + d)
			return fail("copies what the kernel has not written", name);
		if (st.protect > w.state.host)
			return fail("protects by giving access", name);
		w.mapped = std::min(w.mapped, st.protect);
		auto end = [&](content at_home, access shown, const char *how) {
			world ended = w;
			std::fill_n(ended.copy, 1 + most_devices, content::stale);
			ended.copy[1 + d] = content::fresh;
			ended.copy[0] = at_home;
			ended.writer = no_writer;
			ended.state = st.next;
			ended.mapped = shown;
			// The host may also write behind the copy of what it writes.
			if (w.mapped == access::write) {
				world written = ended;
				write(written);
				visit(written, name + " while the host wrote");
			}
			visit(ended, name + how);
		};
		end(content::fresh, w.mapped, "");
		end(content::fresh, st.next.host, ", shown");
		// Then the alias has bytes of both, and the end goes on as if nothing had been foreseen.
		end_written_after(w);
	}

	void end_written_after(world w)
	{
		unsigned d = w.writer;
		w.state.host = std::min(w.state.host, w.mapped);
		step st = step_(w.state, event::end_written, d, rules_);
		w.mapped = std::min(w.mapped, st.protect);
		w.state = st.next;
		std::fill_n(w.copy, 1 + most_devices, content::stale);
		w.copy[1 + d] = content::fresh;
		w.writer = no_writer;
		visit(w, "foreseen copy failed");
	}

	// One copy is sent ahead at a time, and starts beside no kernel that writes. It goes on whatever happens to the
	// chunk; where it has got to in the buffer is not known until it has ended.
	void sends(unsigned d)
	{
		world w = now();
		step st = step_(w.state, event::send_ahead, d, rules_);
		std::string name = "send_ahead" + std::to_string(d);
		if (w.target == no_target && w.writer == no_writer && st.copies()) {
			if (st.from != 0 || st.to != 1 + d || w.state.device_valid(d))
				return fail("sends what is not the host's, or over a valid copy", name);
			w.mapped = std::min(w.mapped, st.protect);
			w.state.host = std::min(w.state.host, st.protect);
			w.target = d;
			w.sent = w.copy[0];
			w.counts = true;
			w.copy[1 + d] = content::stale;
			// It counts from its start on, whatever that changes.
			visit_as_it_is(w, name + " started");
		} else if (w.target == d) {
			w.target = no_target;
			w.copy[1 + d] = content::stale;
			visit_as_it_is(w, name + " failed");
			w.copy[1 + d] = w.sent;
			if (w.counts)
				w.state = st.next;
			visit_as_it_is(w, name + (w.counts ? " counts" : " is void"));
		}
	}

	void drop(unsigned d)
	{
		take_step(event::drop, d, [&](world w, const step &st, bool) {
			w.state = st.next;
			w.copy[1 + d] = content::stale;
			visit(w, "drop" + std::to_string(d));
		});
	}

	step_function step_;
	unsigned devices_;
	coherence_rules rules_;
	send_rules sends_;
	std::vector<node> found_;
	std::set<uint64_t> seen_;
	size_t at_ = 0;
	std::string wrong_;
};

TEST_P(coherence, no_history_shows_old_bytes)
{
	for (coherence_rules rules : both_rules) {
		explorer x(next_step, GetParam(), rules);
		EXPECT_EQ(x.explore(), "");
		for (chunk_state s : consistent_states(GetParam()))
			EXPECT_TRUE(x.reached(s)) << text(s);
		RecordProperty(rules.share ? "worlds_share" : "worlds_alone", int(x.worlds()));
	}
}

INSTANTIATE_TEST_SUITE_P(devices, coherence, testing::Range(1u, most_devices + 1));

// ---- the same exploration finds what is wrong -----------------------------------------------------------

struct mutant {
	const char *name;
	step_function step;
};

// The protocol, with what @change does to the steps of @e. It is given the old state and the device, too.
template <class F> step_function but(event e, F change)
{
	return [=](chunk_state s, event now, unsigned d, coherence_rules rules) {
		step st = next_step(s, now, d, rules);
		if (now == e)
			change(st, s, d);
		return st;
	};
}

void does_not_protect(step &st, chunk_state s, unsigned)
{
	st.protect = s.host;
}
void does_not_copy(step &st, chunk_state, unsigned)
{
	st.from = st.to = nobody;
}
void leaves_others_valid(step &st, chunk_state s, unsigned)
{
	st.next.valid |= s.valid & ~host_copy;
}
void leaves_all_as_it_was(step &st, chunk_state s, unsigned)
{
	st.next = s;
}

step copy_from_anybody(chunk_state s, event e, unsigned d, coherence_rules rules)
{
	step st = next_step(s, e, d, rules);
	if (st.copies())
		st.from = st.to == 0 ? 1 : 0;
	return st;
}

step share_always(chunk_state s, event e, unsigned d, coherence_rules)
{
	return next_step(s, e, d, {.share = true});
}

const mutant mutants[] = {
	{"a_reading_kernel_does_not_protect", but(event::begin_read, does_not_protect)},
	{"a_reading_kernel_leaves_the_host_writing",
	 but(event::begin_read, [](step &st, chunk_state s, unsigned) { st.protect = st.next.host = s.host; })},
	{"a_reading_kernel_does_not_copy", but(event::begin_read, does_not_copy)},
	{"a_writing_kernel_does_not_copy", but(event::begin_write, does_not_copy)},
	{"a_writing_kernel_counts_at_once",
	 but(event::begin_write, [](step &st, chunk_state, unsigned d) { st.next.valid |= device_copy(d); })},
	{"the_end_does_not_protect", but(event::end_written, does_not_protect)},
	{"the_end_leaves_others_valid", but(event::end_written, leaves_others_valid)},
	{"the_end_changes_nothing", but(event::end_written, leaves_all_as_it_was)},
	{"what_is_foreseen_is_not_protected", but(event::foresee_read, does_not_protect)},
	{"what_is_foreseen_stays_writable",
	 but(event::foresee_read, [](step &st, chunk_state s, unsigned) { st.next.host = st.protect = s.host; })},
	{"what_is_foreseen_leaves_others_valid", but(event::foresee_read, leaves_others_valid)},
	{"what_is_foreseen_comes_from_elsewhere",
	 but(event::foresee_read, [](step &st, chunk_state s, unsigned) { st.from = source_of(s.valid); })},
	{"what_is_to_be_written_stays_the_devices",
	 but(event::foresee_write, [](step &st, chunk_state, unsigned d) { st.next.valid |= device_copy(d); })},
	{"what_is_to_be_written_changes_nothing", but(event::foresee_write, leaves_all_as_it_was)},
	{"a_write_leaves_devices_valid", but(event::touch_write, leaves_others_valid)},
	{"a_write_does_not_fetch", but(event::touch_write, does_not_copy)},
	{"a_read_does_not_fetch", but(event::touch_read, does_not_copy)},
	{"a_shared_read_may_write",
	 but(event::touch_read, [](step &st, chunk_state, unsigned) { st.next.host = access::write; })},
	{"a_read_shows_nothing",
	 but(event::touch_read, [](step &st, chunk_state s, unsigned) { st.next.host = s.host; })},
	{"a_fetch_does_not_copy", but(event::fetch, does_not_copy)},
	{"what_is_sent_ahead_is_not_protected", but(event::send_ahead, does_not_protect)},
	{"what_is_sent_ahead_stays_writable",
	 but(event::send_ahead, [](step &st, chunk_state s, unsigned) { st.next.host = st.protect = s.host; })},
	{"what_is_not_at_home_is_sent_ahead", but(event::send_ahead,
						  [](step &st, chunk_state s, unsigned d) {
							  if (!s.device_valid(d)) {
								  st.from = 0;
								  st.to = uint8_t(1 + d);
								  st.next.valid |= device_copy(d);
							  }
						  })},
	{"a_revoke_does_not_protect", but(event::revoke, does_not_protect)},
	{"the_last_copy_can_be_dropped", but(event::drop,
					     [](step &st, chunk_state s, unsigned d) {
						     st.next.valid = s.valid & ~device_copy(d);
						     st.allowed = true;
					     })},
	{"a_dropped_copy_stays_valid", but(event::drop, leaves_all_as_it_was)},
	{"copies_come_from_anybody", copy_from_anybody},
	{"pages_are_shared_where_they_can_not_be", share_always},
};

class coherence_mutant : public testing::TestWithParam<mutant>
{
};

TEST_P(coherence_mutant, is_caught)
{
	std::string found;
	for (coherence_rules rules : both_rules)
		found += explorer(GetParam().step, 2, rules).explore();
	EXPECT_NE(found, "");
}

TEST(coherence_mutants, void_copies_that_count_are_caught)
{
	for (coherence_rules rules : both_rules)
		EXPECT_NE(explorer(next_step, 2, rules, {.steps_void_it = false}).explore(), "");
}

TEST(coherence_mutants, begins_that_do_not_wait_for_what_is_sent_are_caught)
{
	for (coherence_rules rules : both_rules)
		EXPECT_NE(explorer(next_step, 2, rules, {.begins_wait = false}).explore(), "");
}

INSTANTIATE_TEST_SUITE_P(steps, coherence_mutant, testing::ValuesIn(mutants),
			 [](const auto &info) { return info.param.name; });

} // namespace

} // namespace het
