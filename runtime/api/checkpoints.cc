// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Checkpoint files cross the C boundary here. het.h documents each function.
#include "api/command.h"
#include "api/handles.h"
#include "api/public.h"
#include "api/restored_launches.h"
#include "core/checkpoint.h"

#include <cstddef>
#include <cstring>
#include <utility>

using namespace het;
using namespace het::rt;

namespace
{

constexpr size_t most_programs = 4096;

// Its place is that of the call, before what has not begun.
int write_with_launches(het_queue &queue, const het_checkpoint_args &a, reference<checkpoint_cut> cut,
			reference<het_event> done)
{
	if (a.nwaits)
		return fail(HET_EARG, "het_checkpoint_write: with launches it is for the moment of the call, and can't "
				      "wait for events: wait first");
	if (int err = cut->take_launches(a))
		return err;
	overtaking &moment = cut->moment(); // lives until the cut has finished
	return enqueue_before(cut.give_up(), {done.give_up(), &queue.commands}, moment);
}

int check_programs(const char *call, const het_checkpoint_args &a)
{
	if (a.nprograms && (!a.programs || a.program_size != sizeof(het_checkpoint_program)))
		return fail(
			a.programs ? HET_EARG : HET_ENULL,
			"%s: %zu programs at %p, of %zu bytes each; want sizeof(struct het_checkpoint_program), %zu",
			call, a.nprograms, static_cast<const void *>(a.programs), a.program_size,
			sizeof(het_checkpoint_program));
	if (a.nprograms > most_programs)
		return fail(HET_EARG, "%s: %zu programs: say %zu at most", call, a.nprograms, most_programs);
	for (size_t i = 0; i < a.nprograms; i++) {
		const het_checkpoint_program &p = a.programs[i];
		const size_t n = p.name ? strnlen(p.name, checkpoint::most_name + 1) : 0;
		if (!p.program || !n || n > checkpoint::most_name)
			return fail(p.name && p.program ? HET_EARG : HET_ENULL,
				    "%s: program %zu is %p, with a name of %zu bytes: say 1 to %zu", call, i,
				    static_cast<void *>(p.program), n, size_t{checkpoint::most_name});
		for (size_t other = 0; other < i; other++) {
			if (!strcmp(a.programs[other].name, p.name))
				return fail(HET_EARG, "%s: two programs have the name %s", call, p.name);
		}
	}
	return 0;
}

int check_flags(const char *call, const het_checkpoint_args &a)
{
	constexpr uint32_t known = HET_CHECKPOINT_LAUNCHES | HET_CHECKPOINT_WITHOUT_LAUNCHES;
	if (a.reserved || (a.flags & ~known) || a.flags == known)
		return fail(HET_EARG, "%s: flags 0x%x, reserved %u", call, a.flags, a.reserved);
	if (!(a.flags & HET_CHECKPOINT_LAUNCHES) && (a.nprograms || a.launches))
		return fail(HET_EARG, "%s: programs or launches without HET_CHECKPOINT_LAUNCHES", call);
	return check_programs(call, a);
}

int accept_items(const char *call, het_queue *queue, const het_checkpoint_args *args, het_checkpoint_args &a)
{
	if (int err = accept_command(call, queue, args, a, offsetof(het_checkpoint_args, flags)))
		return err;
	if (int err = check_flags(call, a))
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
	if (a.flags & HET_CHECKPOINT_WITHOUT_LAUNCHES || a.launches)
		return fail(HET_EARG, "het_checkpoint_write: HET_CHECKPOINT_WITHOUT_LAUNCHES, and room for events, are "
				      "for restores");
	done->aside = true;
	auto kept = reference<het_event>::to(done.get());
	int err = a.flags ? write_with_launches(*queue, a, std::move(cut), std::move(done))
			  : send(reference<het_event>(cut.give_up()),
				 {&queue->commands, usual_order(*queue), waits.nodes}, nullptr,
				 {done.give_up(), &queue->commands});
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
	if (a.flags & HET_CHECKPOINT_LAUNCHES)
		return restore_with_launches(*queue, a, std::move(r), event);
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
		     .compared_bytes = last.compared,
		     .nlaunches = s.nlaunches},
		    offsetof(het_checkpoint_info, nlaunches));
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
