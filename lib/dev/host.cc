// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The device `host` has buffers in host memory, reached by memcpy() or by functions of the program's.
#include "dev/device.h"

#include "os/clock.h"
#include "os/log.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <gpuvm.h>
#include <new>
#include <thread>

namespace het
{

namespace
{

constexpr uint64_t event_spin_ns = 20'000;
constexpr std::chrono::microseconds shortest_nap{20}, longest_nap{1000};

class host_device final : public device
{
      public:
	host_device(unsigned index, const gpuvm_host_device &functions) : functions_(functions)
	{
		snprintf(name_, sizeof(name_), is_plain() ? "host %u" : "host %u (functions of the program's)", index);
	}

	const char *name() const override { return name_; }
	int api() const override { return GPUVM_HOST; }
	bool signal_safe() const override { return is_plain(); }

	int retain(void *devbuf, size_t nbytes) override;
	void release(void *) override {}
	range memory_of(void *devbuf, size_t n) const override { return is_plain() ? range_of(devbuf, n) : range{}; }

	int read(unsigned lane, std::span<const transfer> pieces) override;
	int write(unsigned lane, std::span<const transfer> pieces) override;
	int start_read(unsigned lane, const transfer &piece, read_ticket &ticket) override;
	int finish_read(unsigned lane, read_ticket &ticket) override;
	int copy_from(unsigned lane, void *dst, size_t dst_offset, device &from, void *src, size_t src_offset,
		      size_t size) override;

	int retain_event(void *event, void **kept) override;
	int wait_event(void *kept) override;
	event_state look_at_event(void *kept) override;
	void release_event(void *) override {}

      private:
	bool is_plain() const { return !functions_.read && !functions_.write; }
	int read_piece(const transfer &t);
	int write_piece(const transfer &t);
	int check_answer(const char *function, int answer) const;

	const gpuvm_host_device functions_;
	char name_[64];
};

char *at(void *devbuf, size_t offset)
{
	return static_cast<char *>(devbuf) + offset;
}

int host_device::retain(void *devbuf, size_t)
{
	return devbuf ? 0 : fail(GPUVM_ENULL, "%s: the buffer is null", name_);
}

// Only codes of ours go on to the program's callers.
int host_device::check_answer(const char *function, int answer) const
{
	if (answer == 0)
		return 0;
	bool known = answer < 0 && answer >= GPUVM_EAPI;
	return fail(known ? answer : GPUVM_EDEVALLOC, "%s: the program's %s function returned %d", name_, function,
		    answer);
}

int host_device::read_piece(const transfer &t)
{
	if (functions_.read)
		return check_answer("read", functions_.read(functions_.arg, t.devbuf, t.offset, t.host, t.size));
	memcpy(t.host, at(t.devbuf, t.offset), t.size);
	return 0;
}

int host_device::write_piece(const transfer &t)
{
	if (functions_.write)
		return check_answer("write", functions_.write(functions_.arg, t.devbuf, t.offset, t.host, t.size));
	memcpy(at(t.devbuf, t.offset), t.host, t.size);
	return 0;
}

int host_device::read(unsigned, std::span<const transfer> pieces)
{
	for (const transfer &t : pieces)
		if (int err = read_piece(t))
			return err;
	return 0;
}

int host_device::write(unsigned, std::span<const transfer> pieces)
{
	for (const transfer &t : pieces)
		if (int err = write_piece(t))
			return err;
	return 0;
}

int host_device::start_read(unsigned, const transfer &piece, read_ticket &)
{
	return read_piece(piece);
}

int host_device::finish_read(unsigned, read_ticket &)
{
	return 0;
}

int host_device::copy_from(unsigned, void *dst, size_t dst_offset, device &from, void *src, size_t src_offset,
			   size_t size)
{
	if (!is_plain() || from.api() != GPUVM_HOST || !from.signal_safe())
		return GPUVM_EAPI;
	memmove(at(dst, dst_offset), at(src, src_offset), size);
	return 0;
}

int host_device::retain_event(void *event, void **kept)
{
	*kept = event;
	return event ? 0 : fail(GPUVM_ENULL, "%s: the event is null", name_);
}

event_state host_device::look_at_event(void *kept)
{
	std::atomic_ref<int> finished(*static_cast<int *>(kept));
	return finished.load(std::memory_order_acquire) ? event_state::done : event_state::under_way;
}

int host_device::wait_event(void *kept)
{
	auto is_finished = [&] { return look_at_event(kept) == event_state::done; };
	for (uint64_t end = now_ns() + event_spin_ns; !is_finished() && now_ns() < end;)
		cpu_pause();
	for (auto nap = shortest_nap; !is_finished(); nap = std::min(2 * nap, longest_nap))
		std::this_thread::sleep_for(nap);
	return 0;
}

// Takes over the program's structure, which may be older or newer than ours.
int accept_functions(const gpuvm_host_device *given, gpuvm_host_device &ours)
{
	size_t size = given->size;
	if (size < sizeof(ours))
		return fail(GPUVM_EARG, "struct gpuvm_host_device: size is %zu, not %zu: set it to sizeof", size,
			    sizeof(ours));
	auto *bytes = reinterpret_cast<const unsigned char *>(given);
	if (std::any_of(bytes + sizeof(ours), bytes + size, [](unsigned char b) { return b != 0; }))
		return fail(GPUVM_EARG,
			    "struct gpuvm_host_device has %zu bytes, of which this library knows %zu, and "
			    "the others are not zero: the program needs a newer libhet",
			    size, sizeof(ours));
	ours = *given;
	return 0;
}

} // namespace

std::unique_ptr<device> make_host_device(unsigned index, void *handle, unsigned, int *error)
{
	gpuvm_host_device functions = {};
	*error = handle ? accept_functions(static_cast<const gpuvm_host_device *>(handle), functions) : 0;
	if (*error)
		return nullptr;
	std::unique_ptr<device> made(new (std::nothrow) host_device(index, functions));
	if (!made)
		*error = fail(GPUVM_ESALLOC, "host %u: no memory", index);
	return made;
}

} // namespace het
