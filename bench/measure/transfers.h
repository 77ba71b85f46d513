// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// GPUs of which the first one is copied to and from: by the library, by the driver alone, and through the second one.
#pragma once

#include "common/cuda.h"
#include "common/owned.h"
#include "dev/cuda_port.h"
#include "dev/device.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace bench
{

using het::paths::direction;

enum class carrier : uint8_t { ours, driver, relay };

// One GPU as the library and the program have it, with pinned host memory and as much on the device.
class gpu
{
      public:
	gpu(const het::cuda_api &api, unsigned ordinal, size_t size);
	~gpu();
	gpu(const gpu &) = delete;
	gpu &operator=(const gpu &) = delete;

	// Copies the first bytes, waits, and returns the µs. A thread that calls this has made the context current.
	double copy(carrier how, direction d, size_t bytes);
	// Does so from the memory of another GPU, by the library or by the driver.
	double copy_from(carrier how, const gpu &from, size_t bytes);
	// Returns the µs of a touch: as a resolver reads a few bytes.
	double touch(size_t bytes);
	void enter() const;
	void relay_through(const gpu &peer);
	// Writes a pattern of the host's, and compares it with what a copy has brought back.
	void fill(unsigned seed);
	bool is(unsigned seed) const;

      private:
	friend class foreign_load;
	double relay(direction d, size_t bytes);

	const het::cuda_api &api_;
	cuda_program program_;
	het::cu_context context_ = nullptr;
	std::unique_ptr<het::device> device_;
	owned_mapping host_;
	het::cu_deviceptr buffer_ = 0;
	std::unique_ptr<het::cuda_port> ports_[2];
};

// While it lives, a thread has two copies under way on a GPU's link, of which the library knows nothing. A copy engine
// would serve nobody else then, so there is a pause now and then. It may change over to other GPUs.
class foreign_load
{
      public:
	static constexpr unsigned rest_us = 5000;

	foreign_load(std::vector<const gpu *> gpus, direction d, size_t bytes, double change_us = 0);
	~foreign_load();
	foreign_load(const foreign_load &) = delete;
	foreign_load &operator=(const foreign_load &) = delete;

      private:
	struct lane;
	void run();

	const direction direction_;
	const size_t bytes_;
	const double change_us_;
	std::vector<std::unique_ptr<lane>> lanes_;
	std::atomic<bool> stop_{false};
	std::thread thread_;
};

} // namespace bench
