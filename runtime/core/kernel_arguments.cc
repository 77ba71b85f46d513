// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/kernel_arguments.h"

#include "core/memory.h"
#include "core/raw_memory.h"
#include "core/texture.h"
#include "os/log.h"

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>

namespace het::rt
{

namespace
{

constexpr size_t value_alignment = 128; // is that of OpenCL's largest vectors

size_t value_bytes(const het_arg &a)
{
	return a.kind == HET_ARG_VALUE || a.kind == HET_ARG_BLOCK ? round_up(a.nbytes, value_alignment) : 0;
}

// Arguments may have been made by an older program than the header that we know.
het_arg argument(const het_launch_args &args, size_t i)
{
	het_arg a = {};
	memcpy(&a, reinterpret_cast<const char *>(args.args) + i * args.arg_size, args.arg_size);
	return a;
}

bool begins_with_block(const het_launch_args &args)
{
	return args.nargs && args.args && args.arg_size >= offsetof(het_arg, pattern) &&
	       argument(args, 0).kind == HET_ARG_BLOCK;
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

retained_objects::~retained_objects()
{
	for (object *o : room_.first(n_))
		o->release();
}

void retained_objects::retain(object &o)
{
	o.retain();
	room_[n_++] = &o;
}

int kernel_arguments::take_shape(const het_launch_args &args)
{
	if (!args.dimensions || args.dimensions > 3)
		return fail(HET_EARG, "het_launch: %u dimensions; 1 to 3 are possible", args.dimensions);
	constexpr uint32_t known = HET_SPLIT | HET_SPLIT_UNSAFE | HET_TOUCH_AFTER_WAIT;
	if (args.flags & ~known || (args.flags & (HET_SPLIT | HET_SPLIT_UNSAFE)) == HET_SPLIT_UNSAFE)
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

int kernel_arguments::allocate(const het_launch_args &args)
{
	size_t n = args.nargs, values = 0;
	if (!n)
		return 0;
	for (size_t i = 0; i < n; i++)
		values += value_bytes(argument(args, i));
	constexpr size_t slack = 6 * alignof(std::max_align_t) + value_alignment;
	size_t each = sizeof(device_arg) + sizeof(range_use) + sizeof(het_pattern) + 2 * sizeof(access_entry);
	each += sizeof(object *); // NOLINT(bugprone-sizeof-expression): pointers are what is stored
	storage_.reset(new (std::nothrow) char[values + n * each + slack]);
	if (!storage_)
		return fail(HET_ENOMEM, "het_launch: no memory for %zu arguments", n);
	values_ = reinterpret_cast<char *>(round_up(reinterpret_cast<uintptr_t>(storage_.get()), value_alignment));
	char *at = values_ + values;
	args_ = cut<device_arg>(&at, n);
	uses_ = cut<range_use>(&at, n);
	patterns_ = cut<het_pattern>(&at, n);
	entries_ = cut<access_entry>(&at, n);
	textures_ = cut<access_entry>(&at, n);
	objects_ = retained_objects(cut<object *>(&at, n));
	return 0;
}

int kernel_arguments::take_device(size_t i, het_device &d)
{
	if (addressed_ && addressed_ != &d)
		return fail(HET_EARG, "het_launch: argument %zu is on %s, and one before on %s", i,
			    d.compute->info().name, addressed_->compute->info().name);
	addressed_ = &d;
	return 0;
}

int kernel_arguments::take_texture(size_t i, const het_arg &given, device_arg &arg)
{
	auto *t = static_cast<het_texture *>(given.pointer);
	if (!t)
		return fail(HET_ENULL, "het_launch: argument %zu has no texture", i);
	if (int err = take_device(i, *t->device))
		return err;
	objects_.retain(*t);
	arg.pointer = t->handle;
	// A kernel may leave texels as they are.
	textures_[ntextures_++] = {.bytes = t->name(), .reads = true, .writes = bool(given.access & HET_WRITE_ONLY)};
	return 0;
}

int kernel_arguments::take_sampler(size_t i, const het_arg &given, device_arg &arg)
{
	auto *s = static_cast<het_sampler *>(given.pointer);
	if (!s)
		return fail(HET_ENULL, "het_launch: argument %zu has no sampler", i);
	if (int err = take_device(i, *s->device))
		return err;
	objects_.retain(*s);
	arg.pointer = s->handle;
	return 0;
}

// Drivers take what is no device's, too: another device's kernel would use the host's memory, or what lies at that
// address there.
int kernel_arguments::take_address(size_t i, void *address)
{
	has_addresses_ = true;
	if (!address)
		return 0;
	for (unsigned d = 0; d < core().ndevices; d++) {
		reference<raw_range> raw = find_raw(*core().devices[d], range_of(address, 1));
		if (!raw)
			continue;
		if (int err = take_device(i, raw->device))
			return err;
		objects_.retain(*raw);
		return 0;
	}
	return fail(HET_EARG,
		    "het_launch: argument %zu: %p is no address in memory of het_device_alloc() or a variable", i,
		    address);
}

int kernel_arguments::take_pattern(size_t i, const het_arg &given, het_pattern &p)
{
	if (given.pattern->size != sizeof(p))
		return fail(HET_EARG, "het_launch: the pattern of argument %zu has size %zu; want %zu", i,
			    given.pattern->size, sizeof(p));
	p = *given.pattern;
	constexpr uint64_t most = uint64_t{1} << 62; // keeps sums from overflowing
	uint64_t far = 0, last = shape_.global[0] * shape_.global[1] * shape_.global[2];
	bool ok = p.count && p.length && p.offset > -int64_t(most) && p.offset < int64_t(most) && p.length < most &&
		  !__builtin_mul_overflow(last, p.step, &far) && far < most &&
		  !__builtin_mul_overflow(p.count, p.stride, &far) && far < most;
	if (!ok)
		return fail(HET_EARG, "het_launch: the pattern of argument %zu has no bytes, or too many", i);
	if ((given.access & HET_WRITE_ONLY) && p.length > p.step)
		return fail(
			HET_EARG,
			"het_launch: argument %zu is written, and the pieces of its pattern overlap: length %" PRIu64
			" is more than step %" PRIu64,
			i, p.length, p.step);
	return 0;
}

int kernel_arguments::take_argument(const het_arg &given, device_arg &arg)
{
	size_t i = size_t(&arg - args_.data());
	bool described = given.kind != HET_ARG_BLOCK && !has_block();
	arg = {given.kind, given.access, given.nbytes, given.pointer, nullptr, 0};
	if (int err = !described ? 0 : kernel_->check_argument(uint32_t(i), arg))
		return err;
	bool has_access = given.access >= HET_READ_ONLY && given.access <= HET_READ_WRITE;
	if (is_memory(given.kind) || given.kind == HET_ARG_TEXTURE ? !has_access : given.access != 0)
		return fail(HET_EARG, "het_launch: argument %zu has access %u", i, given.access);
	range bytes;
	switch (given.kind) {
	case HET_ARG_BLOCK:
	case HET_ARG_VALUE:
		if (!given.pointer || !given.nbytes)
			return fail(HET_ENULL, "het_launch: argument %zu is a value or block without bytes", i);
		memcpy(values_, given.pointer, given.nbytes);
		arg.pointer = values_;
		values_ += value_bytes(given);
		return 0;
	case HET_ARG_LOCAL:
		if (!given.nbytes)
			return fail(HET_EARG, "het_launch: argument %zu has 0 bytes of local memory", i);
		if (__builtin_add_overflow(local_bytes_, given.nbytes, &local_bytes_))
			local_bytes_ = UINT64_MAX;
		return 0;
	case HET_ARG_ADDRESS:
		return take_address(i, given.pointer);
	case HET_ARG_TEXTURE:
		return take_texture(i, given, arg);
	case HET_ARG_SAMPLER:
		return take_sampler(i, given, arg);
	case HET_ARG_MEMORY:
		if (!given.memory)
			return fail(HET_ENULL, "het_launch: argument %zu has no memory object", i);
		objects_.retain(*given.memory);
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
	uses_[nuses_] = {bytes, given.access};
	int err = given.pattern ? take_pattern(i, given, patterns_[nuses_]) : 0;
	nuses_++;
	return err;
}

int kernel_arguments::take_arguments(const het_launch_args &args)
{
	bool fits = args.nargs == kernel_->nargs;
	if (!fits && !begins_with_block(args))
		return fail(HET_EARG, "het_launch: %zu arguments; kernel %s has %u", args.nargs, kernel_->name.get(),
			    kernel_->nargs);
	bool known = args.arg_size == sizeof(het_arg) || args.arg_size == offsetof(het_arg, pattern);
	if (args.nargs && (!args.args || !known))
		return fail(HET_EARG, "het_launch: args %p of %zu bytes each; want sizeof(struct het_arg), %zu",
			    static_cast<const void *>(args.args), args.arg_size, sizeof(het_arg));
	if (int err = allocate(args))
		return err;
	for (size_t i = 0; i < args.nargs; i++) {
		het_arg a = argument(args, i);
		bool in_place = a.kind == HET_ARG_BLOCK ? !i : !has_block() || a.kind == HET_ARG_LOCAL;
		if (!in_place)
			return fail(HET_EARG,
				    "het_launch: argument %zu: a block comes first, and local memory alone behind it",
				    i);
		if (int err = take_argument(a, args_[i]))
			return err;
	}
	uses_ = uses_.first(nuses_);
	patterns_ = patterns_.first(nuses_);
	entries_ = entries_.first(nuses_ + ntextures_);
	std::copy_n(textures_.begin(), ntextures_, entries_.begin() + ptrdiff_t(nuses_));
	return 0;
}

int kernel_arguments::check_arguments(const device_kernel *k) const
{
	if (k && !has_block() && k->nargs() != args_.size())
		return fail(HET_EARG, "het_launch: %zu arguments; kernel %s has %u on another device", args_.size(),
			    kernel_->name.get(), k->nargs());
	size_t n = !k ? 0 : has_block() ? 1 : args_.size();
	for (size_t i = 0; i < n; i++) {
		if (int err = k->check_argument(kernel_->name.get(), i, args_[i]))
			return err;
	}
	return 0;
}

int kernel_arguments::take(const het_launch_args &args)
{
	kernel_ = reference<het_kernel>::to(args.kernel);
	named_ = args.device;
	flags_ = args.flags;
	int err = take_shape(args);
	return err ? err : take_arguments(args);
}

} // namespace het::rt
