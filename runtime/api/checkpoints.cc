// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Checkpoint files cross the C boundary here. het.h documents each function.
#include "api/command.h"
#include "api/handles.h"
#include "api/public.h"
#include "core/checkpoint.h"

#include <cstring>

using namespace het;
using namespace het::rt;

namespace
{

int accept_items(const char *call, het_queue *queue, const het_checkpoint_args *args, het_checkpoint_args &a)
{
	if (int err = accept_command(call, queue, args, a))
		return err;
	if (!a.checkpoint)
		return fail(HET_ENULL, "%s: null checkpoint", call);
	if (a.item_size != sizeof(het_checkpoint_item))
		return fail(HET_EARG, "%s: item_size is %zu, and this library's %zu: set it to sizeof", call,
			    a.item_size, sizeof(het_checkpoint_item));
	return start_checkpoints() ? 0 : fail(HET_ENOMEM, "%s: no thread can be had (ulimit -u?)", call);
}

} // namespace

GPUVM_PUBLIC int het_checkpoint_open(const char *file, uint32_t flags, het_checkpoint **checkpoint)
{
	if (int err = check("het_checkpoint_open", file, checkpoint))
		return err;
	if ((flags & ~uint32_t{HET_CHECKPOINT_READ_ONLY}) || !*file)
		return fail(HET_EARG, "het_checkpoint_open: file \"%s\", flags 0x%x", file, flags);
	return make("het_checkpoint_open", checkpoint,
		    [&](het_checkpoint &c) { return c.store.open(file, flags & HET_CHECKPOINT_READ_ONLY); });
}

GPUVM_PUBLIC int het_checkpoint_retain(het_checkpoint *checkpoint)
{
	return retain("het_checkpoint_retain", checkpoint);
}

GPUVM_PUBLIC int het_checkpoint_release(het_checkpoint *checkpoint)
{
	return release("het_checkpoint_release", checkpoint);
}

GPUVM_PUBLIC int het_checkpoint_write(het_queue *queue, const struct het_checkpoint_args *args, het_event **event)
{
	het_checkpoint_args a = {};
	if (int err = accept_items("het_checkpoint_write", queue, args, a))
		return err;
	if (a.checkpoint->store.is_read_only())
		return fail(HET_ESTATE, "het_checkpoint_write: checkpoint file %s was opened to be read only",
			    a.checkpoint->store.path());
	wait_list waits;
	reference<het_event> done(new (std::nothrow) het_event(queue));
	reference<checkpoint_cut> cut(done ? new (std::nothrow) checkpoint_cut(*a.checkpoint, *done) : nullptr);
	if (!cut || !waits.take(a.nwaits, a.waits))
		return fail(HET_ENOMEM, "het_checkpoint_write: out of memory");
	if (int err = cut->take(a))
		return err;
	done->aside = true;
	auto kept = reference<het_event>::to(done.get());
	int err = send(reference<het_event>(cut.give_up()), {&queue->commands, usual_order(*queue), waits.nodes},
		       nullptr, {done.give_up(), &queue->commands});
	if (!err && event)
		*event = kept.give_up();
	return err;
}

GPUVM_PUBLIC int het_checkpoint_restore(het_queue *queue, const struct het_checkpoint_args *args, het_event **event)
{
	het_checkpoint_args a = {};
	if (int err = accept_items("het_checkpoint_restore", queue, args, a))
		return err;
	wait_list waits;
	reference<checkpoint_restore> r(new (std::nothrow) checkpoint_restore(*queue, *a.checkpoint));
	if (!r || !waits.take(a.nwaits, a.waits))
		return fail(HET_ENOMEM, "het_checkpoint_restore: out of memory");
	if (int err = r->take(a))
		return err;
	return send(reference<het_event>(r.give_up()), {&queue->commands, usual_order(*queue), waits.nodes}, event);
}

GPUVM_PUBLIC int het_checkpoint_describe(het_checkpoint *checkpoint, struct het_checkpoint_info *info)
{
	if (int err = check("het_checkpoint_describe", checkpoint))
		return err;
	const checkpoint_store::summary s = checkpoint->store.look();
	const het_checkpoint::figures last = checkpoint->last();
	return give("het_checkpoint_describe", info,
		    {.size = 0,
		     .generation = s.generation,
		     .nitems = s.nitems,
		     .file_bytes = s.file_bytes,
		     .written_bytes = last.written,
		     .pause_ns = last.pause_ns,
		     .compared_bytes = last.compared});
}

GPUVM_PUBLIC int het_checkpoint_holds(het_checkpoint *checkpoint, uint64_t number, char *name, uint64_t *nbytes)
{
	if (int err = check("het_checkpoint_holds", checkpoint, name, nbytes))
		return err;
	if (!checkpoint->store.find_item(number, name, nbytes))
		return fail(HET_EARG, "het_checkpoint_holds: there is no item %llu",
			    static_cast<unsigned long long>(number));
	return 0;
}
