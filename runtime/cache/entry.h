// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// An entry lies in its file like this: first a header, then the parts of its key, each behind its size, and then the
// value.
#pragma once

#include "cache/store.h"

namespace het::cache
{

// Holds the name of a file in its folder.
struct entry_name {
	char text[64];
};

entry_name name_of(const key &k);
// Makes a name for an entry that is being written.
entry_name temporary_name();

enum class file_kind { foreign, entry, temporary };
file_kind kind_of(const char *name);

// Writes a whole entry to the empty file @fd. Returns false, with the reason in errno, if it can't.
bool write_entry(int fd, const key &k, bytes value);
// Finds the value of an entry in memory. Returns false if the entry is another one's, of another version, or damaged.
bool read_entry(bytes file, const key &k, bytes &value);

} // namespace het::cache
