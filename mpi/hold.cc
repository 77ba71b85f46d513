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

bytes with_pages(bytes b)
{
	return {b.begin / page * page, (b.end + page - 1) / page * page};
}

bool share(bytes a, bytes b)
{
	return a.begin < b.end && b.begin < a.end;
}

struct entry {
	bytes pages;
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

// Messages may lie beside each other in an array's edge, which commands use as a whole: the mapping of one would wait
// for that of the other, that is for MPI. So what shares a page with other messages is not mapped a second time.
bytes apart_from_others(bytes b, use u)
{
	table &t = held_now();
	std::lock_guard guard(t.lock);
	for (const entry &e : t.entries) {
		if ((u == use::read && e.u == use::read) || !share(with_pages(b), e.pages))
			continue;
		bytes before = {b.begin, std::min(b.end, std::max(b.begin, e.pages.begin))};
		bytes behind = {std::max(b.begin, std::min(b.end, e.pages.end)), b.end};
		b = before.size() > behind.size() ? before : behind;
	}
	t.entries.push_back({with_pages(b), u});
	return b;
}

void forget(bytes pages, use u)
{
	table &t = held_now();
	std::lock_guard guard(t.lock);
	auto found = std::find_if(t.entries.begin(), t.entries.end(), [&](const entry &e) {
		return e.pages.begin == pages.begin && e.pages.end == pages.end && e.u == u;
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

// A memory object's end takes its arrays from devices, unless it is a part of another. So messages are parts of an
// object that does not end: all addresses but the last.
het_memory *everything()
{
	static het_memory *const all = [] {
		het_memory *made = nullptr;
		return het_memory_wrap(reinterpret_cast<void *>(page), ~uintptr_t{0} / 2 - page, &made) ? nullptr
													: made;
	}();
	return all;
}

int failed(const char *what)
{
	fprintf(stderr, "libhet-mpi: %s: %s\n", what, het_last_error());
	return MPI_ERR_BUFFER;
}

} // namespace

int hold::take(bytes b, use u)
{
	if (b.is_empty())
		return MPI_SUCCESS;
	if (!queue())
		return failed("there is no queue to bring messages home by");
	bytes mapped = apart_from_others(b, u);
	held_ = with_pages(mapped);
	use_ = u;
	if (!mapped.is_empty()) {
		if (int err = map(mapped)) {
			forget(held_, use_);
			return err;
		}
	}
	bring_home({b.begin, mapped.begin}, u);
	bring_home({mapped.end, b.end}, u);
	if (mapped.is_empty())
		forget(held_, use_);
	return MPI_SUCCESS;
}

int hold::map(bytes b)
{
	if (!everything() || het_memory_part(everything(), b.begin - page, b.size(), &memory_))
		return failed("the bytes of a message");
	het_map_args args = {};
	args.size = sizeof args;
	args.memory = memory_;
	args.nbytes = b.size();
	args.access = uint32_t(use_);
	het_event *home = nullptr;
	int err = het_map(queue(), &args, &pointer_, &home);
	if (!err) {
		err = het_event_wait(1, &home);
		het_event_release(home);
	}
	if (!err)
		return MPI_SUCCESS;
	het_memory_release(std::exchange(memory_, nullptr));
	return failed("the bytes of a message did not come home");
}

void hold::release()
{
	if (!memory_)
		return;
	het_unmap_args args = {};
	args.size = sizeof args;
	args.memory = memory_;
	args.pointer = pointer_;
	if (het_unmap(queue(), &args, nullptr))
		failed("the bytes of a message stay with the host");
	het_memory_release(std::exchange(memory_, nullptr));
	forget(held_, use_);
}

} // namespace hetmpi
