// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/ledger.h"

#include <algorithm>
#include <utility>

namespace het::rt
{

void ledger::open(std::unique_ptr<policy> p, unsigned members, bool is_repeatable)
{
	policy_ = std::move(p);
	total_ = policy_->left();
	nmembers_ = members;
	is_repeatable_ = is_repeatable;
}

// The newest are the first, and few of all.
template <class F> void ledger::for_under_way(F f) const
{
	unsigned n = under_way_;
	for (ledger_entry *e = entries_; n; e = e->next) {
		if (e->state != ledger_entry::under_way)
			continue;
		f(*e);
		n--;
	}
}

// One row may be a hundred times the work of the next, so what should have ended counts for a half.
double ledger::rows_left_of(const ledger_entry &e, double speed, uint64_t now_ns)
{
	const auto all = double(e.what.count);
	if (!e.has_begun)
		return all;
	const double done = speed * double(now_ns - std::min(now_ns, e.begun_ns)) * 1e-9;
	return std::max(all - done, 0.5 * all);
}

ledger::rest ledger::rest_beside(unsigned number, uint64_t now_ns) const
{
	rest r = {.rows = double(policy_->left() + returned_rows_)};
	uint32_t at_work = 0;
	for_under_way([&](const ledger_entry &e) {
		const double left = rows_left_of(e, policy_->speed(e.member), now_ns);
		(e.member == number ? r.own : r.rows) += left;
		if (e.member != number && e.has_begun)
			at_work |= uint32_t{1} << e.member;
	});
	for (unsigned i = 0; at_work >> i; i++)
		r.together += at_work >> i & 1 ? policy_->speed(i) : 0;
	return r;
}

// Somebody else is at work then, whose end will have this one asked again. Speeds may be wrong, as rows differ, and who
// is taken for slow would have nothing to do: so that is only where the block is a large part of the launch.
bool ledger::others_are_sooner(unsigned number, uint64_t now_ns) const
{
	const double speed = policy_->speed(number);
	if (speed <= 0 || !(policy_->left() + returned_rows_))
		return false;
	const rest r = rest_beside(number, now_ns);
	const double smallest = double(policy_->grain(number)) / speed, all = double(total_) / (r.together + speed);
	return r.together > 0 && smallest > large_part * all && r.rows / r.together < r.own / speed + smallest;
}

rows ledger::next(unsigned number, unsigned room, uint64_t now_ns)
{
	const member &p = members_[number];
	if (p.out || p.under_way >= room || others_are_sooner(number, now_ns))
		return {0, 0};
	rows r = take_returned();
	return r.count ? r : policy_->next(number);
}

// Its device had other things to do for as long as the one who asks takes for its smallest block. Where nobody is at
// work that does not matter, as no end would have anybody asked again. So it is taken at once by who has ended a block,
// and by anyone when the block itself could not begin; others wait, as it may have been given just now.
bool ledger::may_take(const ledger_entry &e, unsigned number, uint64_t now_ns, bool at_once) const
{
	const double speed = policy_->speed(number);
	if (e.has_begun || e.was_taken_back || !e.what.count || speed <= 0)
		return false;
	return (at_once && !is_anyone_at_work()) ||
	       double(now_ns - std::min(now_ns, e.given_ns)) * 1e-9 * speed >= double(policy_->grain(number));
}

bool ledger::is_anyone_at_work() const
{
	bool any = false;
	for_under_way([&any](const ledger_entry &e) { any |= e.has_begun; });
	return any;
}

bool ledger::has_nothing(unsigned number) const
{
	return !members_[number].out && !members_[number].under_way && !policy_->left() && !returned_;
}

// If the other one begins soon after all both take equally long; if not, more of it is taken later.
ledger::taking ledger::take_from(ledger_entry &e, unsigned number)
{
	const double own = policy_->speed(number), other = policy_->speed(e.member);
	const size_t grain = policy_->grain(number), all = e.what.count;
	size_t n = std::max(grain, size_t(own / (own + other) * double(all)));
	n = n >= all || all - n < policy_->grain(e.member) ? all : n;
	e.what.count -= n;
	return {&e, number, {e.what.end(), n}};
}

ledger::taking ledger::take_back(unsigned first, uint64_t now_ns)
{
	for (unsigned i = 0; i < nmembers_; i++) {
		const unsigned number = (first + i) % nmembers_;
		if (!has_nothing(number))
			continue;
		ledger_entry *from = nullptr;
		for_under_way([&](ledger_entry &e) {
			if (may_take(e, number, now_ns, !i) && (!from || e.what.count > from->what.count))
				from = &e;
		});
		if (from)
			return take_from(*from, number);
	}
	return {};
}

ledger::taking ledger::put_off(ledger_entry &e, uint64_t now_ns)
{
	e.has_begun = false;
	for (unsigned i = 0; i < nmembers_; i++)
		if (has_nothing(i) && may_take(e, i, now_ns, true))
			return take_from(e, i);
	return {};
}

void ledger::enter(ledger_entry &e, uint64_t now_ns)
{
	members_[e.member].under_way++;
	under_way_++;
	e.given_ns = now_ns;
	e.next = entries_;
	entries_ = &e;
}

bool ledger::begin(ledger_entry &e, uint64_t now_ns)
{
	e.has_begun = true;
	e.begun_ns = now_ns;
	return e.what.count;
}

void ledger::end(ledger_entry &e)
{
	members_[e.member].under_way--;
	under_way_--;
	ended_++;
}

void ledger::count(ledger_entry &e, uint64_t began_ns, uint64_t now_ns)
{
	member &p = members_[e.member];
	double seconds = double(std::max<uint64_t>(1, now_ns - std::max(began_ns, p.last_end))) * 1e-9;
	p.last_end = now_ns;
	p.rows += double(e.what.count);
	p.seconds += seconds;
	e.state = ledger_entry::counts;
	policy_->measured(e.member, e.what.count, seconds);
}

void ledger::give_back(ledger_entry &e)
{
	e.state = ledger_entry::given_back;
	returned_++;
	returned_rows_ += e.what.count;
}

rows ledger::take_returned()
{
	if (!returned_)
		return {0, 0};
	ledger_entry *e = entries_;
	while (e->state != ledger_entry::given_back)
		e = e->next;
	e->state = ledger_entry::done_again;
	returned_--;
	returned_rows_ -= e->what.count;
	return e->what;
}

bool ledger::any_counts(unsigned number) const
{
	const ledger_entry *e = entries_;
	while (e && !(e->member == number && e->state == ledger_entry::counts))
		e = e->next;
	return e != nullptr;
}

ledger::loss ledger::lose(unsigned number, bool again, bool keeps_results)
{
	bool first = !std::exchange(members_[number].out, true);
	bool others = std::any_of(members_, members_ + nmembers_, [](const member &o) { return !o.out; });
	if (!again || !others || !(keeps_results || is_repeatable_ || !any_counts(number)))
		return loss::final;
	if (first)
		policy_->leave(number);
	for (ledger_entry *e = keeps_results ? nullptr : entries_; e; e = e->next) {
		if (e->member == number && e->state == ledger_entry::counts)
			give_back(*e);
	}
	return first ? loss::first : loss::known;
}

double ledger::longest_expected(size_t n) const
{
	double longest = 0;
	for (const member &p : std::span{members_, nmembers_})
		longest = p.rows > 0 ? std::max(longest, double(n) * p.seconds / p.rows) : longest;
	return longest;
}

} // namespace het::rt
