// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "info/profile.h"

#include "cache/device_profile.h"
#include "cache/user_store.h"

#include <ctime>

namespace info
{

json profile_of(const std::string &device, const std::string &driver)
{
	het::cache::device_profile p;
	if (!get_profile(het::cache::user_store(), {device, driver}, p))
		return nullptr;
	json figures = json::object();
	for (const het::cache::measured &m : p.all)
		figures[m.name] = m.value;
	return {{"made", p.made}, {"days", double(time(nullptr) - p.made) / 86400}, {"figures", figures}};
}

} // namespace info
