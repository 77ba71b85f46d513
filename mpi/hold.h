// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Bytes of a message belong to the host while MPI works on them: they are home, commands that write them wait, and
// if MPI writes them, so do commands that read them. It is het_map()'s promise.
#pragma once

#include "stand_in.h"

#include <utility>

namespace hetmpi
{

class hold
{
      public:
	hold() = default;
	hold(hold &&h) noexcept : held_(std::exchange(h.held_, {})), use_(h.use_), instead_(std::move(h.instead_)) {}
	hold &operator=(hold &&) = delete;
	~hold() { release(); }

	// Returns when the bytes are home: MPI_SUCCESS, or MPI_ERR_BUFFER, of which the reason is on stderr. What is
	// sent from a stand-in belongs to the kernels again then. A persistent request brings its stand-in along, or
	// null if it has none.
	int take(const message &m);
	int take(const message &m, std::shared_ptr<stand_in> instead);
	// MPI gets this in place of @buffer, the message's.
	void *placed(const void *buffer) const { return instead_ ? instead_->buffer() : const_cast<void *>(buffer); }
	bool is_empty() const { return held_.is_empty() && !instead_; }
	// Bytes come into a stand-in, and are not where the program wants them before release().
	bool brings_later() const { return instead_ && use_ == use::written; }
	// What has come into a stand-in is copied to where the program wants it.
	void release();

      private:
	static int map(bytes b, use u);
	int take_mapped(const message &m);
	void unmap();

	bytes held_; // are mapped
	use use_ = use::read;
	std::shared_ptr<stand_in> instead_;
};

} // namespace hetmpi
