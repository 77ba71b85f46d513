// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/transfers.h"

#include "common/clock.h"
#include "dev/cuda.h"
#include "os/log.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace bench
{

using namespace het;

namespace
{

// Others work so long, and then rest.
constexpr double work_us = 100'000;
// The library uses one lane for bulk copies, and another for touches.
constexpr unsigned bulk_lane = 0, touch_lane = 1, lanes = 2;

owned_mapping map(size_t size)
{
	void *p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	return {p, size};
}

uint64_t word(unsigned seed, size_t i)
{
	return (i + seed) * 0x9e3779b97f4a7c15;
}

int enqueue(const cuda_api &api, direction d, void *host, cu_deviceptr device, size_t bytes, cu_stream stream)
{
	return d == direction::to_device ? api.copy_to_device(device, host, bytes, stream)
					 : api.copy_to_host(host, device, bytes, stream);
}

} // namespace

gpu::gpu(const cuda_api &api, unsigned ordinal, size_t size) : api_(api), program_(ordinal), host_(map(size))
{
	int err = 0;
	device_ = make_cuda_device(api, ordinal, reinterpret_cast<void *>(uintptr_t{ordinal}), lanes, &err);
	if (!device_)
		throw std::runtime_error(last_error());
	cuda_check(api.retain_context(&context_, int(ordinal)), "cuDevicePrimaryCtxRetain");
	enter();
	cuda_check(api.allocate(&buffer_, size), "cuMemAlloc");
	if (!host_ || !device_->pin(host_.data(), size))
		throw std::runtime_error("host memory can't be pinned");
}

gpu::~gpu()
{
	for (auto &p : ports_) {
		if (p)
			p->close();
	}
	device_->unpin(host_.data());
	enter();
	api_.free(buffer_);
}

void gpu::enter() const
{
	cuda_check(api_.push_context(context_), "cuCtxPushCurrent");
}

void gpu::relay_through(const gpu &peer)
{
	for (direction d : {direction::to_device, direction::to_host}) {
		auto &port = ports_[d == direction::to_host];
		port = std::make_unique<cuda_port>();
		cuda_check(port->open(api_, peer.context_, d, true), "a relay");
	}
}

double gpu::relay(direction d, size_t bytes)
{
	cuda_port &port = *ports_[d == direction::to_host];
	const size_t most = cuda_port::slot_size;
	unsigned under_way = 0;
	stopwatch watch;
	for (size_t at = 0; at < bytes || under_way;) {
		while (at < bytes && under_way < cuda_port::slots) {
			size_t n = std::min(most, bytes - at);
			const cuda_place host = on_host(host_.data() + at), device = {context_, buffer_ + at};
			cuda_check(d == direction::to_device ? port.start(device, host, n)
							     : port.start(host, device, n),
				   "a relayed piece");
			at += n;
			under_way++;
		}
		int err = port.look();
		if (err == cu_error_not_ready)
			continue;
		cuda_check(err, "a relayed piece");
		port.next();
		under_way--;
	}
	return watch.lap();
}

double gpu::copy(carrier how, direction d, size_t bytes)
{
	if (how == carrier::relay)
		return relay(d, bytes);
	stopwatch watch;
	if (how == carrier::driver) {
		cuda_check(enqueue(api_, d, host_.data(), buffer_, bytes, program_.stream()), "a copy");
		cuda_check(api_.synchronize_stream(program_.stream()), "a copy");
	} else {
		transfer t{reinterpret_cast<void *>(uintptr_t(buffer_)), 0, host_.data(), bytes, true};
		int err = d == direction::to_device ? device_->write(bulk_lane, {&t, 1})
						    : device_->read(bulk_lane, {&t, 1});
		if (err)
			throw std::runtime_error(last_error());
	}
	return watch.lap();
}

double gpu::copy_from(carrier how, const gpu &from, size_t bytes)
{
	auto pointer = [](cu_deviceptr p) { return reinterpret_cast<void *>(uintptr_t(p)); };
	stopwatch watch;
	if (how == carrier::driver) {
		cuda_check(api_.copy_to_peer(buffer_, context_, from.buffer_, from.context_, bytes, program_.stream()),
			   "a copy between GPUs");
		cuda_check(api_.synchronize_stream(program_.stream()), "a copy between GPUs");
	} else if (device_->copy_from(bulk_lane, pointer(buffer_), 0, *from.device_, pointer(from.buffer_), 0, bytes)) {
		throw std::runtime_error(last_error());
	}
	return watch.lap();
}

double gpu::touch(size_t bytes)
{
	transfer t{reinterpret_cast<void *>(uintptr_t(buffer_)), host_.size() - bytes,
		   host_.data() + host_.size() - bytes, bytes, true};
	read_ticket ticket;
	stopwatch watch;
	if (device_->start_read(touch_lane, t, ticket) || device_->finish_read(touch_lane, ticket))
		throw std::runtime_error(last_error());
	return watch.lap();
}

void gpu::fill(unsigned seed)
{
	auto *words = reinterpret_cast<uint64_t *>(host_.data());
	for (size_t i = 0; i < host_.size() / 8; i++)
		words[i] = word(seed, i);
}

bool gpu::is(unsigned seed) const
{
	auto *words = reinterpret_cast<const uint64_t *>(host_.data());
	for (size_t i = 0; i < host_.size() / 8; i++) {
		if (words[i] != word(seed, i))
			return false;
	}
	return true;
}

// --- others --------------------------------------------------------------------

struct foreign_load::lane {
	const gpu &of;
	owned_mapping host;
	cu_deviceptr buffer = 0;
	cu_stream stream = nullptr;
	cu_event events[2] = {};
	unsigned turn = 0;

	lane(const gpu &g, size_t bytes) : of(g), host(map(bytes))
	{
		const cuda_api &api = of.api_;
		of.enter();
		cuda_check(api.allocate(&buffer, bytes), "cuMemAlloc");
		cuda_check(api.register_host(host.data(), bytes, cu_host_register_portable), "cuMemHostRegister");
		cuda_check(api.create_stream(&stream, cu_stream_non_blocking, 0), "cuStreamCreateWithPriority");
		for (cu_event &e : events)
			cuda_check(api.create_event(&e, cu_event_disable_timing), "cuEventCreate");
	}
	~lane()
	{
		const cuda_api &api = of.api_;
		of.enter();
		api.synchronize_stream(stream);
		for (cu_event e : events)
			api.destroy_event(e);
		api.destroy_stream(stream);
		api.unregister_host(host.data());
		api.free(buffer);
	}
	// Waits for the copy before the last one.
	void next(direction d, size_t bytes)
	{
		const cuda_api &api = of.api_;
		cu_event e = events[turn++ % 2];
		cuda_check(api.synchronize_event(e), "cuEventSynchronize");
		cuda_check(enqueue(api, d, host.data(), buffer, bytes, stream), "others' copy");
		cuda_check(api.record_event(e, stream), "cuEventRecord");
	}
};

foreign_load::foreign_load(std::vector<const gpu *> gpus, direction d, size_t bytes, double change_us)
    : direction_(d), bytes_(bytes), change_us_(change_us)
{
	for (const gpu *g : gpus)
		lanes_.push_back(std::make_unique<lane>(*g, bytes));
	thread_ = std::thread([this] { run(); });
}

foreign_load::~foreign_load()
{
	stop_ = true;
	thread_.join();
}

void foreign_load::run()
{
	unsigned at = 0;
	double rested = now_us();
	for (double since = 0; !stop_;) {
		double now = now_us();
		if (now > rested + work_us) {
			usleep(rest_us);
			rested = now_us();
		}
		if (since == 0 || (change_us_ > 0 && now > since + change_us_)) {
			at = since == 0 ? 0 : (at + 1) % unsigned(lanes_.size());
			since = now;
			lanes_[at]->of.enter();
		}
		lanes_[at]->next(direction_, bytes_);
	}
}

} // namespace bench
