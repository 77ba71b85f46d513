// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The device `cuda` is a GPU through NVIDIA's driver, in its primary context, with a stream for the kernels of each
// level of urgency. Buffers are addresses.
#include "dev/cuda_buffers.h"
#include "dev/cuda_in_place.h"
#include "dev/cuda_lanes.h"
#include "dev/cuda_notes.h"
#include "dev/cuda_program.h"
#include "dev/cuda_slices.h"
#include "dev/cuda_stops.h"
#include "dev/cuda_twins.h"
#include "dev/group_rules.h"
#include "dev/memory_device.h"
#include "dev/opening.h"
#include "os/clock.h"
#include "os/log.h"

#include <algorithm>
#include <cstdio>
#include <gpuvm.h>
#include <new>

namespace het::rt
{

namespace
{

// Groups have this size where the caller leaves it to us.
constexpr size_t usual_group = 256;

class cuda_memory final : public memory_device
{
      public:
	cuda_memory(cuda_buffers &buffers, cu_context context, std::unique_ptr<device> inner)
	    : memory_device(std::move(inner)), buffers_(buffers), context_(context)
	{
	}
	int retain(void *buffer, size_t) override
	{
		buffers_.retain(buffer);
		return 0;
	}
	void release(void *buffer) override { buffers_.release(buffer, context_); }

      private:
	cuda_buffers &buffers_;
	const cu_context context_;
};

class cuda_compute final : public compute_device
{
      public:
	cuda_compute(const cuda_calls &cu, int ordinal)
	    : cu_(cu), ordinal_(ordinal), buffers_(cu), sheets_(cu), lanes_(cu), twins_(cu, lanes_),
	      stops_(cu, lanes_, sheets_)
	{
		describe();
	}

	const het_device_info &info() const override { return info_; }
	uint32_t unit_registers() const override { return unit_registers_; }
	cache::profiled_device profiled() const override;
	bool has_queue() const override { return true; }
	bool has_lanes() const override { return true; }
	void raised(unsigned lane, int8_t level) override;
	void announced(int8_t level, uint64_t lead_ns) override;
	uint64_t bytes_for_stops() override { return stops_.count_bytes(); }
	uint64_t drop_stops() override;
	bool is_in_place() const override { return false; }
	bool knows_offsets() const override { return false; }
	size_t wanted_groups() const override { return size_t{info_.units} * groups_of_gpu_unit; }
	bool has_addresses() const override { return true; }
	bool takes_blocks() const override { return true; }
	bool can_build(const program_source &source) const override
	{
		fatbin::image best;
		return !source.images.empty() || (source.fat && fatbin::pick(*source.fat, can_, 0, best));
	}

	bool takes(const device_kernel *k, const launch_shape &shape, fatbin::fault &why) const override;

	int build(const program_source &source, std::unique_ptr<device_program> &made, text &log) override;
	uint64_t free_memory() override;
	int allocate(size_t nbytes, void **buffer) override;
	void drop(void *buffer) override { buffers_.release(buffer, context_); }
	void *address_of(void *buffer) const override { return buffer; }
	std::unique_ptr<device> make_memory(unsigned index, unsigned lanes, int *error) override;
	uint64_t address_of_pinned(void *host) override;
	bool makes_twins() const override { return true; }
	int make_twin(size_t nbytes, std::unique_ptr<device_twin> &made) override;

	int submit(device_kernel &kernel, const launch_shape &shape, std::span<const device_arg> args,
		   ticket &t) override;
	int wait(ticket &t, command_times &times) override;
	bool is_lost() override;
	void show_prints() override;

      private:
	void describe();
	uint64_t attribute(int which) const;
	int open()
	{
		return opening_.once([this] { return open_now(); });
	}
	int open_now();
	int make_notes(cuda_kernel &k, std::unique_ptr<cuda_notes> &made);
	int launch(cuda_kernel &k, const unsigned (&groups)[3], const unsigned (&items)[3], cuda_notes *notes,
		   std::span<const device_arg> args, ticket &t);
	cuda_stopped *take_stop(cuda_kernel &k, const launch_shape &shape, const unsigned (&groups)[3],
				const unsigned (&items)[3], const ticket &t);
	int go_behind_other_lanes(const cuda_kernel &k, const launch_shape &shape, const ticket &t);
	int failed(const char *what, int error) const
	{
		return fail(HET_EDEVICE, "%s: %s failed: %s (%d)", info_.name, what, cu_.name_of(error), error);
	}

