// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The store that this user's processes share.
#pragma once

#include "cache/store.h"

namespace het::cache
{

// By the rules of the XDG Base Directory Specification: @cache_home/libhet, or @home/.cache/libhet. "" if neither is an
// absolute path; null counts as not set.
std::string user_folder(const char *cache_home, const char *home);

// There, of HET_CACHE_SIZE bytes at most.
const store &user_store();

} // namespace het::cache
