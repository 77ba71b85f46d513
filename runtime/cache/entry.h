// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// How one entry lies in its file: a header, the parts of its key, each behind its size, and the value.
#pragma once

#include "cache/store.h"

namespace het::cache
{

// Of the file, in its folder.
struct entry_name {
	char text[64];
};

entry_name name_of(const key &k);
// For an entry that is being written.
entry_name temporary_name();

enum class file_kind { foreign, entry, temporary };
file_kind kind_of(const char *name);

// Writes a whole entry to the empty file @fd. False: errno tells why.
bool write_entry(int fd, const key &k, bytes value);
// The value of an entry in memory. False: it is another one's, of another version, or damaged.
bool read_entry(bytes file, const key &k, bytes &value);

} // namespace het::cache
