// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/launch.h"

#include "core/memory.h"
#include "core/queue.h"
#include "os/log.h"

#include <cstring>
#include <limits>
#include <new>

namespace het::rt
{

namespace
{

constexpr size_t value_alignment = 128; // of OpenCL's largest vectors

size_t value_bytes(const het_arg &a)
{
	return a.kind == HET_ARG_VALUE ? round_up(a.nbytes, value_alignment) : 0;
}

bool is_memory(uint32_t kind)
{
	return kind == HET_ARG_MEMORY || kind == HET_ARG_RANGE;
}

// Arguments may have been made by an older or newer program than the header that we know.
const het_arg &argument(const het_launch_args &args, size_t i)
{
	return *reinterpret_cast<const het_arg *>(reinterpret_cast<const char *>(args.args) + i * args.arg_size);
}

// Cuts the next @n objects off a block.
template <class T> std::span<T> cut(char **at, size_t n)
{
	T *first = reinterpret_cast<T *>(*at);
	for (size_t i = 0; i < n; i++)
		new (first + i) T{};
	*at += round_up(n * sizeof(T), alignof(std::max_align_t)); // NOLINT(bugprone-sizeof-expression)
	return {first, n};
}

} // namespace

launch::~launch()
{
	for (size_t i = 0; i < nobjects_; i++)
		objects_[i]->release();
}

// --- checks --------------------------------------------------------------------

int launch::take_shape(const het_launch_args &args)
{
	if (!args.dimensions || args.dimensions > 3)
		return fail(HET_EARG, "het_launch: %u dimensions; 1 to 3 are possible", args.dimensions);
	if (args.flags)
		return fail(HET_EARG, "het_launch: unknown flags in 0x%x", args.flags);
	shape_ = {args.dimensions, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}};
	size_t items = 1, nlocal = 0;
	for (unsigned d = 0; d < args.dimensions; d++) {
		shape_.global[d] = args.global[d];
		shape_.offset[d] = args.offset[d];
		shape_.local[d] = args.local[d];
		nlocal += args.local[d] != 0;
		bool fits = args.global[d] && !__builtin_mul_overflow(items, args.global[d], &items) &&
			    args.offset[d] <= std::numeric_limits<size_t>::max() - args.global[d];
		if (!fits)
			return fail(HET_EARG, "het_launch: dimension %u has %zu work-items from %zu on", d,
				    args.global[d], args.offset[d]);
	}
	if (!nlocal)
		shape_.local[0] = shape_.local[1] = shape_.local[2] = 0;
	else if (nlocal != args.dimensions)
		return fail(HET_EARG, "het_launch: a local size of 0 in some dimensions; give all or none");
	return 0;
}

int launch::allocate(const het_launch_args &args)
{
	size_t n = args.nargs, values = 0;
	for (size_t i = 0; i < n; i++)
		values += value_bytes(argument(args, i));
	constexpr size_t slack = 4 * alignof(std::max_align_t) + value_alignment;
	size_t each = sizeof(device_arg) + sizeof(range_use) + sizeof(access_entry) + sizeof(het_memory *);
	storage_.reset(new (std::nothrow) char[values + n * each + slack]);
	if (!storage_)
		return fail(HET_ENOMEM, "het_launch: no memory for %zu arguments", n);
	values_ = reinterpret_cast<char *>(round_up(reinterpret_cast<uintptr_t>(storage_.get()), value_alignment));
	char *at = values_ + values;
	args_ = cut<device_arg>(&at, n);
	uses_ = cut<range_use>(&at, n);
	entries_ = cut<access_entry>(&at, n);
	objects_ = cut<het_memory *>(&at, n);
	return 0;
}

int launch::take_argument(const het_arg &given, device_arg &arg)
{
	size_t i = size_t(&arg - args_.data());
	if (int err = kernel_->check_argument(uint32_t(i), given))
		return err;
	arg = {given.kind, given.nbytes, given.pointer, nullptr, 0};
	bool has_access = given.access >= HET_READ_ONLY && given.access <= HET_READ_WRITE;
	if (is_memory(given.kind) ? !has_access : given.access != 0)
		return fail(HET_EARG, "het_launch: argument %zu has access %u", i, given.access);
	range bytes;
	switch (given.kind) {
	case HET_ARG_VALUE:
		if (!given.pointer || !given.nbytes)
			return fail(HET_ENULL, "het_launch: argument %zu is a value without bytes", i);
		memcpy(values_, given.pointer, given.nbytes);
		arg.pointer = values_;
		values_ += value_bytes(given);
		return 0;
	case HET_ARG_LOCAL:
		return given.nbytes ? 0 : fail(HET_EARG, "het_launch: argument %zu has 0 bytes of local memory", i);
	case HET_ARG_MEMORY:
		if (!given.memory)
			return fail(HET_ENULL, "het_launch: argument %zu has no memory object", i);
		given.memory->retain();
		objects_[nobjects_++] = given.memory;
		bytes = given.memory->bytes();
		break;
	case HET_ARG_RANGE:
		bytes = range_of(given.pointer, given.nbytes);
		if (!given.pointer || bytes.empty())
			return fail(HET_EARG, "het_launch: argument %zu is the range %p + %zu", i, given.pointer,
				    given.nbytes);
		break;
	default:
		return fail(HET_EARG, "het_launch: argument %zu is of unknown kind %u", i, given.kind);
	}
	arg.pointer = bytes.ptr();
	arg.nbytes = bytes.size();
	uses_[nuses_++] = {bytes, given.access};
	return 0;
}

