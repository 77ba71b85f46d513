// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/program.h"

#include "core/exit.h"
#include "core/ranges.h"
#include "core/raw_memory.h"
#include "dev/parameter.h"
#include "fatbin/checksum.h"
#include "os/log.h"

#include <cstring>
#include <new>
#include <utility>

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

het_program::~het_program()
{
	forget_variables(*this);
}

bool het_program::copy_texts(const het_program_args &args)
{
	size_t n = length_of(args.source) + length_of(args.options);
	for (size_t i = 0; i < args.nfunctions; i++)
		n += length_of(args.functions[i].name);
	for (size_t i = 0; i < args.nimages; i++)
		n += args.images[i].nbytes + 1;
	for (size_t i = 0; i < args.nheaders; i++)
		n += length_of(args.headers[i].name) + length_of(args.headers[i].source);
	headers_.reset(new (std::nothrow) het_header[args.nheaders]);
	texts_.reset(new (std::nothrow) char[n]);
	functions_.reset(new (std::nothrow) het_function[args.nfunctions]);
	modules_.reset(new (std::nothrow) het_image[args.nimages]);
	if (!texts_ || !functions_ || !modules_ || !headers_)
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
	for (size_t i = 0; i < args.nheaders; i++) {
		headers_[i].name = put(&at, args.headers[i].name);
		headers_[i].source = put(&at, args.headers[i].source);
	}
	source_.headers = {headers_.get(), args.nheaders};
	source_.is_object = args.flags & HET_PROGRAM_OBJECT;
	source_.instruments = args.instruments;
	source_.one_of = args.one_of;
	return true;
}

bool het_program::take_objects(const het_program_args &args)
{
	objects_.reset(new (std::nothrow) reference<het_program>[args.nobjects]);
	if (!objects_)
		return false;
	for (nobjects_ = 0; nobjects_ < args.nobjects; nobjects_++)
		objects_[nobjects_] = reference<het_program>::to(args.objects[nobjects_]);
	return true;
}

int het_program::take(const het_program_args &args)
{
	if (!copy_texts(args) || !take_objects(args))
		return fail(HET_ENOMEM, "het_program_create: out of memory");
	if (!args.fat_binary && !args.file && !args.section)
		return 0;
	fat_binary_.reset(new (std::nothrow) fat_binary);
	if (!fat_binary_)
		return fail(HET_ENOMEM, "het_program_create: out of memory");
	source_.fat = &fat_binary_->contents();
	return fat_binary_->open(args);
}

uint64_t het_program::identity() const
{
	uint64_t sum = source_.fat ? source_.fat->identity() : 0;
	auto add = [&](const void *p, size_t n) {
		const uint64_t parts[] = {sum, het::fatbin::checksum({static_cast<const std::byte *>(p), n})};
		sum = het::fatbin::checksum(std::as_bytes(std::span(parts)));
	};
	if (source_.opencl)
		add(source_.opencl, strlen(source_.opencl));
	if (source_.opencl && source_.options)
		add(source_.options, strlen(source_.options));
	for (const het_image &i : source_.images)
		add(i.data, i.nbytes);
	for (const het_header &h : source_.headers)
		add(h.source, strlen(h.source));
	for (size_t i = 0; i < nobjects_; i++) {
		const uint64_t part = objects_[i]->identity();
		add(&part, sizeof(part));
	}
	return sum;
}

int het_program::build_objects(het_device &d)
{
	for (size_t i = 0; i < nobjects_; i++) {
		if (int err = objects_[i]->build(d))
			return err;
	}
	return 0;
}

// The objects were built before, and stay.
int het_program::link_locked(het_device &d)
{
	built &i = built_[d.executor.number()];
	std::unique_ptr<device_program *[]> parts(new (std::nothrow) device_program *[nobjects_]);
	if (!parts)
		return fail(HET_ENOMEM, "%s: no memory to link %zu programs", d.compute->info().name, nobjects_);
	for (size_t n = 0; n < nobjects_; n++)
		parts[n] = objects_[n]->built_[d.executor.number()].program.get();
	return d.compute->link(source_, {parts.get(), nobjects_}, i.program, i.log);
}

int het_program::build_locked(het_device &d, device_program **made)
{
	built &i = built_[d.executor.number()];
	if (!can_run_on(d))
		return fail(HET_ENODEV, "%s: the program has no kernels for this device", d.compute->info().name);
	if (!i.program && !i.failure) {
		i.failure = nobjects_ ? link_locked(d) : d.compute->build(source_, i.program, i.log);
		if (i.failure)
			failed_.fetch_or(uint32_t{1} << d.executor.number());
		wait_at_exit();
	}
	if (made)
		*made = i.program.get();
	return i.failure;
}

int het_program::build(het_device &d, device_program **made)
{
	if (int err = build_objects(d))
		return err;
	building_guard g(*this);
	return build_locked(d, made);
}

const char *het_program::log(const het_device &d)
{
	building_guard g(*this);
	const text &log = built_[d.executor.number()].log;
	return log ? log.get() : "";
}

int het_program::find_variable(het_device &d, const char *name, void **address, size_t *nbytes)
{
	if (int err = build_objects(d))
		return err;
	building_guard g(*this);
	device_program *built = nullptr;
	void *at = nullptr;
	size_t size = 0;
	int err = build_locked(d, &built);
	if (err)
		return err;
	err = built->find_variable(name, &at, &size);
	if (err == HET_ENODEV)
		return fail(err, "%s: programs have variables with names on devices of kind CUDA alone",
			    d.compute->info().name);
	if (err == HET_ENAME)
		return fail(err, "%s: the program has no variable %s", d.compute->info().name, name);
	if (!err)
		err = start_memory(); // comes first, as copies go through it
	if (!err)
		err = add_variable(d, *this, at, size);
	if (err)
		return err;
	*address = at;
	*nbytes = size;
	return 0;
}

