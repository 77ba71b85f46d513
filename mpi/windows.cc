// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "windows.h"

namespace hetmpi
{

namespace
{

// MPI_Win_free() deletes what the attribute points to, when MPI has forgotten the window.
int key()
{
	static const int made = [] {
		int k = MPI_KEYVAL_INVALID;
		PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &k, nullptr);
		return k;
	}();
	return made;
}

} // namespace

window *window::of(MPI_Win w)
{
	void *known = nullptr;
	int is_known = 0;
	if (w == MPI_WIN_NULL || PMPI_Win_get_attr(w, key(), &known, &is_known) || !is_known)
		return nullptr;
	return static_cast<window *>(known);
}

// Threads may begin operations on a window at once.
int window::find(MPI_Win w, window **found)
{
	static std::mutex lock;
	std::lock_guard guard(lock);
	*found = of(w);
	if (*found)
		return MPI_SUCCESS;
	auto fresh = std::make_unique<window>();
	if (int err = PMPI_Win_set_attr(w, key(), fresh.get()))
		return err;
	*found = fresh.release();
	return MPI_SUCCESS;
}

int window::made(MPI_Win w, std::unique_ptr<public_copy> copy)
{
	window *its = nullptr;
	if (int err = find(w, &its)) {
		copy.release(); // the window is there, so MPI uses its memory
		return err;
	}
	its->copy_ = std::move(copy);
	return MPI_SUCCESS;
}

void window::keep(int rank, hold &&h)
{
	if (h.is_empty())
		return;
	std::lock_guard guard(lock_);
	messages_.push_back({rank, std::move(h)});
}

int window::completed(int rank)
{
	std::list<kept> over;
	{
		std::lock_guard guard(lock_);
		for (auto k = messages_.begin(); k != messages_.end();) {
			auto next = std::next(k);
			if (rank == every_rank || k->rank == rank)
				over.splice(over.end(), messages_, k);
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
