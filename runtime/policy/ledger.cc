// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/ledger.h"

#include <algorithm>
#include <utility>

namespace het::rt
{

void ledger::open(std::unique_ptr<policy> p, unsigned members, bool is_repeatable)
{
	policy_ = std::move(p);
	nmembers_ = members;
	is_repeatable_ = is_repeatable;
}

rows ledger::next(unsigned number, unsigned room)
{
	const member &p = members_[number];
	if (p.out || p.under_way >= room)
		return {0, 0};
	rows r = take_returned();
	return r.count ? r : policy_->next(number);
}

void ledger::enter(ledger_entry &e)
{
	members_[e.member].under_way++;
	under_way_++;
	e.next = entries_;
	entries_ = &e;
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
