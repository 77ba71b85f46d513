// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The device `opencl` is any ICD, through in-order queues of the library's own.
//
// Waiting is most of what a small read costs, and drivers differ in what makes it short (Documentation/devices.rst). On
// a CPU device the command runs on another thread of this process: it is enqueued without blocking, and its event is
// polled for about as long as a sleep and a wake would take. GPU drivers are fastest with blocking calls.
#include "dev/opencl.h"

#include "dev/opencl_errors.h"
#include "dev/opencl_poll_policy.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/pci.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <gpuvm.h>
#include <new>
#include <thread>

namespace het
{

namespace
{

// At most so many commands are under way in one read() or write().
constexpr size_t batch_size = 32;
// Reads up to here are not worth starting early where blocking calls are faster.
constexpr size_t short_read = 256 << 10;
constexpr uint64_t poll_ns = 30'000;

// Old headers lack this number of cl_khr_pci_bus_info.
constexpr cl_device_info device_pci_bus_info = 0x410f;
struct pci_bus_info {
	cl_uint domain, bus, device, function;
};

enum class direction : uint8_t { to_host, to_device };

struct command_lane {
	cl_command_queue queue = nullptr;
	poll_policy polling;
};

// Calls clGet...Info() for answers of a fixed size.
template <typename F, typename O, typename T> cl_int ask(F *get_info, O object, cl_uint what, T &answer)
{
	return get_info(object, what, sizeof(T), &answer, nullptr); // NOLINT(bugprone-sizeof-expression): handles
}

class opencl_device final : public device
{
      public:
	opencl_device(const opencl_api &api, unsigned index) : cl_(api)
	{
		snprintf(name_, sizeof(name_), "opencl %u", index);
	}
	~opencl_device() override;

	// Takes context and device from the program's queue and makes the lanes. It is called once, after construction.
	int open(void *handle, unsigned lanes);

	const char *name() const override { return name_; }
	int api() const override { return GPUVM_OPENCL; }
	int numa_node() const override { return numa_node_; }

	int retain(void *devbuf, size_t nbytes) override;
	void release(void *devbuf) override;

	int read(unsigned lane, std::span<const transfer> pieces) override;
	int write(unsigned lane, std::span<const transfer> pieces) override;
	int start_read(unsigned lane, const transfer &piece, read_ticket &ticket) override;
	int finish_read(unsigned lane, read_ticket &ticket) override;
	int copy_from(unsigned lane, void *dst, size_t dst_offset, device &from, void *src, size_t src_offset,
		      size_t size) override;

	int retain_event(void *event, void **kept) override;
	int wait_event(void *kept) override;
	event_state look_at_event(void *kept) override;
	void release_event(void *kept) override;

      private:
	int take_queue(cl_command_queue queue);
	void describe();
	int make_lanes(unsigned lanes);
	int check_buffer(cl_mem buffer, size_t nbytes) const;

	cl_int enqueue(direction to, cl_command_queue queue, const transfer &t, bool blocking, cl_event &event) const;
	int copy(direction to, unsigned lane, std::span<const transfer> pieces);
	cl_int copy_batch(direction to, command_lane &lane, std::span<const transfer> pieces);
	cl_int status(cl_event event) const;
	void poll(command_lane &lane, cl_event event) const;
	cl_int wait_and_release(command_lane &lane, std::span<const cl_event> events) const;
	int failed(const char *what, cl_int error) const;

