// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "queue.h"

#include "errors.h"
#include "messages.h"
#include "object.h"

namespace het::python
{

queue::queue(std::vector<het_device *> devices, uint32_t flags)
{
	het_queue_args a = {};
	a.size = sizeof(a);
	a.flags = flags;
	a.ndevices = uint32_t(devices.size());
	a.devices = devices.data();
	a.on_error = note_message;
	int err;
	{
		// The first call starts the library, which looks for devices.
		without_gil g;
		err = het_queue_create(&a, &q_);
	}
	check(err);
}

void queue::finish()
{
	int err;
	{
		without_gil g;
		err = het_finish(q_);
	}
	check(err);
}

// Two threads that come first may make one each, as they wait without the interpreter's lock; the first one stays.
het_queue *queue::usual()
{
	static queue *one = nullptr;
	if (!one) {
		auto *made = new queue({}, 0);
		if (one)
			delete made;
		else
			one = made;
	}
	return one->get();
}

} // namespace het::python
