// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs are built, and kernels made, for each device when they are first used there.
#pragma once

#include "core/fat_binary.h"
#include "core/object.h"
#include "core/runtime.h"
#include "core/speeds.h"

#include <memory>

struct het_program final : het::rt::object {
	~het_program() override;

	// Copies what is given. Returns 0, HET_EIMAGE or HET_ENOMEM.
	int take(const het_program_args &args);

	bool can_run_on(const het_device &d) const
	{
		return nobjects_ || source_.is_object ? d.compute->can_link() : d.compute->can_build(source_);
	}
	// Returns 0 or a code; *made, if wanted, is what was built.
	int build(het_device &d, het::rt::device_program **made = nullptr);
	const char *log(const het_device &d);
	// Looks without the lock whether the build for the device has failed.
	bool has_failed_on(const het_device &d) const { return failed_.load() >> d.executor.number() & 1; }
	// Builds if need be. Returns 0 or a code.
	int find_variable(het_device &d, const char *name, void **address, size_t *nbytes);
	// Others may be linked of it.
	bool is_object() const { return nobjects_ || source_.is_object; }
	// It is null if the program is not from a fat binary.
	const het::fatbin::container *fat() const { return source_.fat; }
	// Returns the same number for programs that were made of the same; 0 stands for programs of functions alone.
	uint64_t identity() const;

	// This guards what is built for devices, and kernels made of that. Its rank is driver.
	het::futex_lock building;

      private:
	// Builds what this is linked of. No lock is held: each has its own.
	int build_objects(het_device &d);
	int build_locked(het_device &d, het::rt::device_program **made);
	int link_locked(het_device &d);
	bool copy_texts(const het_program_args &args);
	bool take_objects(const het_program_args &args);

	struct built {
		std::unique_ptr<het::rt::device_program> program;
		het::rt::text log;
		int failure = 0; // is the build's, which is tried once
	};

	het::rt::program_source source_ = {};
	std::unique_ptr<char[]> texts_;
	std::unique_ptr<het_function[]> functions_;
	std::unique_ptr<het_image[]> modules_;
	std::unique_ptr<het_header[]> headers_;
	std::unique_ptr<het::rt::reference<het_program>[]> objects_;
	size_t nobjects_ = 0;
	std::unique_ptr<het::rt::fat_binary> fat_binary_;
	built built_[het::rt::most_devices];
	std::atomic<uint32_t> failed_{0}; // has a bit for each device

	friend struct het_kernel;
};

namespace het::rt
{

// Returns whether a build or a device answered something which others may do without: the failure concerns one device.
bool concerns_one_device(int code);

} // namespace het::rt

struct het_kernel final : het::rt::object {
	explicit het_kernel(het_program &p) : program(het::rt::reference<het_program>::to(&p)) {}

	// Looks the name up on the first device that can run the program, and for which it can be built.
	int open(const char *wanted);
	// Prepares the kernel on a device. Returns 0 or a code.
	int prepare(het_device &d);
	// Does the same for slices. Returns HET_ENODEV without a message if the device can't slice it. What is made
	// lives as long as this.
	int prepare_slices(het_device &d, const het::rt::slicing &how, het::rt::device_kernel **made);
	// Tells why prepare_slices() has returned HET_ENODEV for slicing::in_place; it lives as long as this.
	const char *why_not_in_place(het_device &d);
	// Returns whether its launches there can be stopped; prepares that, once. prepare() was called.
	bool prepare_stops(het_device &d);
	// Returns the kernel as prepare() has made it, or null if that was not called.
	het::rt::device_kernel *on(const het_device &d) const;

	// Checks whether a launch may pass this as argument @i, as far as the kernel is described. Returns 0 or
	// HET_EARG.
	int check_argument(uint32_t i, const het::rt::device_arg &given) const;

	// Describes an argument, which there is, as a driver tells. Returns HET_ESTATE without a message if none does.
	int describe_argument(uint32_t i, het_argument_info &info) const;

	// A command with it is over.
	void has_run(const het_device &d);

	// It is null if the program is not from a fat binary.
	const het::fatbin::kernel *description() const { return program->fat() ? &described_ : nullptr; }

	// A launch may be split although the caller does not say so.
	bool may_be_safe() const
	{
		return description() && (described_.split == het::fatbin::split::safe || *described_.apart);
	}

	const het::rt::reference<het_program> program;
	het::rt::text name;
	uint32_t nargs = 0;
	het::rt::speeds speeds;
	uint64_t identity = 0;                    // is that of its program
	std::atomic<bool> is_refusal_told{false}; // tells that it was wanted to be split, and is not
	std::atomic<uint64_t> known_to_wait{0};   // is what core/waiting_kernels.cc found when it looked last

      private:
	int check_image(const het_device &d, const het::rt::device_kernel &k) const;

	// These are made for slices; program->building guards them.
	struct slice_kernel {
		const het_device *device;
		het::rt::slicing how;
		std::unique_ptr<het::rt::device_kernel> kernel;
		std::unique_ptr<slice_kernel> next;
	};
	std::unique_ptr<slice_kernel> slice_kernels_;

	het::fatbin::kernel described_ = {};
	std::unique_ptr<het::rt::device_kernel> kernels_[het::rt::most_devices];
	// They are those above, for readers without the lock.
	std::atomic<het::rt::device_kernel *> ready_[het::rt::most_devices] = {};
	std::atomic<uint32_t> ran_{0}; // has a bit for each device
	// These have a bit for each device, too: it was asked for stops, and has them.
	std::atomic<uint32_t> asked_for_stops_{0}, has_stops_{0};
};
