// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What happens in the model, in the order of time; what happens at one time does so in the order in which it was
// planned. So a run is the same each time.
#pragma once

#include "etc/machine.h"

#include <queue>

namespace etc
{

struct event {
	enum class kind_t : uint8_t {
		processor,    // may issue; its number
		batch,        // of faults has been looked at
		page_arrived, // its number
		page_left,    // its number
		slice,        // may begin; its number
		throttle,     // a phase may end
		sample,       // of the classifier ends
	};
	cycle at = 0;
	kind_t kind = kind_t::processor;
	uint32_t number = 0;
	uint64_t order = 0;
};

class event_queue
{
      public:
	void add(cycle at, event::kind_t kind, uint32_t number = 0) { all_.push({at, kind, number, order_++}); }
	bool empty() const { return all_.empty(); }
	event take()
	{
		const event e = all_.top();
		all_.pop();
		return e;
	}

      private:
	struct later {
		bool operator()(const event &a, const event &b) const
		{
			return a.at != b.at ? a.at > b.at : a.order > b.order;
		}
	};
	std::priority_queue<event, std::vector<event>, later> all_;
	uint64_t order_ = 0;
};

} // namespace etc
