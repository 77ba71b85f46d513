// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// How long it takes to find where a page is that is there: a TLB of each processor, one of all, and walks through the
// table's levels, of which as many are under way at once as there are walkers.
#pragma once

#include "etc/tags.h"

namespace etc
{

class translation
{
      public:
	explicit translation(const machine &m);

	// @key is the page's with its generation. Returns when a processor knows the page's place.
	cycle find(unsigned processor, uint64_t key, uint32_t page, cycle t);
	uint64_t walks() const { return walks_; }

      private:
	cycle walk(uint32_t page, cycle t);

	const machine m_;
	std::vector<tags> of_processors_;
	tags of_all_, walk_cache_;
	std::vector<cycle> walkers_; // when they are free
	uint64_t walks_ = 0;
};

} // namespace etc
