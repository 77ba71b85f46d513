// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A lane of a CUDA device is a stream of the library's own, and a ring of pinned memory through which pieces go whose
// host memory is not pinned. All of it is made at init, so that no touch makes the driver allocate.
//
// One thread at a time uses it. The device's context is current in all calls, which return a cu_result. After an error
// nothing of the call is under way any more.
#pragma once

#include "dev/cuda_api.h"
#include "dev/device.h"

#include <atomic>

namespace het
{

// Pinned memory of a device's for a plain read that is not large: one copy into it and one out of it take a quarter of
// the time that the driver takes with pageable memory. The first such read makes it; who finds it in use goes without.
struct cuda_large_slot {
	static constexpr size_t size = 2 << 20;

	std::atomic<bool> taken{false};
	void *memory = nullptr;
};

class cuda_lane
{
      public:
	static constexpr size_t slot_size = 128 << 10;
	static constexpr size_t ring_size = 4 * slot_size;
	// So many reads may be under way; only two of them may go through the ring.
	static constexpr unsigned most_reads = 16;

	cuda_lane() = default;
	cuda_lane(const cuda_lane &) = delete;
	cuda_lane &operator=(const cuda_lane &) = delete;

	// @ring is the caller's: ring_size bytes of pinned memory. close() undoes also what open() did before it
	// failed.
	int open(const cuda_api &cu, char *ring, cuda_large_slot &large, int priority);
	void close();

	int read(std::span<const transfer> pieces);
	int write(std::span<const transfer> pieces);
	int start_read(const transfer &piece, read_ticket &ticket);
	int finish_read(read_ticket &ticket);

	// The device itself puts copies between devices into this stream.
	cu_stream stream() const { return stream_; }
	int wait_all(size_t bytes);

      private:
	// A slot is a part of the ring, with the event behind the last command that used it (but see last_).
	struct slot {
		cu_event event = nullptr;
		char *staging = nullptr;
		void *host = nullptr; // where the bytes go when they have arrived; null: nowhere
		size_t size = 0;
		bool busy = false;
	};
	// The two slots take turns.
	struct slot_pair {
		slot slots[2];
		unsigned turn = 0;
		slot &next() { return slots[turn++ % 2]; }
	};

	enum class direction : uint8_t { to_host, to_device };

	int open_slots(slot_pair &pair, char *memory);
	int wait(const slot &s);
	int free_slot(slot &s);
	int enqueue(direction to, void *host, cu_deviceptr device, size_t size);
	int mark_last();
	int start(slot &s, direction to, void *host, cu_deviceptr device, size_t size);
	int start_staged(slot &s, direction to, void *host, cu_deviceptr device, size_t size);
	int copy_staged(direction to, const transfer &t);
	int copy_plain(direction to, const transfer &t);
	int read_large(const transfer &t, bool *done);
	int copy_pinned(direction to, std::span<const transfer> pieces);
	int copy_one_by_one(direction to, std::span<const transfer> pieces);
	int copy(direction to, std::span<const transfer> pieces);
	int finish(int err, size_t bytes);

	const cuda_api *cu_ = nullptr;
	cuda_large_slot *large_ = nullptr;
	cu_stream stream_ = nullptr;
	slot_pair ring_;    // of read() and write()
	slot_pair started_; // of start_read()
	// start_read() into pinned memory uses these, which are events alone.
	slot direct_[most_reads];
	unsigned next_direct_ = 0;
	// The slot that was used last has no event behind it as long as it is last: the stream tells when it is done,
	// which saves a touch that is alone a call and the device's work for it.
	slot *last_ = nullptr;
};

// Returns where a piece lies on the device.
inline cu_deviceptr device_address(const void *devbuf, size_t offset)
{
	return cu_deviceptr(reinterpret_cast<uintptr_t>(devbuf)) + offset;
}

} // namespace het
