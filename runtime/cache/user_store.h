// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This user's processes share this store.
#pragma once

#include "cache/store.h"

namespace het::cache
{

// Follows the rules of the XDG Base Directory Specification: it is @cache_home/libhet, or @home/.cache/libhet, and ""
// if neither is an absolute path; null counts as not set.
std::string user_folder(const char *cache_home, const char *home);

// It lies there, and has HET_CACHE_SIZE bytes at most.
const store &user_store();

} // namespace het::cache
