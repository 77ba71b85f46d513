// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/levels.h"

#include "os/log.h"
#include "os/settings.h"

#include <cstring>

namespace het::rt
{

void levels::rise_to(int8_t level)
{
	int8_t known = highest_.load();
	while (known < level && !highest_.compare_exchange_weak(known, level))
		;
}

void levels::note_another(int8_t level)
{
	int8_t first = none;
	if (first_.compare_exchange_strong(first, level) || first == level) {
		rise_to(level);
		return;
	}
	rise_to(first);
	rise_to(level);
	if (several_.exchange(true))
		return;
	if (auto *begin = begin_.load())
		begin();
}

levels &levels_in_use()
{
	static constinit levels all;
	return all;
}

preempting preempting_allowed()
{
	static const preempting allowed = [] {
		const char *text = settings().preempt;
		if (text && !strcmp(text, "off"))
			return preempting::off;
		if (text && !strcmp(text, "drain"))
			return preempting::drain;
		if (text && strcmp(text, "auto") != 0)
			warn("HET_PREEMPT=%s: say off, drain or auto; auto is used", text);
		return preempting::save;
	}();
	return allowed;
}

int8_t usual_level()
{
	static const auto level = int8_t(level_near(settings().priority));
	return level;
}

} // namespace het::rt
