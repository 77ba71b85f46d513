// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "hold.h"

#include <algorithm>
#include <cstdio>
#include <het.h>
#include <list>
#include <mutex>

namespace hetmpi
{

namespace
{

// Pieces that lie closer are mapped as one range, and all together are no more ranges than this, of which other
// messages' bytes are cut out.
constexpr size_t near = 64 << 10, most_ranges = 64;

struct entry {
	bytes at;
	use u;
};

struct table {
	std::mutex lock;
	std::list<entry> entries;
};

// The process may use MPI until its last destructors run.
table &held_now()
{
	static table *t = new table;
	return *t;
}

// Types with gaps may lie in each other's: the mapping of one would wait for that of the other, that is for MPI. So
// what lies among the bytes of other messages is not mapped a second time.
pieces apart_from_others(bytes b, use u)
{
	table &t = held_now();
	std::lock_guard guard(t.lock);
	pieces left = {b};
	for (const entry &e : t.entries) {
		if ((u == use::read && e.u == use::read) || !b.share(e.at))
			continue;
		pieces now;
		for (const bytes &p : left) {
			const bytes before = {p.begin, std::min(p.end, e.at.begin)};
			const bytes behind = {std::max(p.begin, e.at.end), p.end};
			for (const bytes &part : {before, behind}) {
				if (!part.is_empty())
					now.push_back(part);
			}
		}
		left = std::move(now);
	}
	for (const bytes &p : left)
		t.entries.push_back({p, u});
	return left;
}

void forget(bytes at, use u)
{
	table &t = held_now();
	std::lock_guard guard(t.lock);
	auto found = std::find_if(t.entries.begin(), t.entries.end(), [&](const entry &e) {
		return e.at.begin == at.begin && e.at.end == at.end && e.u == u;
	});
	t.entries.erase(found);
}

pieces ranges_of(const pieces &p)
{
	size_t gap = near;
	pieces ranges;
	do {
		ranges.clear();
		for_groups(p, gap, [&](const bytes *, const bytes *, bytes hull) { ranges.push_back(hull); });
		gap *= 4;
	} while (ranges.size() > most_ranges);
	return ranges;
}

// The first message starts the runtime.
het_queue *queue()
{
	static het_queue *const q = [] {
		het_queue *made = nullptr;
		return het_queue_create(nullptr, &made) ? nullptr : made;
	}();
	return q;
}

int failed(const char *what)
{
	fprintf(stderr, "libhet-mpi: %s: %s\n", what, het_last_error());
	return MPI_ERR_BUFFER;
}

void unmap_range(bytes b)
{
	het_unmap_args args = {};
	args.size = sizeof args;
	args.pointer = b.ptr();
	args.nbytes = b.size();
	if (het_unmap(queue(), &args, nullptr))
		failed("the bytes of a message stay with the host");
}

} // namespace

int hold::take(const message &m)
{
	return take(m, nullptr);
}

int hold::take(const message &m, std::shared_ptr<stand_in> instead)
{
	if (int err = take_in_place(m))
		return err;
	if (m.is_empty())
		return MPI_SUCCESS;
	if (!instead && (stand_in::is_needed() || stand_in::is_better(m)) && !(instead = stand_in::make(m))) {
		drop();
		return MPI_ERR_BUFFER;
	}
	if (!instead)
		return MPI_SUCCESS;
	if (m.u != use::received) {
		if (int err = instead->copy_in()) {
			drop();
			return err;
		}
	}
	if (m.u == use::read)
		drop();
	instead_ = std::move(instead);
	return MPI_SUCCESS;
}

int hold::take_in_place(const message &m)
{
	if (!m.is_good)
		return MPI_ERR_BUFFER;
	if (m.is_empty())
		return MPI_SUCCESS;
	return queue() ? map(m) : failed("there is no queue to wait for kernels by");
}

int hold::map(const message &m)
{
	use_ = m.u;
	for (const bytes &range : ranges_of(m.at)) {
		int err = MPI_SUCCESS;
		for (const bytes &b : apart_from_others(range, m.u)) {
			err = err ? err : map_range(b);
			if (err)
				forget(b, use_);
			else
				held_.push_back(b);
		}
		if (err) {
			drop();
			return err;
		}
	}
	return MPI_SUCCESS;
}

int hold::map_range(bytes b)
{
	het_map_args args = {};
	args.size = sizeof args;
	args.pointer = b.ptr();
	args.nbytes = b.size();
	args.access = use_ == use::read ? HET_READ_ONLY : HET_READ_WRITE;
	args.flags = HET_MAP_UNMOVED;
	void *same = nullptr;
	het_event *over = nullptr;
	int err = het_map(queue(), &args, &same, &over);
	if (!err) {
		err = het_event_wait(1, &over);
		het_event_release(over);
	}
	return err ? failed("what a kernel should have made of a message is not there") : MPI_SUCCESS;
}

namespace
{

bool is_cancelled(const MPI_Status &status)
{
	int is = 0;
	return !PMPI_Test_cancelled(&status, &is) && is;
}

} // namespace

int hold::give(told_by by, const MPI_Status &status)
{
	int err = MPI_SUCCESS;
	MPI_Count come = 0;
	const bool has_come = instead_ && use_ != use::read && !(by == told_by::receive && is_cancelled(status));
	if (has_come && by == told_by::nothing)
		err = instead_->copy_out();
	else if (has_come && !PMPI_Get_elements_x(&status, MPI_BYTE, &come) && come > 0)
		err = instead_->copy_out(come);
	drop();
	return err;
}

void hold::drop()
{
	instead_.reset();
	for (const bytes &b : held_) {
		unmap_range(b);
		forget(b, use_);
	}
	held_.clear();
}

} // namespace hetmpi
