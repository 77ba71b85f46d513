// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/instruments.h"

#include "os/log.h"
#include "os/settings.h"
#include "ptx/parser.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <het.h>
#include <utility>

namespace het::rt
{

namespace
{

bool parse_word(std::string_view word, instruments &out)
{
	constexpr std::string_view sampled = "coalesce/";
	if (word == "coalesce")
		return out.coalesce = true;
	if (word == "dirty")
		return out.dirty = true;
	if (word == "touch")
		return out.touch = true;
	if (!word.starts_with(sampled))
		return false;
	uint32_t n = 0;
	const char *end = word.data() + word.size();
	auto [at, error] = std::from_chars(word.data() + sampled.size(), end, n);
	if (error != std::errc() || at != end || !n)
		return false;
	out.one_of = n;
	return out.coalesce = true;
}

instruments read_wanted()
{
	instruments wanted;
	const char *list = settings().instrument;
	if (list && !parse_instruments(list, wanted))
		warn("HET_INSTRUMENT=%s: want a list of coalesce, coalesce/N, dirty and touch; the rest is not used",
		     list);
	return wanted;
}

// Applies one more instrument. It is left out if it can't be right for this module, or does not see everything.
bool apply(const char *name, instrumented &to)
{
	auto leave_out = [&](const char *why, const ptx::fault &at) {
		to.missing += (to.missing.empty() ? "" : "; ") + std::string(name) + why + at.describe();
		return false;
	};
	ptx::module m;
	if (auto wrong = ptx::parse(to.text, m))
		return leave_out(": the PTX is not understood: ", *wrong);
	ptx::pass_result made = ptx::find_pass(name)->apply(m);
	if (made.refused)
		return leave_out(": ", *made.refused);
	// Counters of what is seen are right without the rest; pages are not.
	bool counts = !strcmp(name, "coalesce");
	if (!counts && !made.blind.empty())
		return leave_out(": ", made.blind[0]);
	if (counts)
		to.sites = std::move(made.sites);
	to.text = std::move(made.text);
	return true;
}

} // namespace

bool parse_instruments(std::string_view list, instruments &out)
{
	bool understood = true;
	while (!list.empty()) {
		std::string_view word = list.substr(0, list.find(','));
		list.remove_prefix(std::min(list.size(), word.size() + 1));
		understood &= parse_word(word, out);
	}
	return understood;
}

instruments wanted_instruments(uint32_t asked, uint32_t one_of)
{
	static const instruments from_environment = read_wanted();
	if (!asked)
		return from_environment;
	return {.coalesce = (asked & HET_COALESCE) != 0,
		.dirty = (asked & HET_DIRTY) != 0,
		.touch = (asked & HET_TOUCH) != 0,
		.one_of = std::max(one_of, 1u)};
}

// Coalesce comes first: its sites are places in the text that it gets.
instrumented instrument(const char *ptx, const instruments &wanted)
{
	instrumented made;
	made.text = ptx;
	made.has.one_of = wanted.one_of;
	made.has.coalesce = wanted.coalesce && apply("coalesce", made);
	made.has.dirty = wanted.dirty && apply("dirty", made);
	made.has.touch = wanted.touch && apply("touch", made);
	return made;
}

} // namespace het::rt
