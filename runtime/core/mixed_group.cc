// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/mixed_group.h"

#include "memory/lost.h"
#include "os/clock.h"
#include "os/inject.h"
#include "os/log.h"

#include <algorithm>
#include <new>
#include <utility>

namespace het::rt
{

namespace
{

// A launch is worth waiting for as long as a small part of what its bytes take to travel; it is looked for so often.
constexpr uint64_t bytes_a_ns_of_waiting = 1024, most_wait_ns = 1'000'000, least_wait_ns = 20'000;
constexpr unsigned looks = 8;

// Slices with fewer rows than a part of those by which the last launch lags would copy more than they compute.
constexpr uint64_t part_of_lag = 4;

uint64_t patience_of(const row_launch &l)
{
	uint64_t bytes = 0;
	for (const range_use &u : l.uses())
		bytes += u.bytes.size();
	const uint64_t ns = std::min(bytes / bytes_a_ns_of_waiting, most_wait_ns);
	return ns < least_wait_ns ? 0 : ns;
}

void sleep_for(uint64_t ns)
{
	const std::atomic<uint32_t> nobody_wakes{0};
	futex_wait(&nobody_wakes, 0, int64_t(ns));
}

} // namespace

// --- who is there --------------------------------------------------------------

// The graph's lock is held.
bool mixed_group::wants(node &n, row_launch &first)
{
	auto &e = static_cast<het_event &>(n);
	const kernel_command *const launch = e.as_launch();
	if (!launch || !launch->is_by_rows() || e.begun || e.handed_out || e.held || e.held_back ||
	    e.inherited.load() || e.level.load() != first.level.load())
		return false;
	auto &l = static_cast<row_launch &>(e);
	if (!l.may_mix() || &l.device() != &first.device())
		return false;
	l.retain();
	return true;
}

size_t mixed_group::look_behind(row_launch &first)
{
	leave_but(1);
	node *found[most - 1];
	const size_t n = core().graph.find_behind(first, found, [&](node &of) { return wants(of, first); });
	for (size_t i = 0; i < n; i++)
		launches_[n_++] = static_cast<row_launch *>(static_cast<het_event *>(found[i]));
	return n;
}

// Who sleeps until one of them has ended will queue no more meanwhile.
void mixed_group::find(row_launch &first)
{
	launches_[0] = &first;
	n_ = 1;
	size_t found = look_behind(first);
	const uint64_t patience = patience_of(first);
	for (uint64_t since = now_ns(); found + 1 < most && now_ns() - since < patience;) {
		const auto is_waited_for = [](row_launch *l) { return l->is_slept_on(); };
		if (std::any_of(launches_, launches_ + n_, is_waited_for))
			break;
		sleep_for(patience / looks);
		if (const size_t now = look_behind(first); now != found) {
			found = now;
			since = now_ns();
		}
	}
}

// Those that have been taken in wait in the graph as before.
void mixed_group::leave_but(size_t n)
{
	core().graph.locked([&] {
		for (; ntaken_ + 1 > n && ntaken_; ntaken_--) {
			row_launch &l = *launches_[ntaken_];
			l.begun = l.handed_out = l.behind = false;
			l.status.store(HET_QUEUED, std::memory_order_relaxed);
		}
	});
	while (n_ > n)
		launches_[--n_]->release();
}

// --- what they use -------------------------------------------------------------

// Those that can't be mixed, and all behind them, are left.
bool mixed_group::find_shifts()
{
	nuses_ = 0;
	for (size_t i = 0; i < n_; i++) {
		const row_launch &l = *launches_[i];
		mixed_[i] = {l.nrows(), 0, l.row_uses()};
		if (find_shift({mixed_, i}, mixed_[i])) {
			first_use_[i] = nuses_;
			nuses_ += l.row_uses().size();
			continue;
		}
		leave_but(i);
		break;
	}
	return n_ > 1;
}

bool mixed_group::shift_uses()
{
	row_uses_.reset(new (std::nothrow) row_use[nuses_]);
	if (!row_uses_)
		return false;
	nrows_ = 0;
	bool ok = true;
	for (size_t i = 0; i < n_ && ok; i++) {
		for (size_t k = 0; k < mixed_[i].uses.size() && ok; k++)
			ok = shift_use(mixed_[i], k, row_uses_[first_use_[i] + k]);
		nrows_ = std::max<size_t>(nrows_, mixed_[i].nrows + mixed_[i].shift);
	}
	return ok;
}

// What several use is opened once.
size_t mixed_group::open_use(range_use u)
{
	for (size_t i = 0; i < nopen_; i++) {
		if (open_[i].bytes == u.bytes) {
			open_[i].access |= u.access;
			return i;
		}
	}
	open_[nopen_].bytes = u.bytes;
	open_[nopen_].access = u.access;
	return nopen_++;
}

// What a lost device had alone can't come home, and a group that fails would have spoilt more than a launch has.
bool mixed_group::find_open()
{
	open_.reset(new (std::nothrow) range_use[nuses_]);
	open_of_use_.reset(new (std::nothrow) size_t[nuses_]);
	if (!open_ || !open_of_use_)
		return false;
	nopen_ = 0;
	for (size_t i = 0; i < n_; i++) {
		for (size_t k = 0; k < mixed_[i].uses.size(); k++)
			open_of_use_[first_use_[i] + k] =
				open_use({launches_[i]->uses()[k].bytes, launches_[i]->uses()[k].access});
	}
	return !has_lost();
}

bool mixed_group::has_lost() const
{
	return std::any_of(open_.get(), open_.get() + nopen_, [](const range_use &u) { return is_any_lost(u.bytes); });
}

const range_use &mixed_group::use_of_window(const slice_plan &p, unsigned window) const
{
	size_t use = 0;
	while (p.window_of(use) != window)
		use++;
	return open_[open_of_use_[use]];
}

unsigned mixed_group::window_of_open(const slice_plan &p, size_t open) const
{
	size_t use = 0;
	while (open_of_use_[use] != open)
		use++;
	return p.window_of(use);
}

bool mixed_group::plan(slice_plan &p, uint64_t nbytes)
{
	const uint64_t lag = mixed_[n_ - 1].shift / part_of_lag;
	const size_t least = std::max<size_t>(launches_[0]->busy_rows(), lag + 1);
	return p.take({row_uses_.get(), nuses_}, nrows_, true) && p.choose(nbytes, least, core().evicts) &&
	       moves_.find(p, {mixed_, n_});
}

// --- begin and end -------------------------------------------------------------

// Each waits for some before it, so what follows one that others have is left as well.
bool mixed_group::take_in()
{
	delay_point();
	core().graph.locked([&] {
		for (; ntaken_ + 1 < n_; ntaken_++) {
			row_launch &l = *launches_[ntaken_ + 1];
			if (l.begun || l.handed_out || l.held_back || l.inherited.load())
				break;
			l.begun = l.handed_out = l.behind = true;
		}
	});
	const bool all = ntaken_ + 1 == n_;
	leave_but(ntaken_ + 1);
	for (size_t i = 1; i < n_; i++) {
		launches_[i]->status.store(HET_RUNNING, std::memory_order_relaxed);
		launches_[i]->started = now_ns();
	}
	return all;
}

std::unique_ptr<mixed_group> mixed_group::gather(row_launch &first)
{
	std::unique_ptr<mixed_group> g(new (std::nothrow) mixed_group);
	if (!g)
		return nullptr;
	g->find(first);
	slice_plan p;
	while (g->find_shifts()) {
		if (!g->shift_uses() || !g->find_open())
			break;
		if (!g->plan(p, first.bytes_to_have()))
			g->leave_but(g->n_ - std::max<size_t>(1, g->n_ / 4));
		else if (g->take_in())
			return g;
	}
	return nullptr;
}

mixed_group::~mixed_group()
{
	if (n_)
		leave_but(1);
}

} // namespace het::rt
