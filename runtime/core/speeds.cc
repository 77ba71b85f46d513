// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/speeds.h"

#include "cache/user_store.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace het::rt
{

namespace
{

// They are in work-items a second; 0 means not known.
struct kept_speeds {
	double alone, shared;
};

// So many measurements make a device known. They are of caches, threads and pages that are not there yet: the best
// counts.
constexpr uint32_t early = 3;

// Speeds are kept after so many measurements: a file costs more than a short launch, and early measurements are the
// worst.
bool is_time_to_keep(uint32_t n)
{
	return n >= 4 && std::has_single_bit(n) && std::countr_zero(n) % 2 == 0;
}

double sane(double speed)
{
	return std::isfinite(speed) && speed > 0 ? speed : 0;
}

class speeds_key
{
      public:
	speeds_key(const uint64_t &program, const char *kernel, const char *device)
	    : parts_{std::as_bytes(std::span(&program, 1)), cache::bytes_of(kernel), cache::bytes_of(device)}
	{
	}
	cache::key get() const { return {"speeds", parts_}; }

      private:
	const cache::bytes parts_[3];
};

const char *name_of(unsigned device)
{
	return core().devices[device]->compute->info().name;
}

} // namespace

// What was measured here is better than what was kept.
void speeds::load(unsigned device)
{
	uint32_t bit = uint32_t{1} << device;
	if (!program_ || (loaded_.load(std::memory_order_relaxed) & bit) || (loaded_.fetch_or(bit) & bit))
		return;
	kept_speeds kept = {};
	cache::contents found = cache::user_store().get(speeds_key(program_, kernel_, name_of(device)).get());
	if (!found || found.value.size() != sizeof(kept))
		return;
	memcpy(&kept, found.value.data(), sizeof(kept));
	runtime_guard g(lock_);
	known_before_ |= sane(kept.alone) > 0 ? bit : 0;
	if (!alone_.speed(device))
		alone_.preset(device, sane(kept.alone));
	if (!shared_.speed(device))
		shared_.preset(device, sane(kept.shared));
}

void speeds::save(unsigned device)
{
	kept_speeds kept;
	{
		runtime_guard g(lock_);
		kept = {alone_.speed(device), shared_.speed(device)};
	}
	cache::user_store().put(speeds_key(program_, kernel_, name_of(device)).get(),
				std::as_bytes(std::span(&kept, 1)));
}

void speeds::note(calibration &c, unsigned device, double speed)
{
	uint32_t n;
	{
		runtime_guard g(lock_);
		n = ++noted_[device];
		if (n > early || (known_before_ >> device & 1))
			c.note(device, speed);
		else
			c.preset(device, std::max(speed, c.speed(device)));
	}
	if (program_ && is_time_to_keep(n))
		save(device);
}

double speeds::alone(const het_device &d)
{
	unsigned device = d.executor.number();
	load(device);
	runtime_guard g(lock_);
	return alone_.speed(device) > 0 ? alone_.speed(device) : shared_.speed(device);
}

void speeds::note_alone(const het_device &d, double speed)
{
	note(alone_, d.executor.number(), speed);
}

bool speeds::is_sure(const het_device &d)
{
	unsigned device = d.executor.number();
	runtime_guard g(lock_);
	return noted_[device] >= early || (known_before_ >> device & 1);
}

double speeds::since(const het_device &d)
{
	runtime_guard g(lock_);
	return since_[d.executor.number()];
}

void speeds::note_chosen(const het_device &d)
{
	runtime_guard g(lock_);
	since_[d.executor.number()] = 0;
}

void speeds::note_spent(const het_device &d, double seconds)
{
	runtime_guard g(lock_);
	for (unsigned i = 0; i < core().ndevices; i++)
		since_[i] += core().devices[i]->shares_processors_with(d) ? seconds : 0;
}

bool speeds::choose_shared(std::span<const unsigned> devices, std::span<double> speeds)
{
	for (unsigned device : devices)
		load(device);
	runtime_guard g(lock_);
	return shared_.choose(devices, speeds);
}

double speeds::shared(const het_device &d)
{
	unsigned device = d.executor.number();
	load(device);
	runtime_guard g(lock_);
	return shared_.speed(device);
}

void speeds::note_shared(const het_device &d, double speed)
{
	note(shared_, d.executor.number(), speed);
}

// The first launch allocates and compiles.
void speeds::note_twin_cost(double seconds)
{
	runtime_guard g(lock_);
	twin_cost_ = twin_launches_++ < 2 ? seconds : std::min(twin_cost_, seconds);
}

double speeds::twin_cost()
{
	runtime_guard g(lock_);
	return twin_launches_ < 2 ? 0 : twin_cost_;
}

} // namespace het::rt
