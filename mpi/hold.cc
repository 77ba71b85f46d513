// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "hold.h"

#include <algorithm>
#include <cstdio>
#include <gpuvm.h>
#include <list>
#include <mutex>
#include <unistd.h>

namespace hetmpi
{

namespace
{

const uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE));

bool share(bytes a, bytes b)
{
	return a.begin < b.end && b.begin < a.end;
}

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

// Types with gaps may lie in each other's: the mapping of one would wait for that of the other, that is for MPI. So what
// lies among the bytes of other messages is not mapped a second time.
bytes apart_from_others(bytes b, use u)
{
	table &t = held_now();
	std::lock_guard guard(t.lock);
	for (const entry &e : t.entries) {
		if ((u == use::read && e.u == use::read) || !share(b, e.at))
			continue;
		bytes before = {b.begin, std::max(b.begin, e.at.begin)};
		bytes behind = {std::min(b.end, e.at.end), b.end};
		b = before.size() > behind.size() ? before : behind;
	}
	if (!b.is_empty())
		t.entries.push_back({b, u});
	return b;
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

// An edge is always at home, and so is what no array has.
void bring_home(bytes b, use u)
{
	for (uintptr_t at = b.begin; at < b.end; at = (at / page + 1) * page) {
		auto *p = reinterpret_cast<void *>(at);
		size_t size = std::min(b.end, (at / page + 1) * page) - at;
		if (gpuvm_alias(p))
			gpuvm_host_begin(p, size, u == use::read ? GPUVM_READ_ONLY : GPUVM_READ_WRITE);
	}
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

} // namespace

int hold::take(const message &m)
{
	if (m.at.is_empty())
		return MPI_SUCCESS;
	std::shared_ptr<stand_in> instead;
	if (stand_in::is_needed() && !(instead = stand_in::make(m)))
		return MPI_ERR_BUFFER;
	return take(m, std::move(instead));
}

int hold::take(const message &m, std::shared_ptr<stand_in> instead)
{
	if (m.at.is_empty())
		return MPI_SUCCESS;
	if (!queue())
		return failed("there is no queue to bring messages home by");
	if (int err = take_mapped(m))
		return err;
	if (!instead)
		return MPI_SUCCESS;
	int err = instead->copy_in();
	if (err || m.u == use::read)
		unmap();
	if (!err)
		instead_ = std::move(instead);
	return err;
}

int hold::take_mapped(const message &m)
{
	bytes mapped = apart_from_others(m.at, m.u);
	if (!mapped.is_empty()) {
		if (int err = map(mapped, m.u)) {
			forget(mapped, m.u);
			return err;
		}
	}
	held_ = mapped;
	use_ = m.u;
	bring_home({m.at.begin, mapped.begin}, m.u);
	bring_home({mapped.end, m.at.end}, m.u);
	return MPI_SUCCESS;
}

int hold::map(bytes b, use u)
{
	het_map_args args = {};
	args.size = sizeof args;
	args.pointer = b.ptr();
	args.nbytes = b.size();
	args.access = uint32_t(u);
	void *same = nullptr;
	het_event *home = nullptr;
	int err = het_map(queue(), &args, &same, &home);
	if (!err) {
		err = het_event_wait(1, &home);
		het_event_release(home);
	}
	return err ? failed("the bytes of a message did not come home") : MPI_SUCCESS;
}

void hold::release()
{
	int is_over = 0;
	PMPI_Finalized(&is_over);
	if (brings_later() && !is_over && instead_->copy_out())
		fprintf(stderr, "libhet-mpi: MPI can't copy a message to where it belongs\n");
	instead_.reset();
	unmap();
}

void hold::unmap()
{
	if (held_.is_empty())
		return;
	het_unmap_args args = {};
	args.size = sizeof args;
	args.pointer = held_.ptr();
	args.nbytes = held_.size();
	if (het_unmap(queue(), &args, nullptr))
		failed("the bytes of a message stay with the host");
	forget(std::exchange(held_, {}), use_);
}

} // namespace hetmpi
