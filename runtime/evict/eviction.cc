// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/eviction.h"

#include <string_view>

namespace het::rt
{

namespace
{

struct word {
	std::string_view name;
	eviction evicts;
};

constexpr word words[] = {{"keep", eviction::keep},
			  {"through", eviction::through},
			  {"stream", eviction::stream},
			  {"demand", eviction::demand}};

struct inspection_word {
	std::string_view name;
	inspection inspects;
};

constexpr inspection_word inspection_words[] = {
	{"inspect", inspection::some}, {"inspect-all", inspection::whole}, {"no-inspect", inspection::never}};

bool find_word(std::string_view said, eviction &found, inspection &inspects, bool &mixes)
{
	for (const word &w : words) {
		if (w.name == said) {
			found = w.evicts;
			return true;
		}
	}
	for (const inspection_word &w : inspection_words) {
		if (w.name == said) {
			inspects = w.inspects;
			return true;
		}
	}
	if (said != "mix" && said != "no-mix")
		return false;
	mixes = said == "mix";
	return true;
}

} // namespace

bool find_eviction(const char *text, eviction &found, inspection &inspects, bool &mixes)
{
	found = eviction::keep;
	inspects = inspection::never;
	mixes = false;
	if (!text)
		return true;
	std::string_view rest = text;
	for (;;) {
		const size_t comma = rest.find(',');
		if (!find_word(rest.substr(0, comma), found, inspects, mixes))
			return false;
		if (comma == rest.npos)
			return true;
		rest.remove_prefix(comma + 1);
	}
}

} // namespace het::rt
