// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// MPI gets this memory in place of a message's that is an array's, and the bytes are copied from and to where they are
// valid: those of the message alone travel, in one go, and the array stays where it is. Under some traps nothing else
// would do: a page that a kernel has taken, or that the system itself has dropped from the page table to save memory,
// is EFAULT to a socket.
#pragma once

#include "message.h"
#include "room.h"

#include <memory>

namespace hetmpi
{

class stand_in
{
      public:
	// Returns whether all messages need one: true until the first launch has chosen the trap, unless all devices
	// work in place.
	static bool is_needed();
	// Returns whether some messages may need one, now or later.
	static bool may_be_needed();
	// Returns whether bytes of the message are an array's, which kernels may have.
	static bool is_better(const message &m);
	// Returns null if there is no memory for it; the reason is on stderr.
	static std::shared_ptr<stand_in> make(const message &m);

	stand_in(const message &m, room &&r);
	~stand_in();
	stand_in(const stand_in &) = delete;
	stand_in &operator=(const stand_in &) = delete;

	// Returns what MPI gets in place of the message's buffer.
	void *buffer() const { return moved(m_.buffer); }
	// Only bytes of the message are copied: what lies in the gaps of its type may be another one's. All return
	// MPI_SUCCESS or an error of MPI's, having said why on stderr.
	int copy_in();
	int copy_out();
	// Copies so many of its bytes, as MPI counts them from the first element on.
	int copy_out(MPI_Count received);

      private:
	void *moved(const void *p) const;
	void *moved(bytes b) const { return moved(b.ptr()); }
	int copy_out(const pieces &some);
	int complete_element(MPI_Aint i, int received);

	message m_; // has a type of its own, as the program may free the one that it has given
	room room_;
	char *first_; // is in the place of the first byte
	bool has_type_;
};

} // namespace hetmpi