	const opencl_api cl_;
	cl_context context_ = nullptr; // kept alive by the lanes
	cl_device_id device_ = nullptr;
	bool polls_ = false; // non-blocking calls and polling, rather than blocking calls
	int numa_node_ = -1;
	std::unique_ptr<command_lane[]> lanes_;
	unsigned lane_count_ = 0;
	char name_[256];
};

opencl_device::~opencl_device()
{
	for (unsigned i = 0; i < lane_count_; i++)
		cl_.release_command_queue(lanes_[i].queue);
}

int opencl_device::failed(const char *what, cl_int error) const
{
	return fail(GPUVM_EDEVALLOC, "%s: %s failed: %s (%d)", name_, what, cl_error_name(error), error);
}

// --- the start ---------------------------------------------------------------

int opencl_device::open(void *handle, unsigned lanes)
{
	if (int err = take_queue(static_cast<cl_command_queue>(handle)))
		return err;
	describe();
	return make_lanes(lanes);
}

int opencl_device::take_queue(cl_command_queue queue)
{
	if (!queue)
		return fail(GPUVM_ENULL, "%s: the command queue is null", name_);
	cl_int err = ask(cl_.get_command_queue_info, queue, CL_QUEUE_CONTEXT, context_);
	if (err == CL_SUCCESS)
		err = ask(cl_.get_command_queue_info, queue, CL_QUEUE_DEVICE, device_);
	if (err != CL_SUCCESS)
		return fail(GPUVM_EARG, "%s: not a valid command queue: %s (%d)", name_, cl_error_name(err), err);
	return 0;
}

// Leaves the defaults for what the driver does not tell.
void opencl_device::describe()
{
	char device_name[128] = "unnamed device", platform_name[64] = "unnamed platform";
	cl_platform_id platform = nullptr;
	cl_device_type type = CL_DEVICE_TYPE_DEFAULT;
	pci_bus_info pci;
	ask(cl_.get_device_info, device_, CL_DEVICE_NAME, device_name);
	ask(cl_.get_device_info, device_, CL_DEVICE_PLATFORM, platform);
	ask(cl_.get_platform_info, platform, CL_PLATFORM_NAME, platform_name);
	size_t used = strlen(name_);
	snprintf(name_ + used, sizeof(name_) - used, ": %s (%s)", device_name, platform_name);

	ask(cl_.get_device_info, device_, CL_DEVICE_TYPE, type);
	polls_ = (type & CL_DEVICE_TYPE_CPU) && std::thread::hardware_concurrency() > 1;
	if (ask(cl_.get_device_info, device_, device_pci_bus_info, pci) == CL_SUCCESS)
		numa_node_ = numa_node_of_pci(pci.domain, pci.bus, pci.device, pci.function);
}

// Makes all lanes at once: a resolver must not make a driver allocate a queue while a touch waits for it.
int opencl_device::make_lanes(unsigned lanes)
{
	lanes_.reset(new (std::nothrow) command_lane[lanes]);
	if (!lanes_)
		return fail(GPUVM_ESALLOC, "%s: no memory for %u queues", name_, lanes);
	while (lane_count_ < lanes) {
		cl_int err;
		cl_command_queue queue = cl_.create_command_queue(context_, device_, 0, &err);
		if (!queue)
			return failed("creating a queue", err);
		lanes_[lane_count_++].queue = queue;
	}
	return 0;
}

// --- buffers -----------------------------------------------------------------

int opencl_device::check_buffer(cl_mem buffer, size_t nbytes) const
{
	cl_mem_object_type type = 0;
	cl_context context = nullptr;
	cl_mem_flags flags = 0;
	size_t size = 0;
	cl_int err = ask(cl_.get_mem_object_info, buffer, CL_MEM_TYPE, type);
	if (err == CL_SUCCESS)
		err = ask(cl_.get_mem_object_info, buffer, CL_MEM_CONTEXT, context);
	if (err == CL_SUCCESS)
		err = ask(cl_.get_mem_object_info, buffer, CL_MEM_FLAGS, flags);
	if (err == CL_SUCCESS)
		err = ask(cl_.get_mem_object_info, buffer, CL_MEM_SIZE, size);
	if (err != CL_SUCCESS)
		return failed("looking at the buffer", err);

	if (type != CL_MEM_OBJECT_BUFFER)
		return fail(GPUVM_EARG, "%s: the memory object is an image or a pipe: only buffers can be linked",
			    name_);
	if (context != context_)
		return fail(GPUVM_EARG,
			    "%s: the buffer belongs to another context than the queue given to gpuvm_init()", name_);
	if (flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS))
		return fail(
			GPUVM_EARG,
			"%s: the buffer was created with a CL_MEM_HOST_... flag: the library has to read and write it",
			name_);
	// The buffer's bytes may be those of the array, and then a fetch would touch what it has to bring.
	if (flags & CL_MEM_USE_HOST_PTR)
		return fail(GPUVM_EARG,
			    "%s: the buffer was created with CL_MEM_USE_HOST_PTR: leave the flag out, the link keeps "
			    "both copies alike",
			    name_);
	if (size < nbytes)
		return fail(GPUVM_EARG, "%s: the buffer has %zu bytes, the array %zu", name_, size, nbytes);
	return 0;
}

int opencl_device::retain(void *devbuf, size_t nbytes)
{
	if (!devbuf)
		return fail(GPUVM_ENULL, "%s: the buffer is null", name_);
	auto *buffer = static_cast<cl_mem>(devbuf);
	if (cl_int err = cl_.retain_mem_object(buffer))
		return fail(GPUVM_EARG, "%s: not a valid memory object: %s (%d)", name_, cl_error_name(err), err);
	int err = check_buffer(buffer, nbytes);
	if (err)
		cl_.release_mem_object(buffer);
	return err;
}

void opencl_device::release(void *devbuf)
{
	cl_.release_mem_object(static_cast<cl_mem>(devbuf));
}

// --- copies ------------------------------------------------------------------

cl_int opencl_device::enqueue(direction to, cl_command_queue queue, const transfer &t, bool blocking,
			      cl_event &event) const
{
	auto *buffer = static_cast<cl_mem>(t.devbuf);
	if (to == direction::to_host)
		return cl_.enqueue_read_buffer(queue, buffer, blocking, t.offset, t.size, t.host, 0, nullptr, &event);
	return cl_.enqueue_write_buffer(queue, buffer, blocking, t.offset, t.size, t.host, 0, nullptr, &event);
}

// Returns CL_COMPLETE, a positive number before that, or the error that stopped the command.
cl_int opencl_device::status(cl_event event) const
{
	cl_int status = CL_COMPLETE;
	cl_int err = ask(cl_.get_event_info, event, CL_EVENT_COMMAND_EXECUTION_STATUS, status);
	return err == CL_SUCCESS ? status : err;
}

void opencl_device::poll(command_lane &lane, cl_event event) const
{
	if (!lane.polling.next_wait_polls())
		return;
	cl_.flush(lane.queue);
	for (uint64_t end = now_ns() + poll_ns; status(event) > CL_COMPLETE && now_ns() < end;)
		for (int i = 0; i < 16; i++)
			cpu_pause();
	lane.polling.polled(status(event) > CL_COMPLETE);
}

// The wait is what makes the host see the bytes; a status that was polled is no synchronisation in OpenCL.
// Not all drivers report a failed command there, so each event is asked.
cl_int opencl_device::wait_and_release(command_lane &lane, std::span<const cl_event> events) const
{
	if (events.empty())
		return CL_SUCCESS;
	if (polls_)
		poll(lane, events.back());
	cl_int err = cl_.wait_for_events(cl_uint(events.size()), events.data());
	for (cl_event event : events) {
		cl_int s = status(event);
		if (s < 0)
			err = s;
		cl_.release_event(event);
	}
	return err;
}

// Waits after an error, too: the commands that were taken still write to the caller's memory.
cl_int opencl_device::copy_batch(direction to, command_lane &lane, std::span<const transfer> pieces)
{
	cl_event events[batch_size];
	size_t taken = 0;
	cl_int err = CL_SUCCESS;
	for (const transfer &t : pieces) {
		if (!t.size)
			continue;
		err = enqueue(to, lane.queue, t, !polls_, events[taken]);
		if (err != CL_SUCCESS)
			break;
		taken++;
	}
	cl_int waited = wait_and_release(lane, {events, taken});
	return err != CL_SUCCESS ? err : waited;
}

int opencl_device::copy(direction to, unsigned lane, std::span<const transfer> pieces)
{
	while (!pieces.empty()) {
		auto batch = pieces.first(std::min(pieces.size(), batch_size));
		if (cl_int err = copy_batch(to, lanes_[lane], batch))
			return failed(to == direction::to_host ? "a read" : "a write", err);
		pieces = pieces.subspan(batch.size());
	}
	return 0;
}

int opencl_device::read(unsigned lane, std::span<const transfer> pieces)
{
	return copy(direction::to_host, lane, pieces);
}

int opencl_device::write(unsigned lane, std::span<const transfer> pieces)
{
	return copy(direction::to_device, lane, pieces);
}

int opencl_device::start_read(unsigned lane, const transfer &piece, read_ticket &ticket)
{
	if (!polls_ && piece.size <= short_read)
		return read(lane, {&piece, 1});
	cl_event event;
	if (cl_int err = enqueue(direction::to_host, lanes_[lane].queue, piece, false, event))
		return failed("starting a read", err);
	cl_.flush(lanes_[lane].queue);
	ticket.handle = event;
	return 0;
}

int opencl_device::finish_read(unsigned lane, read_ticket &ticket)
{
	auto *event = static_cast<cl_event>(ticket.handle);
	if (!event)
		return 0;
	ticket.handle = nullptr;
	if (cl_int err = wait_and_release(lanes_[lane], {&event, 1}))
		return failed("a read", err);
	return 0;
}

int opencl_device::copy_from(unsigned lane, void *dst, size_t dst_offset, device &from, void *src, size_t src_offset,
			     size_t size)
{
	if (from.api() != GPUVM_OPENCL || static_cast<opencl_device &>(from).context_ != context_)
		return GPUVM_EAPI;
	cl_event event;
	cl_int err = cl_.enqueue_copy_buffer(lanes_[lane].queue, static_cast<cl_mem>(src), static_cast<cl_mem>(dst),
					     src_offset, dst_offset, size, 0, nullptr, &event);
	if (err == CL_SUCCESS)
		err = wait_and_release(lanes_[lane], {&event, 1});
	return err == CL_SUCCESS ? 0 : failed("a copy between buffers", err);
}

// --- events ------------------------------------------------------------------

// Flushes the program's queue, so that a touch which waits for the kernel need not.
int opencl_device::retain_event(void *event, void **kept)
{
	if (!event)
		return fail(GPUVM_ENULL, "%s: the event is null", name_);
	auto *e = static_cast<cl_event>(event);
	if (cl_int err = cl_.retain_event(e))
		return fail(GPUVM_EARG, "%s: not a valid event: %s (%d)", name_, cl_error_name(err), err);
	cl_command_queue queue = nullptr; // user events have none
	ask(cl_.get_event_info, e, CL_EVENT_COMMAND_QUEUE, queue);
	if (queue)
		cl_.flush(queue);
	*kept = event;
	return 0;
}

int opencl_device::wait_event(void *kept)
{
	auto *e = static_cast<cl_event>(kept);
	cl_int err = cl_.wait_for_events(1, &e);
	if (cl_int s = status(e); s < 0)
		err = s;
	return err == CL_SUCCESS ? 0 : failed("the kernel before this access", err);
}

event_state opencl_device::look_at_event(void *kept)
{
	cl_int s = status(static_cast<cl_event>(kept));
	return s < 0 ? event_state::failed : s == CL_COMPLETE ? event_state::done : event_state::under_way;
}

void opencl_device::release_event(void *kept)
{
	cl_.release_event(static_cast<cl_event>(kept));
}

} // namespace

std::unique_ptr<device> make_opencl_device(const opencl_api &api, unsigned index, void *handle, unsigned lanes,
					   int *error)
{
	std::unique_ptr<opencl_device> made(new (std::nothrow) opencl_device(api, index));
	*error = made ? made->open(handle, lanes) : fail(GPUVM_ESALLOC, "opencl %u: no memory", index);
	if (*error)
		return nullptr;
	return made;
}

std::unique_ptr<device> make_opencl_device(unsigned index, void *handle, unsigned lanes, int *error)
{
	opencl_api api;
	*error = load_opencl(api);
	if (*error)
		return nullptr;
	return make_opencl_device(api, index, handle, lanes, error);
}

} // namespace het
