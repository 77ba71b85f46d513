// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Commands on memory cross the C boundary here. het.h documents each function.
#include "api/command.h"
#include "api/public.h"
#include "core/copy_rect.h"
#include "core/mapping.h"
#include "core/raw_copy.h"
#include "core/transfer.h"

#include <cstddef>

using namespace het;
using namespace het::rt;

GPUVM_PUBLIC int het_copy(het_queue *queue, const het_copy_args *args, het_event **event)
{
	het_copy_args a = {};
	if (int err = accept_command("het_copy", queue, args, a, offsetof(het_copy_args, to_device)))
		return err;
	if (a.to_device || a.from_device)
		return make_command<raw_copy>("het_copy", queue, a, event);
	return make_command<copy>("het_copy", queue, a, event);
}

GPUVM_PUBLIC int het_copy_rect(het_queue *queue, const het_copy_rect_args *args, het_event **event)
{
	return command<copy_rect>("het_copy_rect", queue, args, event);
}

GPUVM_PUBLIC int het_fill(het_queue *queue, const het_fill_args *args, het_event **event)
{
	return command<fill>("het_fill", queue, args, event);
}

GPUVM_PUBLIC int het_map(het_queue *queue, const het_map_args *args, void **pointer, het_event **event)
{
	het_map_args a = {};
	if (int err = accept_command("het_map", queue, args, a, offsetof(het_map_args, pointer)))
		return err;
	if (!pointer)
		return fail(HET_ENULL, "het_map: no place for the pointer");
	wait_list waits;
	reference<map> m(new (std::nothrow) map(*queue));
	if (!m || !waits.take(a.nwaits, a.waits))
		return fail(HET_ENOMEM, "het_map: out of memory");
	if (int err = m->take(a))
		return err;
	reference<mapping> held(new (std::nothrow) mapping(*m));
	if (!held)
		return fail(HET_ENOMEM, "het_map: out of memory");
	void *where = m->bytes().ptr();
	int err = send(reference<het_event>(m.give_up()), {&queue->commands, usual_order(*queue), waits.nodes}, event,
		       {held.give_up(), &core().mappings});
	if (!err)
		*pointer = where;
	return err;
}

GPUVM_PUBLIC int het_unmap(het_queue *queue, const het_unmap_args *args, het_event **event)
{
	het_unmap_args a = {};
	if (int err = accept_command("het_unmap", queue, args, a, offsetof(het_unmap_args, nbytes)))
		return err;
	reference<mapping> m = take_mapping(a.memory, a.pointer, a.nbytes);
	if (!m)
		return fail(HET_EARG,
			    "het_unmap: the object %p has no mapping that begins at %p; one that failed is none",
			    static_cast<void *>(a.memory), a.pointer);
	wait_list waits;
	reference<het_event> e(new (std::nothrow) het_event(queue));
	int err = e && waits.take(a.nwaits, a.waits, m->first.get()) ? 0 : fail(HET_ENOMEM, "het_unmap: out of memory");
	if (!err)
		err = send(std::move(e), {&queue->commands, usual_order(*queue), waits.nodes, m.get()}, event);
	if (err)
		give_back(*m);
	return err;
}
