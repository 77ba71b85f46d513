// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// All processes of a user share this store.
#pragma once

#include "cache/store.h"

namespace het::cache
{

// Returns the folder by the rules of the XDG Base Directory Specification: @cache_home/libhet, or @home/.cache/libhet,
// or "" if neither is an absolute path; null counts as not set.
std::string user_folder(const char *cache_home, const char *home);

// Returns the store in that folder, which has HET_CACHE_SIZE bytes at most.
const store &user_store();

} // namespace het::cache
