// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Bytes of a message belong to the host while MPI works on them: commands that write them wait, and if MPI writes them,
// so do commands that read them. It is het_map()'s promise.
#pragma once

#include "stand_in.h"

#include <utility>

namespace hetmpi
{

// This tells how much has come: all, or what the status says, of a file's operation or of a receive that may have been
// cancelled. (Open MPI says nothing of that where it is about a file.)
enum class told_by : uint8_t { nothing, file, receive };

class hold
{
      public:
	hold() = default;
	hold(hold &&h) noexcept
	    : held_(std::exchange(h.held_, {})), use_(h.use_), instead_(std::exchange(h.instead_, nullptr))
	{
	}
	hold &operator=(hold &&h) noexcept
	{
		std::swap(held_, h.held_);
		std::swap(use_, h.use_);
		std::swap(instead_, h.instead_);
		return *this;
	}
	~hold() { drop(); }

	// Returns when commands that use the bytes are over: MPI_SUCCESS, or MPI_ERR_BUFFER, of which the reason is on
	// stderr. What is sent from a stand-in belongs to the kernels again then. A persistent request brings its
	// stand-in along.
	int take(const message &m);
	int take(const message &m, std::shared_ptr<stand_in> instead);
	// The same without a stand-in: the caller copies the bytes itself, or MPI has their own place already.
	int take_in_place(const message &m);
	// MPI gets this in place of @buffer, the message's.
	void *placed(const void *buffer) const { return instead_ ? instead_->buffer() : const_cast<void *>(buffer); }
	template <typename T> void place(T *&buffer) const { buffer = placed(buffer); }
	bool is_empty() const { return held_.empty() && !instead_; }

	// Ends it. What has come into a stand-in is copied to where the program wants it: as much as the status says.
	// Returns MPI_SUCCESS or MPI_ERR_BUFFER, as above.
	int give(told_by by, const MPI_Status &status);
	// Ends it: nothing has come.
	void drop();

      private:
	int map(const message &m);
	int map_range(bytes b);

	pieces held_ = {}; // are mapped
	use use_ = use::read;
	std::shared_ptr<stand_in> instead_ = nullptr;
};

} // namespace hetmpi
