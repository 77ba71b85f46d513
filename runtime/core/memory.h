// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Memory objects are host arrays of the runtime's own, which travel as all host ranges do.
#pragma once

#include "core/object.h"
#include "core/range.h"

#include <het.h>

struct het_memory final : het::rt::object {
	~het_memory() override;

	// Gives it zeroed memory of its own. Returns 0 or a code.
	int allocate(size_t nbytes);
	void become_part(het_memory &of, het::range part);
	// The bytes are the program's.
	void wrap(het::range bytes);

	// Returns the bytes, which are empty if @n bytes from @offset on are not inside.
	het::range part(size_t offset, size_t n) const;
	het::range bytes() const { return bytes_; }
	// The bytes are the program's own, which may use them without us.
	bool is_the_programs() const { return whole_ ? whole_->is_the_programs() : from_ == origin::program; }

      private:
	het::range bytes_;
	het::rt::reference<het_memory> whole_; // this is a part of it
	enum class origin : uint8_t { host, library, program } from_ = origin::host;
};
