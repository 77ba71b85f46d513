// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Under some traps the system can't use arrays as the program does: a page that a kernel has taken, or that the system
// itself has dropped from the page table to save memory, is EFAULT to a socket. There MPI gets other memory in place of
// a message's, and the bytes are copied by the program's own accesses, which all traps serve.
#pragma once

#include "message.h"
#include "room.h"

#include <memory>

namespace hetmpi
{

class stand_in
{
      public:
	// Returns whether messages need one: true until the first launch has chosen the trap, unless all devices work in
	// place.
	static bool is_needed();
	// Returns null if there is no memory for it; the reason is on stderr.
	static std::shared_ptr<stand_in> make(const message &m);

	stand_in(const message &m, room &&r);
	~stand_in();
	stand_in(const stand_in &) = delete;
	stand_in &operator=(const stand_in &) = delete;

	// Returns what MPI gets in place of the message's buffer.
	void *buffer() const { return moved(m_.buffer); }
	// Only bytes of the message are copied: what lies in the gaps of its type may be another one's. Both return
	// MPI_SUCCESS or an error of MPI's.
	int copy_in() { return copy(m_.buffer, buffer()); }
	int copy_out() { return copy(buffer(), m_.buffer); }

      private:
	void *moved(const void *p) const;
	int copy(const void *from, void *to) const;
	int copy_elements(const void *from, void *to) const;

	message m_; // has a type of its own, as the program may free the one that it has given
	room room_;
	bool has_gaps_;
};

} // namespace hetmpi
