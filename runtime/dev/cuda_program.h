// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes programs and kernels of the device `cuda`.
#pragma once

#include "dev/compute_device.h"
#include "dev/cuda_calls.h"
#include "dev/cuda_ids.h"
#include "dev/cuda_in_place.h"
#include "dev/cuda_stop_kernel.h"
#include "dev/cuda_tables.h"
#include "fatbin/pick.h"

#include <atomic>

namespace het::rt
{

// Holds a function of a module, and what a launch fills: the driver copies it before it returns.
class cuda_kernel final : public device_kernel
{
      public:
	// @tables and @ids are of its module, which has any or none, and live as long as this. @is_sliced says that the
	// last parameter is the pass's. @in_place has a table if it is one. @stops is null, or
	// makes the same kernel such that it can be stopped.
	cuda_kernel(cu_function handle, cuda_tables &tables, cuda_ids &ids, bool is_sliced, in_place_kernel in_place,
		    const char *name, cuda_stop_source *stops)
	    : handle_(handle), tables_(tables), ids_(ids), is_sliced_(is_sliced), in_place_(in_place), name_(name),
	      stops_(stops)
	{
	}
	// Asks the driver for the parameters. Returns a code of the driver's.
	int open(const cuda_calls &cu);

	uint32_t nargs() const override { return nargs_ - is_sliced_; }
	group_limits limits() const override { return {most_items_, {}}; }
	uint32_t registers() const override { return registers_; }
	int check_argument(const char *kernel, size_t i, const device_arg &given) const override;
	bool notes_writes() const override { return tables_.has().dirty; }
	unsigned widest_access() const override { return in_place_.widest_access; }
	bool prepare_stops() override
	{
		if (stops_ && !stop_kernel_) {
			stop_kernel_ = stops_->make_stop_kernel(name_.c_str());
			usable_stop_kernel_.store(stop_kernel_.get(), std::memory_order_release);
		}
		return stop_kernel_ != nullptr;
	}
	// Is null unless prepare_stops() has returned true. Another thread may be in there just now, for a launch of
	// its own: a stolen launch comes to a device that it was not prepared for.
	const cuda_stop_kernel *stop_kernel() const { return usable_stop_kernel_.load(std::memory_order_acquire); }
	cu_function handle() const { return handle_; }
	cuda_tables &tables() const { return tables_; }
	cuda_ids &ids() const { return ids_; }
	// Returns the variable for ticket::granules.
	cu_deviceptr granules() const { return in_place_.table; }
	// And for ticket::inspection.
	cu_deviceptr inspection() const { return in_place_.inspection; }

	// Takes the arguments of one launch, of which only one is made at a time, and which check_argument() allows.
	void set(std::span<const device_arg> args);
	// One of the two is null: the launch passes a pointer for each argument, or the driver's description of a
	// block.
	void **values() const { return block_ ? nullptr : values_.get(); }
	void **block() { return block_ ? block_description_ : nullptr; }
	unsigned shared_bytes() const { return shared_bytes_; }
	// Must be called for a sliced kernel, after set().
	void set_control(cu_deviceptr at);

      private:
	void set_one(size_t i, const device_arg &a);
	void set_block(const device_arg &a);
	uint64_t take_shared(size_t nbytes);

	const cu_function handle_;
	cuda_tables &tables_;
	cuda_ids &ids_;
	const bool is_sliced_;
	const in_place_kernel in_place_;
	const std::string name_;
	cuda_stop_source *const stops_;
	std::unique_ptr<cuda_stop_kernel> stop_kernel_;
	std::atomic<const cuda_stop_kernel *> usable_stop_kernel_{nullptr};
	uint32_t nargs_ = 0;
	// Every kernel can be launched with so many work-items, unless its author has limited it.
	size_t most_items_ = 256;
	uint32_t registers_ = 0;
	unsigned shared_bytes_ = 0;
	size_t block_bytes_ = 0; // the size of all parameters
	void *block_ = nullptr;
	void *block_description_[5] = {reinterpret_cast<void *>(cu_launch_param_buffer_pointer), nullptr,
				       reinterpret_cast<void *>(cu_launch_param_buffer_size), &block_bytes_,
				       reinterpret_cast<void *>(cu_launch_param_end)};
	std::unique_ptr<size_t[]> sizes_;
	std::unique_ptr<uint64_t[]> words_; // addresses, and offsets in shared memory
	std::unique_ptr<void *[]> values_;
};

// A program is built at such a place.
struct cuda_place {
	const cuda_calls &cu;
	cu_context context;
	const char *device; // its name, for messages
	const fatbin::abilities &can;
	instruments wanted;
	// With no more registers a thread, all the threads that an SM can have have room there; 0: that is not known.
	unsigned full_registers;
};

// Builds the program's images, or the best of a fat binary that the driver takes. Returns HET_EBUILD with the driver's
// words in *log. The source must live as long as the program: kernels for slices are made of its PTX when they are
// first asked for.
int build_cuda_program(const cuda_place &at, const program_source &source, std::unique_ptr<device_program> &made,
		       text &log);

} // namespace het::rt
