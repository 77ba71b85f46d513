// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The device `cuda` uses the driver API, in the primary context of a device, which is that of the CUDA runtime, too.
//
// The library's streams do not wait for the default stream, nor it for them. The alias is registered with the driver,
// so that copies go straight between it and the device; what is not goes through a ring of pinned memory (cuda_lane).
#include "dev/cuda.h"

#include "dev/cuda_events.h"
#include "dev/cuda_fabric.h"
#include "dev/cuda_helpers.h"
#include "dev/cuda_lane.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/pci.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <gpuvm.h>
#include <new>

namespace het
{

namespace
{

// Below this a copy through the ring costs less than a registration is worth.
constexpr size_t least_pin = 16 << 10;

class cuda_device final : public device
{
      public:
	cuda_device(const cuda_api &api, unsigned index) : cu_(api), member_(cu_, index)
	{
		snprintf(name_, sizeof(name_), "cuda %u", index);
	}
	~cuda_device() override;

	// Is called once, after construction.
	int open(int ordinal, unsigned lanes);

	const char *name() const override { return name_; }
	int api() const override { return GPUVM_CUDA; }
	int numa_node() const override { return numa_node_; }

	int retain(void *devbuf, size_t nbytes) override;
	void release(void *) override {}

	int read(unsigned lane, std::span<const transfer> pieces) override;
	int write(unsigned lane, std::span<const transfer> pieces) override;
	int start_read(unsigned lane, const transfer &piece, read_ticket &ticket) override;
	int finish_read(unsigned lane, read_ticket &ticket) override;
	unsigned pinned_reads() const override { return cuda_lane::most_reads; }
	bool pin(void *host, size_t n) override;
	void unpin(void *host) override;
	size_t lent_memory() const override { return member_.lent(); }
	void keep_memory() override { member_.keep(); }
	size_t report_paths(std::span<path_report> room) const override { return report_fabric(member_, room); }
	double seconds_to_write(size_t n) const override { return expected_seconds(member_, n); }
	int copy_from(unsigned lane, void *dst, size_t dst_offset, device &from, void *src, size_t src_offset,
		      size_t size) override;

	int retain_event(void *event, void **kept) override;
	int wait_event(void *kept) override;
	event_state look_at_event(void *kept) override;
	void release_event(void *kept) override { events_.release(kept); }

      private:
	void describe();
	void join();
	int make_lanes(unsigned lanes);
	int check_place(cu_deviceptr p) const;
	int check_size(cu_deviceptr p, size_t nbytes) const;
	void reach(cuda_device &peer);
	int attribute(int which) const;
	int failed(const char *what, int error) const;

