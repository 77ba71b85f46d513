// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/loops.h"

#include "common/clock.h"
#include "common/library.h"
#include "common/memory.h"
#include "measure/pages.h"

#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>

namespace bench
{

namespace
{

constexpr size_t words_a_page = page_size / sizeof(int);

class looped_array
{
      public:
	looped_array(device &d, size_t nbytes)
	    : device_(d), memory_(nbytes, false), buffer_(d, nbytes),
	      linked_(memory_.data(), nbytes, 0, buffer_.get(), GPUVM_ON_HOST)
	{
	}
	size_t pages() const { return memory_.size() / page_size; }
	void run_kernel()
	{
		first_ += 1000003;
		check(gpuvm_kernel_begin(memory_.data(), 0, GPUVM_READ_WRITE), "gpuvm_kernel_begin");
		const argument args[] = {buffer_.get(), first_};
		device_.launch(mark_pages, pages(), 1, args);
		device_.finish();
		check(gpuvm_kernel_end(memory_.data(), 0), "gpuvm_kernel_end");
	}
	void read(size_t page) const
	{
		if (word(page) != first_ + int(page))
			throw std::runtime_error("the host saw something else than the kernel wrote");
	}
	void read(size_t first, size_t n) const
	{
		for (size_t page = first; page < first + n; ++page)
			read(page);
	}
	void write(size_t page) { word(page) = first_; }
	void fill()
	{
		filled_++;
		auto *words = static_cast<int *>(memory_.data());
		std::fill(words, words + memory_.size() / sizeof(int), filled_);
	}
	// The kernel has had all that was filled in, and has written the first word of each page.
	void check_fill() const
	{
		for (size_t page = 0; page < pages(); ++page) {
			const int *words = static_cast<int *>(memory_.data()) + page * words_a_page;
			if (words[1] != filled_ || words[words_a_page - 1] != filled_)
				throw std::runtime_error("the kernel had something else than the host wrote");
		}
	}
	bool is_filled() const { return filled_; }

      private:
	volatile int &word(size_t page) const { return static_cast<int *>(memory_.data())[page * words_a_page]; }

	device &device_;
	host_array memory_;
	buffer buffer_;
	linked_array linked_;
	int first_ = 0, filled_ = 0;
};

struct loop_state {
	std::vector<std::unique_ptr<looped_array>> arrays;
	std::mt19937 random{1};
	unsigned learning; // rounds
};

// What the host does after the kernel of a round, which was on this array.
using host_part = void (*)(loop_state &s, looped_array &a, unsigned round);

void read_quarter(looped_array &a, size_t which)
{
	a.read(which * (a.pages() / 4), a.pages() / 4);
}

struct pattern {
	loop_pattern what;
	host_part host;
	unsigned arrays = 1; // the kernels are on each of them in turn
};

const pattern patterns[] = {
	{{"one word", "the same word is read each time", 1.02},
	 [](loop_state &, looped_array &a, unsigned) { a.read(a.pages() / 3); }},
	{{"sweep", "all pages are read each time", 1.02},
	 [](loop_state &, looped_array &a, unsigned) { a.read(0, a.pages()); }},
	{{"writes", "all pages are written each time", 1.02},
	 [](loop_state &, looped_array &a, unsigned) {
		 for (size_t page = 0; page < a.pages(); ++page)
			 a.write(page);
	 }},
	{{"arrays in turn", "four arrays in turn, a quarter of each is read", 1.05},
	 [](loop_state &, looped_array &a, unsigned) { read_quarter(a, 1); },
	 4},
	{{"each second", "a quarter is read after each second kernel", 1.05},
	 [](loop_state &, looped_array &a, unsigned round) {
		 if (round % 2)
			 read_quarter(a, 1);
	 }},
	{{"moving", "another quarter is read each time", 1.05},
	 [](loop_state &, looped_array &a, unsigned round) { read_quarter(a, round % 4); }},
	{{"stopped", "a quarter was read each time; no more", 1.05},
	 [](loop_state &s, looped_array &a, unsigned round) {
		 if (round < s.learning)
			 read_quarter(a, 1);
	 }},
	{{"random", "16 pages are read that never repeat", 1.02},
	 [](loop_state &s, looped_array &a, unsigned) {
		 for (int i = 0; i < 16; ++i)
			 a.read(s.random() % a.pages());
	 }},
	{{"fills", "all bytes are written each time", 0.95, loop_way::sending, loop_way::foresight},
	 [](loop_state &, looped_array &a, unsigned) { a.fill(); }},
	{{"fills twice", "all bytes are written twice each time", 1.02, loop_way::sending, loop_way::foresight},
	 [](loop_state &, looped_array &a, unsigned) {
		 a.fill();
		 a.fill();
	 }},
};

const pattern &pattern_of(const std::string &name)
{
	auto p = std::ranges::find(patterns, name, [](const pattern &x) { return std::string(x.what.name); });
	if (p == std::end(patterns))
		throw std::runtime_error("there is no pattern " + name);
	return *p;
}

json measure_loop(device &d, const pattern &p, const loop_options &o)
{
	loop_state s;
	s.learning = o.rounds;
	for (unsigned i = 0; i < p.arrays; ++i)
		s.arrays.push_back(std::make_unique<looped_array>(d, o.nbytes / p.arrays));
	unsigned round = 0;
	auto run_rounds = [&](unsigned n) {
		for (const unsigned end = round + n; round < end; ++round) {
			looped_array &a = *s.arrays[round % p.arrays];
			a.run_kernel();
			p.host(s, a, round);
		}
	};
	const bool sends = p.what.with == loop_way::sending;
	auto ahead = [&] { return count_stat(sends ? GPUVM_STAT_SENT_AHEAD : GPUVM_STAT_FORESEEN); };
	auto vain = [&] { return count_stat(sends ? GPUVM_STAT_SENT_AHEAD_IN_VAIN : GPUVM_STAT_FORESEEN_IN_VAIN); };
	const auto before = ahead(), in_vain = vain();
	run_rounds(o.rounds);
	const auto learnt = ahead();
	const double start = now_us();
	run_rounds(o.rounds);
	const double took = now_us() - start;
	const json answer = {{"us", took / o.rounds},
			     {"learning", learnt - before},
			     {"timed", ahead() - learnt},
			     {"in_vain", vain() - in_vain}};
	for (auto &a : s.arrays) {
		if (!a->is_filled())
			continue;
		a->run_kernel();
		a->check_fill();
	}
	return answer;
}

} // namespace

const std::vector<loop_pattern> &loop_patterns()
{
	static const std::vector<loop_pattern> all = [] {
		std::vector<loop_pattern> whats;
		for (const pattern &p : patterns)
			whats.push_back(p.what);
		return whats;
	}();
	return all;
}

std::vector<std::string> loop_pattern_names()
{
	std::vector<std::string> names;
	for (const loop_pattern &p : loop_patterns())
		names.emplace_back(p.name);
	return names;
}

answer_fn start_loops(const loop_options &o)
{
	std::shared_ptr<device> d = open_device(o.device);
	start_library({d.get()}, o.way == loop_way::plain     ? GPUVM_NO_FORESIGHT
				 : o.way == loop_way::sending ? GPUVM_SEND_AHEAD
							      : 0);
	return [d, o](const json &question) -> json {
		if (question.is_null())
			return {{"device", d->describe()}, {"title", d->title()}, {"library", describe_library()}};
		return measure_loop(*d, pattern_of(question.get<std::string>()), o);
	};
}

} // namespace bench
