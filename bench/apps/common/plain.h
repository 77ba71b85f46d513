// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A program uses a device so without the runtime: with buffers, copies by hand, and one queue in order. Kernels have
// the names and arguments that they have for the runtime.
#pragma once

#include "common/kernel_text.h"

#include <array>
#include <cstddef>
#include <het.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bench
{

// Holds the kernels of an application for devices, and as host functions.
struct app_kernels {
	const kernel_text *text = nullptr;
	std::vector<het_function> functions;
};

// Holds the bytes of a value, or of a buffer's handle.
struct plain_argument {
	const void *bytes;
	size_t nbytes;
};

class plain_device
{
      public:
	virtual ~plain_device() = default;
	virtual void *allocate(size_t nbytes) = 0;
	virtual void release(void *buffer) = 0;
	// These work in the order of the launches. What is read is there when the call returns, and what is written may
	// be changed then.
	virtual void write(void *buffer, const void *from, size_t nbytes) = 0;
	virtual void read(void *to, void *buffer, size_t nbytes) = 0;
	// Of @w only the sizes count. Local sizes must be given, and divide the global ones.
	virtual void launch(const char *kernel, const het::work &w, std::span<const plain_argument> args) = 0;
	virtual void finish() = 0;
};

// Each side has such a host array, and the side that copies by hand has a buffer for it, too.
template <class T> class mirrored
{
      public:
	// @d is null on the other side.
	mirrored(plain_device *d, size_t n) : host(n), device_(d), buffer_(d ? d->allocate(bytes()) : nullptr) {}
	mirrored(const mirrored &) = delete;
	mirrored &operator=(const mirrored &) = delete;
	~mirrored()
	{
		if (device_)
			device_->release(buffer_);
	}

	void send() { device_->write(buffer_, host.data(), bytes()); }
	void fetch() { device_->read(host.data(), buffer_, bytes()); }
	void *const *buffer() const { return &buffer_; }

	std::vector<T> host;

      private:
	size_t bytes() const { return host.size() * sizeof(T); }

	plain_device *device_;
	void *buffer_;
};

template <class T> plain_argument plain(const mirrored<T> &a)
{
	return {a.buffer(), sizeof(void *)};
}
template <class T> plain_argument plain(const T &value)
{
	return {&value, sizeof value};
}

// Launches with arrays and values.
template <class... A> void launch(plain_device &d, const char *kernel, const het::work &w, const A &...args)
{
	const std::array<plain_argument, sizeof...(A)> list = {{plain(args)...}};
	d.launch(kernel, w, list);
}

// Opens the device that is one of the runtime's through its own API. Returns null if it has none (HET_DEVICE_HOST and
// HET_DEVICE_APART).
std::unique_ptr<plain_device> open_plain(het::device d, const app_kernels &kernels);

} // namespace bench