bool het::rt::concerns_one_device(int code)
{
	return code == HET_EBUILD || code == HET_EIMAGE || code == HET_EDEVICE;
}

int het_kernel::open(const char *wanted)
{
	size_t n = length_of(wanted);
	name.reset(new (std::nothrow) char[n]);
	if (!name)
		return fail(HET_ENOMEM, "kernel %s: no memory", wanted);
	memcpy(name.get(), wanted, n);
	identity = program->identity();
	speeds.name(identity, name.get());
	if (program->fat() && !program->fat()->find(wanted, described_))
		return fail(HET_ENAME, "the fat binary has no kernel %s; het-fatbin list names those that it has",
			    wanted);
	int failure = 0;
	for (unsigned i = 0; i < core().ndevices; i++) {
		het_device &d = *core().devices[i];
		if (!program->can_run_on(d))
			continue;
		int err = prepare(d);
		if (!err)
			nargs = on(d)->nargs();
		if (!err || !concerns_one_device(err))
			return err;
		failure = failure ? failure : err;
	}
	return failure ? failure : fail(HET_ENODEV, "kernel %s: the program has nothing for any device here", wanted);
}

// A launch that the description allows must fit what runs.
int het_kernel::check_image(const het_device &d, const device_kernel &k) const
{
	if (!description() || k.nargs() == described_.narguments)
		return 0;
	return fail(HET_EIMAGE, "%s: kernel %s has %u arguments here, and %u in the fat binary: build that again",
		    d.compute->info().name, name.get(), k.nargs(), described_.narguments);
}

int het_kernel::prepare(het_device &d)
{
	unsigned i = d.executor.number();
	if (on(d))
		return 0;
	if (int err = program->build_objects(d))
		return err;
	building_guard g(*program);
	if (on(d))
		return 0;
	device_program *built = nullptr;
	int err = program->build_locked(d, &built);
	if (!err)
		err = built->make_kernel(name.get(), kernels_[i]);
	if (!err)
		err = check_image(d, *kernels_[i]);
	if (err == HET_ENAME)
		return fail(err, "%s: the program has no kernel %s", d.compute->info().name, name.get());
	if (!err)
		ready_[i].store(kernels_[i].get(), std::memory_order_release);
	return err;
}

int het_kernel::prepare_slices(het_device &d, const slicing &how, device_kernel **made)
{
	if (int err = program->build_objects(d))
		return err;
	building_guard g(*program);
	for (slice_kernel *s = slice_kernels_.get(); s; s = s->next.get()) {
		*made = s->kernel.get();
		if (s->device == &d && s->how == how)
			return 0;
	}
	std::unique_ptr<slice_kernel> s(new (std::nothrow) slice_kernel{&d, how, nullptr, nullptr});
	if (!s)
		return fail(HET_ENOMEM, "kernel %s: no memory", name.get());
	device_program *built = nullptr;
	int err = program->build_locked(d, &built);
	if (!err)
		err = built->make_slice_kernel(name.get(), how, s->kernel);
	wait_at_exit();
	if (err)
		return err;
	*made = s->kernel.get();
	s->next = std::move(slice_kernels_);
	slice_kernels_ = std::move(s);
	return 0;
}

const char *het_kernel::why_not_in_place(het_device &d)
{
	building_guard g(*program);
	device_program *built = nullptr;
	return program->build_locked(d, &built) ? "its program can't be built" : built->why_not_in_place();
}

bool het_kernel::prepare_stops(het_device &d)
{
	uint32_t bit = uint32_t{1} << d.executor.number();
	if (!(asked_for_stops_.load(std::memory_order_acquire) & bit)) {
		building_guard g(*program);
		if (!(asked_for_stops_.load() & bit) && on(d)->prepare_stops())
			has_stops_.fetch_or(bit);
		asked_for_stops_.fetch_or(bit);
	}
	return has_stops_.load(std::memory_order_relaxed) & bit;
}

int het_kernel::check_argument(uint32_t i, const device_arg &given) const
{
	if (!description())
		return 0;
	auto kind_of = [](het::fatbin::space s) {
		switch (s) {
		case het::fatbin::space::value:
			return parameter::value;
		case het::fatbin::space::local:
			return parameter::local;
		case het::fatbin::space::global:
		case het::fatbin::space::constant:
			return parameter::memory;
		case het::fatbin::space::image:
			return parameter::texture;
		case het::fatbin::space::sampler:
			return parameter::sampler;
		}
		return parameter::unknown;
	};
	const het::fatbin::argument a = program->fat()->argument(described_, i);
	const parameter p = {kind_of(a.space), a.size, a.type, a.name};
	return is_null_pointer(p, given) || fits(p, given) ? 0 : say_misfit(name.get(), i, p, given);
}

int het_kernel::describe_argument(uint32_t i, het_argument_info &info) const
{
	building_guard g(*program);
	for (const auto &made : kernels_) {
		if (made && !made->describe_argument(i, info))
			return 0;
	}
	return HET_ESTATE;
}

void het_kernel::has_run(const het_device &d)
{
	uint32_t bit = uint32_t{1} << d.executor.number();
	if (!(ran_.load(std::memory_order_relaxed) & bit) && !(ran_.fetch_or(bit) & bit))
		wait_at_exit();
}

device_kernel *het_kernel::on(const het_device &d) const
{
	return ready_[d.executor.number()].load(std::memory_order_acquire);
}
