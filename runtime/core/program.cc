// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/program.h"

#include "os/log.h"

#include <cstring>
#include <new>

using namespace het::rt;
using het::fail;

namespace
{

class building_guard
{
      public:
	explicit building_guard(het_program &p) : program_(p) { program_.building.lock(het::lock_rank::driver); }
	~building_guard() { program_.building.unlock(het::lock_rank::driver); }
	building_guard(const building_guard &) = delete;
	building_guard &operator=(const building_guard &) = delete;

      private:
	het_program &program_;
};

size_t length_of(const char *s)
{
	return s ? strlen(s) + 1 : 0;
}

// Copies bytes to *at, with a 0 behind them, and moves that on.
const char *put(char **at, const void *bytes, size_t n)
{
	char *copy = *at;
	memcpy(copy, bytes, n);
	copy[n] = 0;
	*at += n + 1;
	return copy;
}

const char *put(char **at, const char *s)
{
	return s ? put(at, s, strlen(s)) : nullptr;
}

} // namespace

bool het_program::take(const het_program_args &args)
{
	size_t n = length_of(args.source) + length_of(args.options);
	for (size_t i = 0; i < args.nfunctions; i++)
		n += length_of(args.functions[i].name);
	for (size_t i = 0; i < args.nimages; i++)
		n += args.images[i].nbytes + 1;
	texts_.reset(new (std::nothrow) char[n]);
	functions_.reset(new (std::nothrow) het_function[args.nfunctions]);
	modules_.reset(new (std::nothrow) het_image[args.nimages]);
	if (!texts_ || !functions_ || !modules_)
		return false;
	char *at = texts_.get();
	source_.opencl = put(&at, args.source);
	source_.options = put(&at, args.options);
	for (size_t i = 0; i < args.nfunctions; i++) {
		functions_[i] = args.functions[i];
		functions_[i].name = put(&at, args.functions[i].name);
	}
	source_.functions = {functions_.get(), args.nfunctions};
	for (size_t i = 0; i < args.nimages; i++) {
		modules_[i] = args.images[i];
		modules_[i].data = put(&at, args.images[i].data, args.images[i].nbytes);
	}
	source_.images = {modules_.get(), args.nimages};
	return true;
}

int het_program::build_locked(het_device &d, device_program **made)
{
	image &i = images_[d.executor.number()];
	if (!can_run_on(d))
		return fail(HET_ENODEV, "%s: the program has no kernels for this kind of device",
			    d.compute->info().name);
	if (!i.program && !i.failure) {
		i.failure = d.compute->build(source_, i.program, i.log);
		precede_drivers_at_exit();
	}
	if (made)
		*made = i.program.get();
	return i.failure;
}

int het_program::build(het_device &d, device_program **made)
{
	building_guard g(*this);
	return build_locked(d, made);
}

const char *het_program::log(const het_device &d)
{
	building_guard g(*this);
	const text &log = images_[d.executor.number()].log;
	return log ? log.get() : "";
}

int het_kernel::open(const char *wanted)
{
	size_t n = length_of(wanted);
	name.reset(new (std::nothrow) char[n]);
	if (!name)
		return fail(HET_ENOMEM, "kernel %s: no memory", wanted);
	memcpy(name.get(), wanted, n);
	for (unsigned i = 0; i < core().ndevices; i++) {
		het_device &d = *core().devices[i];
		if (!program->can_run_on(d))
			continue;
		int err = prepare(d);
		if (!err)
			nargs = on(d)->nargs();
		return err;
	}
	return fail(HET_ENODEV, "kernel %s: the program has nothing for any device here", wanted);
}

int het_kernel::prepare(het_device &d)
{
	unsigned i = d.executor.number();
	if (on(d))
		return 0;
	building_guard g(*program);
	if (on(d))
		return 0;
	device_program *built = nullptr;
	int err = program->build_locked(d, &built);
	if (!err)
		err = built->make_kernel(name.get(), kernels_[i]);
	if (err == HET_ENAME)
		return fail(err, "%s: the program has no kernel %s", d.compute->info().name, name.get());
	if (!err)
		ready_[i].store(kernels_[i].get(), std::memory_order_release);
	return err;
}

void het_kernel::has_run(const het_device &d)
{
	uint32_t bit = uint32_t{1} << d.executor.number();
	if (!(ran_.load(std::memory_order_relaxed) & bit) && !(ran_.fetch_or(bit) & bit))
		precede_drivers_at_exit();
}

device_kernel *het_kernel::on(const het_device &d) const
{
	return ready_[d.executor.number()].load(std::memory_order_acquire);
}
