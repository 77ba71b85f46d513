// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/launch_description.h"

#include "core/kernel_command.h"
#include "core/memory.h"
#include "os/log.h"

#include <algorithm>

namespace het::rt
{

using checkpoint::argument_kind;
using checkpoint::launch_argument;
using checkpoint::launch_command;

static_assert(HET_ARG_VALUE == int(argument_kind::value) && HET_ARG_LOCAL == int(argument_kind::local) &&
	      HET_ARG_MEMORY == int(argument_kind::memory));

namespace
{

constexpr char this_call[] = "het_checkpoint_write";

int fail_without_memory()
{
	return fail(HET_ENOMEM, "%s: no memory for the launches", this_call);
}

} // namespace

int launch_description::refuse(const kernel_command &c, size_t i, const char *why) const
{
	return fail(HET_EARG, "%s: a launch of kernel %s can't be in a file: argument %zu is %s", this_call,
		    c.name_of_kernel(), i, why);
}

int launch_description::add_names()
{
	bool ok = true;
	for (size_t i = 0; i < args_.nprograms; i++)
		ok = ok && list_.add_program(args_.programs[i].name, args_.programs[i].program->identity());
	for (size_t i = 0; i < args_.nitems; i++) {
		const het_checkpoint_item &item = args_.items[i];
		ok = ok && list_.add_item(item.name, item.memory ? item.memory->bytes().size() : item.nbytes);
	}
	return ok ? 0 : fail_without_memory();
}

// The last ones are looked at first: a program that takes steps has few.
int launch_description::find_kernel(const het_kernel &k, uint32_t *number)
{
	for (size_t i = kernels_.size(); i > 0; i--) {
		if (kernels_[i - 1] == &k) {
			*number = uint32_t(i - 1);
			return 0;
		}
	}
	size_t p = 0;
	while (p < args_.nprograms && args_.programs[p].program != k.program.get())
		p++;
	if (p == args_.nprograms)
		return fail(HET_EARG, "%s: a launch of kernel %s has not begun: give its program a name", this_call,
			    k.name.get());
	*number = uint32_t(kernels_.size());
	return kernels_.push(&k) && list_.add_kernel(k.name.get(), uint32_t(p)) ? 0 : fail_without_memory();
}

int launch_description::add_memory(const kernel_command &c, size_t i, size_t use)
{
	const range_use &u = c.uses()[use];
	const size_t item = ranges_.find_cover(u.bytes);
	if (item == item_ranges::none)
		return refuse(c, i, "memory that is not in one item: make it one");
	const uintptr_t first = args_.items[item].memory ? args_.items[item].memory->bytes().begin
							 : reinterpret_cast<uintptr_t>(args_.items[item].pointer);
	launch_argument a = {.kind = argument_kind::memory,
			     .access = u.access,
			     .nbytes = u.bytes.size(),
			     .at = u.bytes.begin - first,
			     .item = uint32_t(item)};
	if (const het_pattern *p = c.asked_pattern(use)) {
		a.has_pattern = 1;
		a.offset = p->offset;
		a.step = p->step;
		a.length = p->length;
		a.count = p->count;
		a.stride = p->stride;
	}
	return list_.add_argument(a) ? 0 : fail_without_memory();
}

int launch_description::add_argument(const kernel_command &c, size_t i, size_t use)
{
	const device_arg &a = c.arguments()[i];
	switch (a.kind) {
	case HET_ARG_MEMORY:
	case HET_ARG_RANGE:
		return add_memory(c, i, use);
	case HET_ARG_VALUE:
		return list_.add_argument({.kind = argument_kind::value},
					  {static_cast<const std::byte *>(a.pointer), a.nbytes})
			       ? 0
			       : fail_without_memory();
	case HET_ARG_LOCAL:
		return list_.add_argument({.kind = argument_kind::local, .nbytes = a.nbytes}) ? 0
											      : fail_without_memory();
	case HET_ARG_ADDRESS:
		return refuse(c, i, "an address of raw device memory, which means nothing in another process");
	case HET_ARG_BLOCK:
		return refuse(c, i,
			      "a parameter block, in which addresses may be that mean nothing in another process");
	default:
		return refuse(c, i, "a texture or a sampler, which one device alone can read");
	}
}

int launch_description::add_launch(const het_event &e, const kernel_command &c)
{
	const launch_shape &s = c.asked_shape();
	// What a program promises of its touches another run of it may not keep.
	launch_command l = {.dimensions = s.dimensions,
			    .flags = c.asked_flags() & ~uint32_t{HET_TOUCH_AFTER_WAIT},
			    .priority = e.own_level};
	std::copy_n(s.global, s.dimensions, l.global);
	std::copy_n(s.offset, s.dimensions, l.offset);
	std::copy_n(s.local, s.dimensions, l.local);
	if (int err = find_kernel(c.asked_kernel(), &l.kernel))
		return err;
	if (!list_.add_command(l))
		return fail_without_memory();
	size_t use = 0;
	for (size_t i = 0; i < c.arguments().size(); i++) {
		if (int err = add_argument(c, i, use))
			return err;
		use += kernel_command::is_memory(c.arguments()[i].kind);
	}
	return 0;
}

int launch_description::describe(const checkpoint_moment &m, checkpoint::list<std::byte> &all)
{
	if (!m.ncommands())
		return 0;
	if (int err = add_names())
		return err;
	for (size_t i = 0; i < m.ncommands(); i++) {
		const het_event &e = m.command(i);
		int err = 0;
		if (m.is_launch(i))
			err = add_launch(e, *e.as_launch());
		else if (!list_.add_command({.kernel = checkpoint::no_kernel}))
			err = fail_without_memory();
		for (const uint32_t before : m.before(i)) {
			if (!err && !list_.add_before(before))
				err = fail_without_memory();
		}
		if (err)
			return err;
	}
	return list_.build(all) ? 0 : fail_without_memory();
}

} // namespace het::rt
