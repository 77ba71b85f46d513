// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/asked.h"

#include "memory/body.h"
#include "memory/context.h"

namespace het
{

namespace
{

constexpr size_t at_once = 64;

expectation as_expectation(access used)
{
	return used == access::write  ? expectation::write
	       : used == access::read ? expectation::read
				      : expectation::nothing;
}

// Calls f(chunk, access) with what the host has done to each that is asked in place, and begins anew.
template <typename F> void take_accesses(array &a, const array_history &h, layout::span s, F f)
{
	for (uint32_t c = s.first; c < s.last;) {
		uint32_t asked[at_once];
		pages parts[at_once];
		access used[at_once];
		size_t n = 0;
		for (; c < s.last && n < at_once; c++) {
			if (!h.is_asked_in_place(c))
				continue;
			asked[n] = c;
			parts[n++] = pages_of(a, c, 1);
		}
		if (n)
			a.context->catcher->take_accesses({parts, n}, used);
		for (size_t i = 0; i < n; i++)
			f(asked[i], used[i]);
	}
}

} // namespace

void hear_answers(array &a, array_history &h, layout::span s)
{
	if (h.any_asked_in_place())
		take_accesses(a, h, s, [&](uint32_t c, access used) { h.answer(c, as_expectation(used)); });
}

void ask_in_place(array &a, const array_history &h)
{
	if (h.any_asked_in_place())
		take_accesses(a, h, {h.first_expected(), h.last_expected()}, [](uint32_t, access) {});
}

} // namespace het