	const cuda_calls &cu_;
	const int ordinal_;
	cu_device device_ = 0;
	het_device_info info_ = {};
	uint32_t unit_registers_ = 0, unit_threads_ = 0;
	char name_[128];
	fatbin::abilities can_ = {};
	cuda_buffers buffers_;
	cuda_sheets sheets_; // for notes and slices
	cuda_slice_controls slices_[cuda_lanes::most];
	cuda_granule_tables granule_tables_;
	cuda_lanes lanes_;
	cuda_twins twins_;
	cuda_stops stops_;

	opening opening_;
	cu_context context_ = nullptr;
};

// Returns 0 for what the driver does not tell.
uint64_t cuda_compute::attribute(int which) const
{
	int value = 0;
	return cu_.device_attribute(&value, which, device_) ? 0 : uint64_t(value);
}

void cuda_compute::describe()
{
	char device_name[96] = "unnamed device";
	size_t memory = 0;
	if (!cu_.get_device(&device_, ordinal_)) {
		cu_.device_name(device_name, sizeof(device_name), device_);
		cu_.total_memory(&memory, device_);
	}
	snprintf(name_, sizeof(name_), "%s (CUDA %d)", device_name, ordinal_);
	info_ = {.size = sizeof(info_),
		 .kind = HET_DEVICE_CUDA,
		 .units = uint32_t(attribute(cu_attribute_multiprocessor_count)),
		 .group_size = attribute(cu_attribute_max_threads_per_block),
		 .memory = memory,
		 .local_memory = attribute(cu_attribute_max_shared_memory_per_block),
		 .name = name_};
	unit_registers_ = uint32_t(attribute(cu_attribute_registers_per_multiprocessor));
	unit_threads_ = uint32_t(attribute(cu_attribute_threads_per_multiprocessor));
	can_.sm = uint32_t(10 * attribute(cu_attribute_compute_capability_major) +
			   attribute(cu_attribute_compute_capability_minor));
}

// het-bench names a driver by the version of CUDA.
cache::profiled_device cuda_compute::profiled() const
{
	char device_name[96] = "";
	int version = 0;
	if (cu_.device_name(device_name, sizeof(device_name), device_) || cu_.driver_version(&version))
		return {};
	return {device_name, std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10)};
}

// Context and streams live as long as the process.
int cuda_compute::open_now()
{
	int err = context_ ? 0 : cu_.retain_context(&context_, device_);
	if (err)
		return failed("taking the primary context", err);
	cuda_current c(cu_, context_);
	err = c.error() ? c.error() : lanes_.open(0);
	if (err)
		return failed("making a stream", err);
	return 0;
}

int cuda_compute::build(const program_source &source, std::unique_ptr<device_program> &made, text &log)
{
	int err = open();
	if (err)
		return err;
	const instruments wanted = wanted_instruments(source.instruments, source.one_of);
	const unsigned full = unit_threads_ ? unit_registers_ / unit_threads_ : 0;
	return build_cuda_program({cu_, context_, info_.name, can_, wanted, full}, source, made, log);
}

// --- memory --------------------------------------------------------------------

uint64_t cuda_compute::free_memory()
{
	size_t free = 0, all = 0;
	if (open())
		return UINT64_MAX;
	cuda_current c(cu_, context_);
	return c.error() || cu_.memory_info(&free, &all) ? UINT64_MAX : free;
}

int cuda_compute::allocate(size_t nbytes, void **buffer)
{
	if (int err = open())
		return err;
	cuda_current c(cu_, context_);
	int err = c.error() ? c.error() : buffers_.allocate(nbytes, buffer);
	if (err == cu_error_out_of_memory)
		return no_device_memory;
	return err ? failed("allocating device memory", err) : 0;
}

std::unique_ptr<device> cuda_compute::make_memory(unsigned index, unsigned lanes, int *error)
{
	*error = open() ? GPUVM_EDEVALLOC : 0;
	void *handle = reinterpret_cast<void *>(uintptr_t(ordinal_));
	std::unique_ptr<device> inner = *error ? nullptr : make_cuda_device(index, handle, lanes, error);
	if (!inner)
		return nullptr;
	std::unique_ptr<device> made(new (std::nothrow) cuda_memory(buffers_, context_, std::move(inner)));
	if (!made)
		*error = fail(GPUVM_ESALLOC, "%s: no memory", info_.name);
	return made;
}

uint64_t cuda_compute::address_of_pinned(void *host)
{
	cu_deviceptr at = 0;
	cuda_current c(cu_, context_);
	return c.error() || cu_.host_address(&at, host, 0) ? 0 : at;
}

int cuda_compute::make_twin(size_t nbytes, std::unique_ptr<device_twin> &made)
{
	cuda_current c(cu_, context_);
	int err = c.error() ? c.error() : twins_.make(context_, nbytes, made);
	if (err == cu_error_out_of_memory)
		return no_device_memory;
	return err ? failed("allocating memory for a copy of a part of a buffer", err) : 0;
}

// --- commands ------------------------------------------------------------------

// Returns the largest power of two that divides the launch.
size_t divisor(size_t n, size_t most)
{
	return std::min(most, n & -n);
}

size_t local_size(const launch_shape &shape, unsigned d)
{
	bool used = d < shape.dimensions;
	return used && shape.has_local() ? shape.local[d] : d ? 1 : divisor(shape.global[0], usual_group);
}

// A grid has whole groups.
bool cuda_compute::takes(const device_kernel *k, const launch_shape &shape, fatbin::fault &why) const
{
	for (unsigned d = 0; d < shape.dimensions; d++) {
		if (shape.offset[d] && k && !static_cast<const cuda_kernel *>(k)->ids().are_there())
			return why.say(
				"kernels of images know no offset, unless het-fatbin made them of OpenCL C; this "
				"launch has %zu",
				shape.offset[d]);
		if (shape.global[d] / local_size(shape, d) > INT32_MAX)
			return why.say("%zu work-items in dimension %u are too many groups", shape.global[d], d);
	}
	return allows({k ? k->limits().most : size_t(info_.group_size), true}, shape, why);
}

void choose_groups(const launch_shape &shape, unsigned (&groups)[3], unsigned (&items)[3])
{
	for (unsigned d = 0; d < 3; d++) {
		items[d] = unsigned(local_size(shape, d));
		groups[d] = d < shape.dimensions ? unsigned(shape.global[d] / items[d]) : 1;
	}
	if (shape.part.count)
		groups[shape.part.along] = unsigned(shape.part.count);
}

// Makes null for a kernel without instruments.
int cuda_compute::make_notes(cuda_kernel &k, std::unique_ptr<cuda_notes> &made)
{
	if (!k.tables().has().any())
		return 0;
	made.reset(new (std::nothrow) cuda_notes(sheets_, k.tables()));
	return made ? 0 : int(cu_error_out_of_memory);
}

// A kernel that nobody can wait for must not go on using memory which its command gives back.
int cuda_compute::launch(cuda_kernel &k, const unsigned (&groups)[3], const unsigned (&items)[3], cuda_notes *notes,
			 std::span<const device_arg> args, ticket &t)
{
	const cu_stream stream = lanes_.at(t.lane).stream;
	uint64_t blocks = uint64_t{groups[0]} * groups[1] * groups[2];
	int err = notes ? notes->before(cu_, stream, args, info_.units, blocks) : 0;
	if (!err)
		err = cu_.launch(k.handle(), groups[0], groups[1], groups[2], items[0], items[1], items[2],
				 k.shared_bytes(), stream, k.values(), k.block());
	if (err || !notes)
		return err;
	err = notes->after(cu_, stream);
	t.may_have_run = err;
	if (err)
		cu_.synchronize_stream(stream);
	return err;
}

// What a module's variables tell its launches is written in the order of one stream: kernels on others may be reading
// it.
int cuda_compute::go_behind_other_lanes(const cuda_kernel &k, const launch_shape &shape, const ticket &t)
{
	bool writes = t.granules || k.tables().has().any() || k.ids().would_send(shape);
	return writes ? stops_.launch_above(t, [&] { return lanes_.go_behind_others(t.lane); }) : 0;
}

// Returns null if the launch is to run plain: a slice, one with numbers of its launch in a variable, or where there is
// no room for what it needs.
cuda_stopped *cuda_compute::take_stop(cuda_kernel &k, const launch_shape &shape, const unsigned (&groups)[3],
				      const unsigned (&items)[3], const ticket &t)
{
	if (!t.may_stop || !t.level || shape.part.count || t.granules || !k.stop_kernel())
		return nullptr;
	if (k.ids().are_there() && (shape.dimensions > 1 || shape.offset[0]))
		return nullptr;
	cuda_grid g = {{groups[0], groups[1], groups[2]},
		       {items[0], items[1], items[2]},
		       k.shared_bytes(),
		       k.values(),
		       k.block()};
	return stops_.take(*k.stop_kernel(), g, t, info_.units);
}

int cuda_compute::submit(device_kernel &kernel, const launch_shape &shape, std::span<const device_arg> args, ticket &t)
{
	auto &k = static_cast<cuda_kernel &>(kernel);
	unsigned groups[3] = {}, items[3] = {};
	choose_groups(shape, groups, items);
	k.set(args);
	cuda_current c(cu_, context_);
	uint64_t number = 0;
	std::unique_ptr<cuda_notes> notes;
	int err = c.error() ? c.error() : lanes_.open(t.lane);
	if (!err)
		err = make_notes(k, notes);
	if (!err)
		err = go_behind_other_lanes(k, shape, t);
	if (!err && t.level)
		lanes_.raise(t.lane, t.level->load(std::memory_order_relaxed));
	if (err)
		return failed("launching a kernel", err);
	cuda_lane &lane = lanes_.at(t.lane);
	err = lane.marks.begin_launch(lane.stream, &number);
	if (!err)
		err = k.ids().send(cu_, sheets_, lane.stream, lanes_.are_others(t.lane), shape);
	cu_deviceptr control = 0;
	if (!err && shape.part.count)
		err = slices_[t.lane].send(cu_, lane.stream, sheets_, shape, &control);
	if (!err && shape.part.count)
		k.set_control(control);
	if (!err && t.granules)
		err = granule_tables_.send(cu_, lane.stream, sheets_, k.granules(), *t.granules);
	if (!err && t.inspection)
		err = granule_tables_.send(cu_, lane.stream, sheets_, k.inspection(), *t.inspection);
	t.submitted = now_ns();
	if (err)
		return failed("launching a kernel", err);
	cuda_stopped *stop = take_stop(k, shape, groups, items, t);
	if (stop && (err = stops_.begin(*stop, t)))
		stop = nullptr;
	// What the driver will not begin so, for want of shared memory perhaps, runs plain.
	if (!stop && !t.may_have_run)
		err = stops_.launch_above(t, [&] { return launch(k, groups, items, notes.get(), args, t); });
	if (err)
		return failed("launching a kernel", err);
	t.handle = stop;
	t.number = number;
	t.notes = std::move(notes);
	return 0;
}

uint64_t cuda_compute::drop_stops()
{
	if (!stops_.are_there())
		return 0;
	cuda_current c(cu_, context_);
	return c.error() ? 0 : stops_.drop();
}

void cuda_compute::raised(unsigned lane, int8_t level)
{
	cuda_current c(cu_, context_);
	if (c.error())
		return;
	lanes_.raise(lane, level);
	stops_.raised(level);
}

void cuda_compute::announced(int8_t level, uint64_t lead_ns)
{
	if (!stops_.are_there())
		return;
	cuda_current c(cu_, context_);
	if (!c.error())
		stops_.announce(level, lead_ns);
}

// A kernel that fails takes its context with it: all later calls return its error.
bool cuda_compute::is_lost()
{
	cuda_current c(cu_, context_);
	return c.error() || lanes_.has_failed() || lanes_.synchronize(0);
}

// The driver shows it when a call of its own has waited, and not when a query tells that all has ended.
void cuda_compute::show_prints()
{
	cuda_current c(cu_, context_);
	if (!c.error())
		lanes_.synchronize(0);
}

// Timed events would cost each launch more calls. Kernels on a stream run one after the other, so what is not known
// of one is known of the one before.
int cuda_compute::wait(ticket &t, command_times &times)
{
	cuda_current c(cu_, context_);
	cuda_lane &lane = lanes_.at(t.lane);
	int err = c.error();
	if (!err && t.handle)
		err = stops_.wait(*static_cast<cuda_stopped *>(t.handle), lane, t.number, t.stopped);
	else if (!err)
		err = lane.marks.wait(lane.stream, t.number);
	if (err) {
		t.notes.reset();
		return failed("a kernel", err);
	}
	if (t.notes)
		static_cast<cuda_notes &>(*t.notes).finish();
	times.ended = now_ns();
	times.started = std::max(t.submitted, lane.last_end);
	lane.last_end = times.ended;
	return 0;
}

} // namespace

unsigned make_cuda_compute(std::span<std::unique_ptr<compute_device>> room)
{
	const cuda_calls *cu = find_cuda_calls();
	int present = 0;
	if (!cu || cu->device_count(&present))
		return 0;
	unsigned count = 0;
	for (; int(count) < present && count < room.size(); count++) {
		room[count].reset(new (std::nothrow) cuda_compute(*cu, int(count)));
		if (!room[count])
			break;
	}
	return count;
}

} // namespace het::rt
