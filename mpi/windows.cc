// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "windows.h"

#include <list>
#include <map>
#include <mutex>

namespace hetmpi
{

namespace
{

struct kept {
	int rank;
	hold bytes;
};

struct window {
	std::unique_ptr<public_copy> copy;
	std::list<kept> messages;
};

struct windows {
	std::mutex lock;
	std::map<MPI_Win, window> all;
};

windows &here()
{
	static auto *w = new windows;
	return *w;
}

} // namespace

void made(MPI_Win w, std::unique_ptr<public_copy> copy)
{
	std::lock_guard guard(here().lock);
	here().all[w].copy = std::move(copy);
}

void gone(MPI_Win w)
{
	std::lock_guard guard(here().lock);
	here().all.erase(w);
}

public_copy *copy_of(MPI_Win w)
{
	std::lock_guard guard(here().lock);
	auto found = here().all.find(w);
	return found == here().all.end() ? nullptr : found->second.copy.get();
}

void keep(MPI_Win w, int rank, hold &&h)
{
	if (h.is_empty())
		return;
	std::lock_guard guard(here().lock);
	here().all[w].messages.push_back({rank, std::move(h)});
}

int completed(MPI_Win w, int rank)
{
	std::list<kept> over;
	{
		std::lock_guard guard(here().lock);
		auto found = here().all.find(w);
		if (found == here().all.end())
			return MPI_SUCCESS;
		std::list<kept> &all = found->second.messages;
		for (auto k = all.begin(); k != all.end();) {
			auto next = std::next(k);
			if (rank == every_rank || k->rank == rank)
				over.splice(over.end(), all, k);
			k = next;
		}
	}
	int err = MPI_SUCCESS;
	for (kept &k : over) {
		if (int e = k.bytes.give(told_by::nothing, {}))
			err = e;
	}
	return err;
}

} // namespace hetmpi
