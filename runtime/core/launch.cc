// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/launch.h"

#include "core/queue.h"
#include "core/raw_memory.h"
#include "os/log.h"

namespace het::rt
{

bool launch::can_take_arguments(const compute_device &d) const
{
	return (!has_addresses_ || d.has_addresses()) && (!has_block() || d.takes_blocks());
}

// Of a launch that no device takes.
const char *launch::what_is_special() const
{
	if (has_block())
		return " with a parameter block, which devices of kind CUDA take";
	if (addressed_)
		return " and has the memory, textures and samplers that are arguments";
	return has_addresses_ ? " with an address, which OpenCL devices take that have shared virtual memory" : "";
}

// The policy `single`: the first of the queue's devices that can run the kernel. Others may steal it from a backlog if they have
// the kernel already, and find their data the same way: edges were looked at for this way of reaching memory.
int launch::choose_device(const het_launch_args &args)
{
	uint32_t allowed = queue->devices;
	if (addressed_)
		allowed &= uint32_t{1} << addressed_->executor.number();
	if (args.device)
		allowed &= uint32_t{1} << args.device->executor.number();
	for (unsigned i = 0; i < core().ndevices; i++) {
		het_device &d = *core().devices[i];
		if (!(allowed >> i & 1) || !kernel_->program->can_run_on(d) || !can_take_arguments(*d.compute))
			continue;
		if (!device_)
			device_ = &d;
		else if (!has_addresses_ && !has_block() && kernel_->on(d) &&
			 d.compute->is_in_place() == device_->compute->is_in_place())
			stealable_by |= uint32_t{1} << i;
	}
	if (!device_)
		return fail(HET_ENODEV, "het_launch: none of the queue's devices can run kernel %s%s",
			    kernel_->name.get(), what_is_special());
	where.store(&device_->executor);
	return kernel_->prepare(*device_);
}

// Links come before the order of commands is known: an edge belongs to all that have a part of it.
int launch::prepare_memory()
{
	int err = link_uses(*device_);
	if (!err)
		declare_accesses(widen_to_edges);
	return err;
}

int launch::take(const het_launch_args &args)
{
	int err = take_launch(args);
	if (!err)
		err = choose_device(args);
	return err ? err : prepare_memory();
}

void launch::place_arguments()
{
	size_t use = 0;
	for (device_arg &a : args_) {
		if (!is_memory(a.kind))
			continue;
		const range_use &u = uses_[use++];
		a.buffer = buffer_of(u, u.bytes.begin, *device_, &a.offset);
	}
}

int launch::begin_on_device()
{
	device_kernel &kernel = *kernel_->on(*device_);
	bool in_place = device_->compute->is_in_place();
	if (int err = in_place ? bring_to_host(uses_) : begin_ranges(uses_, *device_, kernel.notes_writes()))
		return err;
	if (!in_place)
		place_arguments();
	int err = device_->compute->submit(kernel, shape_, args_, on_device);
	if (err)
		abandon_ranges(uses_, *device_, on_device.may_have_run);
	return err;
}

// Another executor than the one that was chosen may have stolen the command.
int launch::begin(executor &x)
{
	device_ = core().devices[x.number()].get();
	int err = begin_on_device();
	if (err)
		return err;
	return device_->compute->has_queue() ? in_flight : end(0);
}

het_event_part_info launch::part(uint32_t) const
{
	return {0, device_, 0, shape_.global[shape_.dimensions - 1], started, ended};
}

int launch::end(int)
{
	kernel_->has_run(*device_);
	return device_->compute->is_in_place() ? 0 : end_ranges(uses_, *device_, on_device.notes.get());
}

} // namespace het::rt