	const cuda_api cu_;
	int ordinal_ = 0;
	cu_device device_ = 0;
	cu_context context_ = nullptr;
	int numa_node_ = -1;
	std::unique_ptr<cuda_lane[]> lanes_;
	unsigned lane_count_ = 0;
	void *ring_ = nullptr;
	cuda_large_slot large_;
	cuda_events events_;
	cuda_member member_;
	bool is_member_ = false;
	std::atomic<uint32_t> reached_{0}; // devices that were asked for access to, by ordinal
	char name_[128];
};

cuda_device::~cuda_device()
{
	if (!context_)
		return;
	if (is_member_) {
		member_.leave();
		the_cuda_helpers().device_has_left(cu_, ordinal_);
	}
	{
		cuda_current c(cu_, context_);
		for (unsigned i = 0; i < lane_count_; i++)
			lanes_[i].close();
		events_.close();
		if (ring_)
			cu_.free_host(ring_);
		if (large_.memory)
			cu_.free_host(large_.memory);
	}
	cu_.release_context(device_);
}

int cuda_device::failed(const char *what, int error) const
{
	return fail(GPUVM_EDEVALLOC, "%s: %s failed: %s (%d)", name_, what, cu_.name_of(error), error);
}

// --- the start ---------------------------------------------------------------

int cuda_device::open(int ordinal, unsigned lanes)
{
	int count = 0;
	int err = cu_.device_count(&count);
	if (!err && (ordinal < 0 || ordinal >= count))
		return fail(GPUVM_EARG, "%s: there is no CUDA device %d; there are %d", name_, ordinal, count);
	if (!err)
		err = cu_.get_device(&device_, ordinal);
	if (!err)
		err = cu_.retain_context(&context_, device_);
	if (err)
		return failed("taking the primary context", err);
	ordinal_ = ordinal;
	describe();
	cuda_current c(cu_, context_);
	err = c.error() ? failed("entering the primary context", c.error()) : make_lanes(lanes);
	if (!err)
		join();
	return err;
}

void cuda_device::join()
{
	the_cuda_helpers().device_comes(cu_, ordinal_);
	member_.join(name_, ordinal_, device_, context_);
	the_cuda_helpers().device_is_there(cu_);
	is_member_ = true;
}

// Returns 0 for what the driver does not tell.
int cuda_device::attribute(int which) const
{
	int value = 0;
	return cu_.device_attribute(&value, which, device_) ? 0 : value;
}

void cuda_device::describe()
{
	char device_name[96] = "unnamed device";
	cu_.device_name(device_name, sizeof(device_name), device_);
	size_t used = strlen(name_);
	snprintf(name_ + used, sizeof(name_) - used, ": %s", device_name);
	numa_node_ = numa_node_of_pci(unsigned(attribute(cu_attribute_pci_domain_id)),
				      unsigned(attribute(cu_attribute_pci_bus_id)),
				      unsigned(attribute(cu_attribute_pci_device_id)), 0);
}

// Makes all lanes at once: a resolver must not make the driver allocate while a touch waits for it.
int cuda_device::make_lanes(unsigned lanes)
{
	lanes_.reset(new (std::nothrow) cuda_lane[lanes]);
	if (!lanes_)
		return fail(GPUVM_ESALLOC, "%s: no memory for %u lanes", name_, lanes);
	events_.open(cu_);
	int least = 0, greatest = 0;
	int err = cu_.stream_priorities(&least, &greatest);
	if (!err)
		err = cu_.allocate_host(&ring_, lanes * cuda_lane::ring_size, cu_host_alloc_portable);
	while (!err && lane_count_ < lanes) {
		char *ring = static_cast<char *>(ring_) + lane_count_ * cuda_lane::ring_size;
		err = lanes_[lane_count_++].open(cu_, ring, large_, greatest);
	}
	return err ? failed("making streams and pinned memory", err) : 0;
}

// --- buffers -----------------------------------------------------------------

int cuda_device::check_place(cu_deviceptr p) const
{
	unsigned type = 0, managed = 0;
	int ordinal = -1;
	cu_context owner = nullptr;
	int err = cu_.pointer_attribute(&type, cu_pointer_memory_type, p);
	if (err || type != cu_memory_type_device)
		return fail(GPUVM_EARG,
			    "%s: %#llx is no device memory%s%s: give what cuMemAlloc() or cudaMalloc() gave", name_, p,
			    err ? ": " : "", err ? cu_.name_of(err) : "");
	cu_.pointer_attribute(&managed, cu_pointer_is_managed, p);
	if (managed)
		return fail(GPUVM_EARG, "%s: %#llx is managed memory, which moves by itself: use cuMemAlloc()", name_,
			    p);
	if (!cu_.pointer_attribute(&ordinal, cu_pointer_device_ordinal, p) && ordinal != ordinal_)
		return fail(GPUVM_EARG, "%s: %#llx is memory of CUDA device %d, not of %d", name_, p, ordinal,
			    ordinal_);
	// Memory of pools has no context.
	if (!cu_.pointer_attribute(&owner, cu_pointer_context, p) && owner && owner != context_)
		return fail(GPUVM_EARG,
			    "%s: %#llx belongs to another context than the device's primary one: allocate it in what "
			    "cuDevicePrimaryCtxRetain() gives, or with the CUDA runtime",
			    name_, p);
	return 0;
}

int cuda_device::check_size(cu_deviceptr p, size_t nbytes) const
{
	cu_deviceptr base = 0;
	size_t size = 0;
	if (int err = cu_.address_range(&base, &size, p))
		return failed("looking at the buffer", err);
	size_t left = size_t(base + size - p);
	if (left < nbytes)
		return fail(GPUVM_EARG, "%s: the buffer has %zu bytes from %#llx on, the array %zu", name_, left, p,
			    nbytes);
	return 0;
}

int cuda_device::retain(void *devbuf, size_t nbytes)
{
	cu_deviceptr p = device_address(devbuf, 0);
	if (!p)
		return fail(GPUVM_ENULL, "%s: the buffer is null", name_);
	cuda_current c(cu_, context_);
	if (c.error())
		return failed("entering the primary context", c.error());
	int err = check_place(p);
	return err ? err : check_size(p, nbytes);
}

bool cuda_device::pin(void *host, size_t n)
{
	cuda_current c(cu_, context_);
	return n >= least_pin && !c.error() && cu_.register_host(host, n, cu_host_register_portable) == cu_success;
}

void cuda_device::unpin(void *host)
{
	cuda_current c(cu_, context_);
	int err = c.error() ? c.error() : cu_.unregister_host(host);
	if (err)
		warn("%s: unregistering host memory failed: %s (%d)", name_, cu_.name_of(err), err);
}

// --- copies ------------------------------------------------------------------

int cuda_device::read(unsigned lane, std::span<const transfer> pieces)
{
	cuda_current c(cu_, context_);
	int err = c.error();
	if (!err && !copy_over_fabric(member_, paths::direction::to_host, pieces, &err))
		err = lanes_[lane].read(pieces);
	return err ? failed("a read", err) : 0;
}

int cuda_device::write(unsigned lane, std::span<const transfer> pieces)
{
	cuda_current c(cu_, context_);
	int err = c.error();
	if (!err && !copy_over_fabric(member_, paths::direction::to_device, pieces, &err))
		err = lanes_[lane].write(pieces);
	return err ? failed("a write", err) : 0;
}

int cuda_device::start_read(unsigned lane, const transfer &piece, read_ticket &ticket)
{
	cuda_current c(cu_, context_);
	int err = c.error();
	if (!err && member_.touches().read({context_, device_address(piece.devbuf, piece.offset)}, piece))
		return 0;
	if (!err)
		err = lanes_[lane].start_read(piece, ticket);
	return err ? failed("starting a read", err) : 0;
}

int cuda_device::finish_read(unsigned lane, read_ticket &ticket)
{
	cuda_current c(cu_, context_);
	const uint64_t begin = member_.touches().is_open() ? now_ns() : 0;
	int err = c.error() ? c.error() : lanes_[lane].finish_read(ticket);
	if (begin)
		member_.touches().waited(now_ns() - begin);
	return err ? failed("a read", err) : 0;
}

// Without access the driver copies through memory of its own, which is right, only slower.
void cuda_device::reach(cuda_device &peer)
{
	uint32_t bit = uint32_t{1} << (peer.ordinal_ % 32);
	if (reached_.fetch_or(bit) & bit)
		return;
	int can = 0;
	if (!cu_.can_access_peer(&can, device_, peer.device_) && can)
		cu_.enable_peer_access(peer.context_, 0);
}

int cuda_device::copy_from(unsigned lane, void *dst, size_t dst_offset, device &from, void *src, size_t src_offset,
			   size_t size)
{
	if (from.api() != GPUVM_CUDA)
		return GPUVM_EAPI;
	auto &peer = static_cast<cuda_device &>(from);
	cu_deviceptr to = device_address(dst, dst_offset), at = device_address(src, src_offset);
	cuda_current c(cu_, context_);
	int err = c.error();
	if (!err && peer.context_ != context_)
		reach(peer);
	if (!err && peer.context_ != context_ && copy_between(member_, to, peer.member_, at, size, &err))
		return err ? failed("a copy between devices", err) : 0;
	if (!err)
		err = put_copy(cu_, {context_, to}, {peer.context_, at}, size, lanes_[lane].stream());
	if (!err)
		err = lanes_[lane].wait_all(size);
	return err ? failed("a copy between devices", err) : 0;
}

// --- events ------------------------------------------------------------------

int cuda_device::retain_event(void *event, void **kept)
{
	if (!event)
		return fail(GPUVM_ENULL, "%s: the event is null", name_);
	cuda_current c(cu_, context_);
	int err = c.error() ? c.error() : events_.keep(static_cast<cu_event>(event), kept);
	return err ? fail(GPUVM_EARG, "%s: the event can't be waited for: %s (%d)", name_, cu_.name_of(err), err) : 0;
}

int cuda_device::wait_event(void *kept)
{
	cuda_current c(cu_, context_);
	int err = c.error() ? c.error() : events_.wait(kept);
	return err ? failed("the kernel before this access", err) : 0;
}

event_state cuda_device::look_at_event(void *kept)
{
	cuda_current c(cu_, context_);
	int err = c.error() ? c.error() : events_.look(kept);
	return !err ? event_state::done : err == cu_error_not_ready ? event_state::under_way : event_state::failed;
}

} // namespace

std::unique_ptr<device> make_cuda_device(const cuda_api &api, unsigned index, void *handle, unsigned lanes, int *error)
{
	auto ordinal = int(reinterpret_cast<uintptr_t>(handle));
	std::unique_ptr<cuda_device> made(new (std::nothrow) cuda_device(api, index));
	*error = made ? made->open(ordinal, lanes) : fail(GPUVM_ESALLOC, "cuda %u: no memory", index);
	if (*error)
		return nullptr;
	return made;
}

std::unique_ptr<device> make_cuda_device(unsigned index, void *handle, unsigned lanes, int *error)
{
	cuda_api api;
	*error = load_cuda(api);
	if (*error)
		return nullptr;
	return make_cuda_device(api, index, handle, lanes, error);
}

} // namespace het
