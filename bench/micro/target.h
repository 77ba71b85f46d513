// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The tests see a device like this, whether it is a real one or one of the planted, which are models with parameters
// that a test of the tests knows.
#pragma once

#include "common/device.h"
#include "micro/tracer.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace micro
{

using bench::argument;
using bench::arguments;
using het::json;

// A kernel is there a third time: @traced does work-item @item of @items and tells each access. Planted devices know
// from that what a launch takes.
struct kernel : bench::kernel {
	void (*traced)(arguments args, size_t item, tracer &to);
};

// Says what a device can do, and what it says of itself. A claim is 0 where there is none.
struct traits {
	bool cpu = false;
	unsigned units = 1;           // multiprocessors, cores
	size_t memory = 0;            // bytes
	size_t largest = 0;           // of one buffer
	size_t local_memory = 0;      // of a group
	size_t constant_memory = 0;   // of a kernel; 0: none but ordinary memory
	size_t texture_memory = 0;    // bytes of a texture over a buffer of words; 0: there are none
	size_t largest_group = 1;     // threads
	bool local_is_there = true;   // false: what is called local memory is ordinary memory
	json claims = json::object(); // by the names of facts: "l2.size", "warp.width"
};

class target
{
      public:
	virtual ~target() = default;

	virtual std::string name() const = 0; // of the kind that open_device() takes, or of the plant
	virtual std::string title() const = 0;
	virtual json describe() const = 0;
	virtual const traits &what() const = 0;

	// Throws what says why there is no such memory.
	virtual void *allocate(size_t nbytes) = 0;
	virtual void release(void *buffer) = 0;
	// Returns memory that kernel @k can only read, to be its argument.
	virtual void *allocate_constant(const kernel &k, size_t nbytes)
	{
		(void)k;
		return allocate(nbytes);
	}
	// Returns a texture of words over a buffer, to be a kernel's argument. Only those that have some are asked.
	virtual void *make_texture(void *buffer, size_t nbytes)
	{
		(void)nbytes;
		return buffer;
	}
	virtual void release_texture(void *) {}
	virtual void read(void *buffer, size_t offset, void *to, size_t nbytes) = 0;
	virtual void write(void *buffer, size_t offset, const void *from, size_t nbytes) = 0;

	// Returns memory of the host from and to which copies are fastest, or null if there is no such thing.
	virtual void *near_memory(size_t) { return nullptr; }

	// Opens a device of this kind for the thread that calls, by its name: another one, or this one with a queue of
	// its own. The names of all are in alike(); where there is none, no device can be opened.
	virtual std::unique_ptr<target> open(const std::string &) const { return nullptr; }
	virtual std::vector<std::string> alike() const { return {}; }

	// Runs a kernel, and returns how many ns it took by the device's own clock. Throws if it can't be built or run.
	virtual double run(const kernel &k, size_t items, size_t group, arguments args) = 0;

	// Returns seconds since some moment; only differences count.
	virtual double now() const = 0;
};

// Owns memory of a target.
class memory
{
      public:
	memory(target &of, size_t nbytes) : of_(of), handle_(of.allocate(nbytes)) {}
	memory(target &of, const kernel &k, size_t nbytes) : of_(of), handle_(of.allocate_constant(k, nbytes)) {}
	memory(const memory &) = delete;
	memory &operator=(const memory &) = delete;
	~memory() { of_.release(handle_); }

	void *get() const { return handle_; }

      private:
	target &of_;
	void *handle_;
};

// Owns a texture over memory.
class texture
{
      public:
	texture(target &of, const memory &over, size_t nbytes) : of_(of), handle_(of.make_texture(over.get(), nbytes))
	{
		if (!handle_)
			throw std::runtime_error("the device has no textures");
	}
	texture(const texture &) = delete;
	texture &operator=(const texture &) = delete;
	~texture() { of_.release_texture(handle_); }

	void *get() const { return handle_; }

      private:
	target &of_;
	void *handle_;
};

} // namespace micro
