// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "device.h"

#include "waiting.h"

#include <iterator>

namespace het_omp
{

namespace
{

[[noreturn]] void region_failed(const char *name, int status)
{
	GOMP_PLUGIN_fatal("libhet: the target region %s has failed: %s (perhaps abort was called)", name,
			  het_strerror(status));
}

} // namespace

const image *device::load(const image_data &data)
{
	auto made = std::make_unique<image>(on_, data);
	if (!made->load())
		return nullptr;
	std::lock_guard g(lock_);
	return images_.emplace_back(std::move(made)).get();
}

void device::unload(const image_data *data)
{
	std::lock_guard g(lock_);
	std::erase_if(images_, [&](const auto &i) { return i->data == data; });
}

void *device::allocate_large(size_t nbytes)
{
	void *made = nullptr;
	if (!het_device_alloc(on_, nbytes, &made))
		return made;
	const bool had_stacks = stacks_.drop_free(), had_blocks = blocks_.drop_free();
	return (had_stacks || had_blocks) && !het_device_alloc(on_, nbytes, &made) ? made : nullptr;
}

void *device::allocate(size_t nbytes)
{
	void *made = blocks_.take(nbytes);
	if (!made && (made = allocate_large(nbytes)))
		allocated_.add(made, nbytes);
	return made;
}

// What was put there has come before the memory goes: het does not know the addresses that launches put to.
bool device::free(void *address)
{
	if (blocks_.give_back(address))
		return true;
	if (!puts_.settle())
		return false;
	allocated_.remove(address);
	return !het_device_free(on_, address);
}

bool device::copy_to_host(void *to, const void *from, size_t nbytes)
{
	return puts_.settle(from, nbytes) && copies_.to_host(to, from, nbytes);
}

bool device::copy_to_device(void *to, const void *from, size_t nbytes)
{
	const auto is_known = [&] { return blocks_.cover(to, nbytes) || allocated_.cover(to, nbytes); };
	return (puts::fits(to, nbytes) && is_known() && puts_.put(to, from, nbytes)) ||
	       (puts_.settle(to, nbytes) && copies_.to_device(to, from, nbytes));
}

bool device::copy_on_device(void *to, const void *from, size_t nbytes)
{
	return puts_.settle(to, nbytes) && puts_.settle(from, nbytes) && copies_.on_device(to, from, nbytes);
}

// GCC's entry takes three words: the region's variables, the stacks, and the size of one.
device::launched device::launch(const function &f, void *variables, void *const *arguments)
{
	const geometry g = fit(asked_geometry(arguments), f.has);
	void *at = stacks_.take(g.teams * g.threads * stack_bytes);
	if (!at)
		GOMP_PLUGIN_fatal("libhet: no device memory for the stacks of %zu teams of %zu threads", g.teams,
				  g.threads);
	void *words[] = {variables, at, reinterpret_cast<void *>(stack_bytes)};
	const het_arg block = {HET_ARG_BLOCK, 0, sizeof words, words, nullptr, nullptr};
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = f.kernel;
	l.dimensions = 2;
	l.global[0] = g.teams * lanes;
	l.local[0] = lanes;
	l.global[1] = l.local[1] = g.threads;
	l.arg_size = sizeof block;
	l.nargs = 1;
	l.args = &block;
	l.device = on_;
	het_event *e = nullptr, *before = puts_.last();
	l.nwaits = before != nullptr;
	l.waits = &before;
	const int err = het_launch(queue_, &l, &e);
	if (before)
		het_event_release(before);
	if (err)
		region_failed(f.name, err);
	return {this, at, nullptr, f.name, e};
}

void device::run(const function &f, void *variables, void *const *arguments)
{
	const launched l = launch(f, variables, arguments);
	if (int err = finish(l.event))
		region_failed(f.name, err);
	stacks_.give_back(l.stacks);
}

void device::ended(het_event *event, int status, void *arg)
{
	const std::unique_ptr<launched> l(static_cast<launched *>(arg));
	if (status < 0)
		region_failed(l->name, status);
	l->by->stacks_.give_back(l->stacks);
	het_event_release(event);
	GOMP_PLUGIN_target_task_completion(l->task);
}

void device::begin(const function &f, void *variables, void *const *arguments, void *task)
{
	auto l = std::make_unique<launched>(launch(f, variables, arguments));
	l->task = task;
	if (int err = het_event_callback(l->event, ended, l.get()))
		region_failed(f.name, err);
	l.release();
}

namespace
{

constexpr uint32_t most = 64;

// They live as long as the process: libgomp may use them while it ends.
std::vector<device *> find_devices()
{
	het_device *all[most];
	uint32_t count = 0;
	std::vector<device *> found;
	if (het_devices(most, all, &count))
		return found;
	for (uint32_t i = 0; i < count && i < most; i++) {
		het_device_info info = {};
		info.size = sizeof info;
		het_queue_args q = {};
		q.size = sizeof q;
		q.ndevices = 1;
		q.devices = &all[i];
		het_queue *queue = nullptr;
		if (!het_device_describe(all[i], &info) && info.kind == HET_DEVICE_CUDA &&
		    !het_queue_create(&q, &queue))
			found.push_back(new device(all[i], queue));
	}
	return found;
}

const std::vector<device *> &devices()
{
	static const auto *all = new std::vector<device *>(find_devices());
	return *all;
}

} // namespace

device *device_number(int n)
{
	return devices().at(size_t(n));
}

int count_devices()
{
	return int(devices().size());
}

} // namespace het_omp