int launch::take_arguments(const het_launch_args &args)
{
	if (args.nargs != kernel_->nargs)
		return fail(HET_EARG, "het_launch: %zu arguments; kernel %s has %u", args.nargs, kernel_->name.get(),
			    kernel_->nargs);
	if (args.nargs && (!args.args || args.arg_size != sizeof(het_arg)))
		return fail(HET_EARG, "het_launch: args %p of %zu bytes each; want sizeof(struct het_arg), %zu",
			    static_cast<const void *>(args.args), args.arg_size, sizeof(het_arg));
	if (int err = allocate(args))
		return err;
	for (size_t i = 0; i < args.nargs; i++) {
		if (int err = take_argument(argument(args, i), args_[i]))
			return err;
	}
	uses_ = uses_.first(nuses_);
	return 0;
}

// --- the device ----------------------------------------------------------------

// The policy `single`: the first of the queue's devices that can run the kernel. Others may steal it from a backlog if they have
// the kernel already, and find their data the same way: edges were looked at for this way of reaching memory.
int launch::choose_device(const het_launch_args &args)
{
	uint32_t allowed = queue->devices;
	if (args.device)
		allowed &= uint32_t{1} << args.device->executor.number();
	for (unsigned i = 0; i < core().ndevices; i++) {
		het_device &d = *core().devices[i];
		if (!(allowed >> i & 1) || !kernel_->program->can_run_on(d))
			continue;
		if (!device_)
			device_ = &d;
		else if (kernel_->on(d) && d.compute->is_in_place() == device_->compute->is_in_place())
			stealable_by |= uint32_t{1} << i;
	}
	if (!device_)
		return fail(HET_ENODEV, "het_launch: none of the queue's devices can run kernel %s",
			    kernel_->name.get());
	where.store(&device_->executor);
	return kernel_->prepare(*device_);
}

// Links come before the order of commands is known: an edge belongs to all that have a part of it.
int launch::prepare_memory()
{
	bool links = nuses_ && !device_->compute->is_in_place();
	if (int err = links ? start_memory() : 0)
		return err;
	for (size_t i = 0; i < nuses_; i++) {
		range_use &u = uses_[i];
		if (int err = links ? link_range(u.bytes, *device_) : 0)
			return err;
		entries_[i].bytes = widen_to_edges(u.bytes);
		entries_[i].reads = u.access & HET_READ_ONLY;
		entries_[i].writes = u.access & HET_WRITE_ONLY;
	}
	accesses = entries_.first(nuses_);
	return 0;
}

int launch::take(const het_launch_args &args)
{
	kernel_ = reference<het_kernel>::to(args.kernel);
	int err = take_shape(args);
	if (!err)
		err = take_arguments(args);
	if (!err)
		err = choose_device(args);
	return err ? err : prepare_memory();
}

// --- the life ------------------------------------------------------------------

void launch::place_arguments()
{
	size_t use = 0;
	for (device_arg &a : args_) {
		if (is_memory(a.kind))
			a.buffer = buffer_of(uses_[use++], *device_, &a.offset);
	}
}

int launch::bring_uses_to_host()
{
	int err = 0;
	for (size_t i = 0; i < nuses_ && !err; i++)
		err = bring_to_host(uses_[i].bytes, uses_[i].access);
	return err;
}

int launch::begin_on_device()
{
	if (int err = device_->compute->is_in_place() ? bring_uses_to_host() : begin_ranges(uses_, *device_))
		return err;
	if (!device_->compute->is_in_place())
		place_arguments();
	int err = device_->compute->submit(*kernel_->on(*device_), shape_, args_, on_device);
	if (err)
		end_ranges(uses_, *device_);
	return err;
}

// Another executor than the one that was chosen may have stolen the command.
int launch::begin(executor &x)
{
	device_ = core().devices[x.number()].get();
	int err = begin_on_device();
	if (err)
		return err;
	return device_->compute->has_queue() ? in_flight : end();
}

int launch::end()
{
	kernel_->has_run(*device_);
	return end_ranges(uses_, *device_);
}

} // namespace het::rt
