// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Looks after the folder of a store.
#pragma once

#include "cache/store.h"
#include "os/descriptor.h"

#include <sys/stat.h>

namespace het::cache
{

// Returns whether only the user, or root, can have written it.
bool is_trusted(const struct stat &s);

// Returns -1, with the reason in errno, if it can't be opened: EPERM means that the folder is not to be trusted.
descriptor open_folder(const char *name);

// Counts all entries.
usage count(int folder);

// Removes what is there of processes that were killed while they wrote, and entries, the oldest first, until the others
// have @most bytes.
void sweep(int folder, uint64_t most);

} // namespace het::cache
