// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/eviction.h"

#include <string_view>

namespace het::rt
{

bool find_eviction(const char *text, eviction &found)
{
	found = eviction::keep;
	const std::string_view word = text ? text : "keep";
	if (word == "through")
		found = eviction::through;
	else if (word == "stream")
		found = eviction::stream;
	else if (word == "demand")
		found = eviction::demand;
	return word == "keep" || found != eviction::keep;
}

} // namespace het::rt
