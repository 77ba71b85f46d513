// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// libgomp sees one of het's devices of kind CUDA so.
#pragma once

#include "allocations.h"
#include "blocks.h"
#include "copies.h"
#include "image.h"
#include "puts.h"
#include "stacks.h"

#include <memory>

namespace het_omp
{

class device
{
      public:
	device(het_device *on, het_queue *queue)
	    : on_(on), queue_(queue), stacks_(on), puts_(on, queue), blocks_(on, puts_), copies_(on, queue)
	{
	}
	~device() { het_queue_release(queue_); }
	device(const device &) = delete;
	device &operator=(const device &) = delete;

	// Returns null, having said why, if the image can't be loaded.
	const image *load(const image_data &data);
	void unload(const image_data *data);

	void *allocate(size_t nbytes);
	bool free(void *address);

	// These return false if the copy has failed; het has said why. Copies to the host and on the device are done
	// then, and of one to the device the host's bytes have been taken.
	bool copy_to_host(void *to, const void *from, size_t nbytes);
	bool copy_to_device(void *to, const void *from, size_t nbytes);
	bool copy_on_device(void *to, const void *from, size_t nbytes);

	// Runs the region to its end, or begins it and tells libgomp when it has ended. What fails ends the program.
	void run(const function &f, void *variables, void *const *arguments);
	void begin(const function &f, void *variables, void *const *arguments, void *task);

      private:
	void *allocate_large(size_t nbytes);
	struct launched {
		device *by;
		void *stacks, *task;
		const char *name;
		het_event *event;
	};
	launched launch(const function &f, void *variables, void *const *arguments);
	static void ended(het_event *event, int status, void *arg);

	het_device *const on_;
	het_queue *const queue_;
	stacks stacks_;
	puts puts_;
	blocks blocks_;
	allocations allocated_;
	copies copies_;
	std::mutex lock_;
	std::vector<std::unique_ptr<image>> images_;
};

// Returns devices by libgomp's numbers.
device *device_number(int n);
int count_devices();

} // namespace het_omp
