// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "cache/user_store.h"

#include "os/settings.h"

namespace het::cache
{

namespace
{

bool is_absolute(const char *path)
{
	return path && *path == '/';
}

} // namespace

std::string user_folder(const char *cache_home, const char *home)
{
	if (is_absolute(cache_home))
		return std::string(cache_home) + "/libhet";
	return is_absolute(home) ? std::string(home) + "/.cache/libhet" : "";
}

const store &user_store()
{
	const environment &e = settings();
	static const store s(e.cache_size ? user_folder(e.cache_home, e.home) : "", e.cache_size);
	return s;
}

} // namespace het::cache
