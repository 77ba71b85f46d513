// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A planted device is a model with known parameters. It executes the accesses of the tests' kernels and tells how long
// they would take, so what the tests infer can be compared with what is true.
#pragma once

#include "micro/planted_cache.h"
#include "micro/target.h"

#include <map>
#include <memory>
#include <vector>

namespace micro
{

struct plant {
	std::vector<planted_cache> caches; // from the nearest to the device on
	double memory_ns = 100;            // latency behind the last cache
	size_t page = 4096;
	size_t pages_held = 0;                // by the TLB; 0: no TLB
	double page_ns = 0;                   // what a page costs that is not held
	std::vector<planted_cache> constants; // caches of constant memory
	double constant_ns = 0;               // latency behind the last of them
	double texture_ns = 0;                // that a load through a texture takes longer; 0: there are none
	unsigned warp = 1;                    // threads that access memory together
	unsigned banks = 0;                   // of local memory; 0: no conflicts
	unsigned bank_bytes = 4;
	double local_ns = 5;
	double step_ns = 2;         // of arithmetic
	double clocks_a_step = 0;   // that kernels can count; 0: they can't
	double bytes_a_ns = 10;     // bandwidth of memory
	double loads_in_flight = 4; // of one thread
	size_t resident = 4096;     // threads
	unsigned units = 1;
	double launch_ns = 1000;
	double noise = 0.01;     // deviation of a launch's time, as a share
	double outliers = 0;     // share of launches that take up to four times as long
	double neighbours = 0;   // share of the last cache's lines that others replace between two launches
	double tick_ns = 1;      // of the clock
	double slow_start = 1;   // times as long at first, until
	double warm_after_s = 0; // the clock has ramped up
	bool forgets = false;    // the first cache is empty when a launch begins
	uint64_t seed = 1;
};

class planted_target final : public target
{
      public:
	explicit planted_target(plant p);

	std::string name() const override { return "planted"; }
	std::string title() const override { return "a planted device"; }
	json describe() const override { return {{"name", name()}, {"title", title()}}; }
	const traits &what() const override { return traits_; }

	void *allocate(size_t nbytes) override;
	void release(void *buffer) override;
	void read(void *buffer, size_t offset, void *to, size_t nbytes) override;
	void write(void *buffer, size_t offset, const void *from, size_t nbytes) override;
	double run(const kernel &k, size_t items, size_t group, arguments args) override;
	double now() const override { return seconds_; }

	// Returns the latency that dependent loads settle at where only cache @level has what they need; the number of
	// caches stands for memory.
	double latency_of(size_t level) const;

      private:
	class lane;
	struct bought {
		std::vector<std::byte> bytes;
		uint64_t address; // in the model: the same on every machine
	};
	struct spent {
		double dependent_ns = 0; // latencies of loads that wait for each other, of the slowest thread
		double latency_ns = 0;   // the sum of all others'
		double lines_bytes = 0;  // that memory moved
	};

	// What the threads of a warp access at the same time: each thread's accesses lie one after the other, behind
	// those of the thread before. The first thread has no more than others.
	template <class T> struct together {
		std::vector<T> all;
		std::vector<size_t> begins; // of each thread

		void clear()
		{
			all.clear();
			begins.clear();
		}
		// Returns how many the first thread has, with all threads written down.
		size_t count() const { return begins.size() > 1 ? begins[1] : all.size(); }
		T of(size_t thread, size_t number) const { return all[begins[thread] + number]; }
	};

	uint64_t address_of(uint64_t host) const;
	double load(uint64_t address, double &moved);
	double load_of_last(uint64_t address, double &moved);
	double load_constant(uint64_t address);
	double loads_of_warp(size_t first, size_t end, const kernel &k, arguments args, spent &s);
	double local_ns() const;
	double together_ns(double &moved);
	double slowness() const;
	double as_measured(double ns);
	double normal();

	const plant plant_;
	traits traits_;
	std::vector<cache_model> caches_;
	std::vector<cache_model> constants_;
	std::vector<cache_model> others_; // the last cache's other segments
	size_t segment_ = 0;              // that the thread is near to
	together<uint64_t> loads_;        // of the warp, and stores
	together<uint32_t> locals_;       // of the warp: bytes of local memory
	std::vector<uint64_t> lines_;     // that the warp wants at one time
	std::unique_ptr<cache_model> pages_;
	std::map<uint64_t, bought> memory_; // by the host's address
	mutable const std::pair<const uint64_t, bought> *last_ = nullptr;
	uint64_t next_address_ = uint64_t{1} << 40;
	random_stream random_;
	double seconds_ = 0;
};

} // namespace micro
