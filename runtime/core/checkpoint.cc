// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/checkpoint.h"

#include "core/dispatch.h"
#include "core/event_thread.h"
#include "core/ranges.h"
#include "core/runtime.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/thread.h"

#include <cstring>
#include <utility>

namespace het::rt
{

namespace
{

void run_in_its_thread(het_event &e)
{
	tell_elsewhere();   // a callback may free what is named by a command that waits for this thread
	faults_taken items; // what is restored may be trapped
	forget_last_error();
	static_cast<checkpoint_command &>(e).run();
}

constinit event_thread runs("het-checkpoint", run_in_its_thread);

// Returns 0 or a code.
int check_kind(const char *call, const het_checkpoint_item &i)
{
	switch (i.kind) {
	case HET_ARG_MEMORY:
		if (!i.memory || i.pointer || i.nbytes)
			return fail(HET_EARG, "%s: item %s: give a memory object, without pointer and size", call,
				    i.name);
		return 0;
	case HET_ARG_RANGE:
		if (i.memory || !i.pointer || range_of(i.pointer, i.nbytes).empty())
			return fail(HET_EARG, "%s: item %s: %zu bytes at %p", call, i.name, i.nbytes, i.pointer);
		return 0;
	case HET_ARG_ADDRESS:
		return fail(
			HET_EARG,
			"%s: item %s is raw device memory, whose addresses mean nothing in another process: copy it "
			"to a memory object with het_copy()",
			call, i.name);
	case HET_ARG_TEXTURE:
		return fail(
			HET_EARG,
			"%s: item %s is a texture, which one device alone can read: copy it to a memory object with "
			"het_texture_copy()",
			call, i.name);
	default:
		return fail(HET_EARG, "%s: item %s is of kind %u: say HET_ARG_RANGE or HET_ARG_MEMORY", call, i.name,
			    i.kind);
	}
}

int check_item(const char *call, size_t number, const het_checkpoint_item &i)
{
	const size_t n = i.name ? strnlen(i.name, checkpoint::most_name + 1) : 0;
	if (!n || n > checkpoint::most_name)
		return fail(i.name ? HET_EARG : HET_ENULL, "%s: item %zu has a name of %zu bytes: say 1 to %zu", call,
			    number, n, size_t{checkpoint::most_name});
	if (i.reserved)
		return fail(HET_EARG, "%s: item %s: reserved is %u and must be 0", call, i.name, i.reserved);
	return check_kind(call, i);
}

int check_items(const char *call, const het_checkpoint_args &a)
{
	if (!a.items)
		return fail(HET_ENULL, "%s: %zu items at null", call, a.nitems);
	if (!a.nitems || a.nitems > checkpoint::most_items)
		return fail(HET_EARG, "%s: %zu items: say 1 to %zu", call, a.nitems, size_t{checkpoint::most_items});
	for (size_t i = 0; i < a.nitems; i++) {
		if (int err = check_item(call, i, a.items[i]))
			return err;
		for (size_t other = 0; other < i; other++) {
			if (!strcmp(a.items[other].name, a.items[i].name))
				return fail(HET_EARG, "%s: two items have the name %s", call, a.items[i].name);
		}
	}
	return 0;
}

} // namespace

bool start_checkpoints()
{
	return start_teller() && runs.start(true);
}

begin_result checkpoint_command::begin(executor &)
{
	begun_at_ = now_ns();
	runs.add(*this);
	return begin_result::detached;
}

int checkpoint_command::take_items(const char *call, const het_checkpoint_args &args, uint32_t access)
{
	if (int err = check_items(call, args))
		return err;
	items_.reset(new (std::nothrow) item[args.nitems]);
	objects_.reset(new (std::nothrow) reference<het_memory>[args.nitems]);
	entries_.reset(new (std::nothrow) access_entry[args.nitems]);
	if (!items_ || !objects_ || !entries_)
		return fail(HET_ENOMEM, "%s: out of memory", call);
	nitems_ = args.nitems;
	for (size_t n = 0; n < nitems_; n++) {
		const het_checkpoint_item &given = args.items[n];
		item &i = items_[n];
		strcpy(i.name, given.name);
		i.bytes = given.memory ? given.memory->bytes() : range_of(given.pointer, given.nbytes);
		objects_[n] = reference<het_memory>::to(given.memory);
		entries_[n] = {.bytes = widen_to_edges(i.bytes),
			       .reads = access == HET_READ_ONLY,
			       .writes = access == HET_WRITE_ONLY};
	}
	accesses = {entries_.get(), nitems_};
	where.store(&core().service);
	return 0;
}

void checkpoint_command::leave_places(uint32_t moment)
{
	file->places = std::move(items_);
	file->nplaces = std::exchange(nitems_, 0);
	file->moment = moment;
}

} // namespace het::rt
