// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/touch_stages.h"

#include "common/clock.h"
#include "common/device.h"
#include "common/library.h"
#include "common/memory.h"
#include "measure/pages.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <stdexcept>
#include <thread>

namespace bench
{

namespace
{

constexpr size_t words_a_page = page_size / sizeof(int);
constexpr unsigned few = 5;

// What ends the stage of the same place in touch_stages(); the last one ends when the toucher goes on.
constexpr std::array moments = {
	&gpuvm_touch_times::caught, &gpuvm_touch_times::handed,  &gpuvm_touch_times::taken,  &gpuvm_touch_times::locked,
	&gpuvm_touch_times::given,  &gpuvm_touch_times::started, &gpuvm_touch_times::copied, &gpuvm_touch_times::shown,
};

using stage_times = std::map<std::string, std::vector<double>>;

struct staged_array {
	// No two touches in a row are those of a reader that goes through the array.
	size_t next_page() { return (turn += 5 * pages / 16 + 7) % pages; }

	staged_array(device &d, size_t size)
	    : memory(size, false), buf(d, size), linked(memory.data(), size, 0, buf.get(), GPUVM_ON_HOST),
	      pages(size / page_size)
	{
	}
	host_array memory;
	buffer buf;
	linked_array linked;
	const size_t pages;
	size_t turn = 0;
};

class stage_session
{
      public:
	explicit stage_session(const touch_subject &subject);
	json batch(size_t size, unsigned samples);
	json batch_together(unsigned threads, unsigned samples);

      private:
	staged_array &array_of(size_t size);
	void run_kernel(staged_array &a);
	void warm_up(staged_array &a);
	double touch(staged_array &a, stage_times &stages);
	double copy(staged_array &a, size_t nbytes);
	double touch_together(staged_array &a, unsigned threads);
	int &word(staged_array &a, size_t page) { return static_cast<int *>(a.memory.data())[page * words_a_page]; }
	void expect(int seen, size_t page) const
	{
		if (seen != value_ + int(page))
			throw std::runtime_error("a touch saw stale data");
	}

	std::unique_ptr<device> device_;
	std::map<size_t, staged_array> arrays_;
	int value_ = 0;
};

stage_session::stage_session(const touch_subject &subject) : device_(open_device(subject.device))
{
	start_library({device_.get()}, GPUVM_NO_FORESIGHT | trap_flag(subject.trap) | spin_flag(subject.spin));
}

staged_array &stage_session::array_of(size_t size)
{
	auto [it, is_new] = arrays_.try_emplace(size, *device_, size);
	if (is_new)
		warm_up(it->second);
	return it->second;
}

// Leaves the array with the device as the only owner.
void stage_session::run_kernel(staged_array &a)
{
	check(gpuvm_kernel_begin(a.memory.data(), 0, GPUVM_READ_WRITE), "gpuvm_kernel_begin");
	value_ += 1000003 % (1 << 20);
	const argument args[] = {a.buf.get(), value_};
	device_->launch(mark_pages, a.pages, std::min<size_t>(a.pages, 64), args);
	device_->finish();
	device_->take_kernel_time();
	check(gpuvm_kernel_end(a.memory.data(), 0), "gpuvm_kernel_end");
}

uint64_t now()
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return uint64_t(t.tv_sec) * 1000000000 + uint64_t(t.tv_nsec);
}

// The toucher may be faster than who has served it and keeps the times. Returns false if nobody does: the page was
// there.
bool times_since(uint64_t start, gpuvm_touch_times &t)
{
	constexpr uint64_t patience_ns = 2'000'000;
	t.size = sizeof(t);
	do
		check(gpuvm_stat(GPUVM_STAT_LAST_TOUCH, &t), "gpuvm_stat");
	while (t.caught < start && now() < start + patience_ns);
	return t.caught >= start;
}

// All of the alias gets its page tables.
void stage_session::warm_up(staged_array &a)
{
	run_kernel(a);
	for (size_t page = 0; page < a.pages; ++page)
		expect(word(a, page), page);
}

double stage_session::touch(staged_array &a, stage_times &stages)
{
	run_kernel(a);
	const size_t page = a.next_page();
	const uint64_t start = now();
	const int seen = *static_cast<volatile int *>(&word(a, page));
	const uint64_t end = now();
	expect(seen, page);
	uint64_t last = start;
	auto pass = [&](size_t stage, uint64_t at) {
		if (!at)
			return;
		stages[touch_stages()[stage].name].push_back(double(int64_t(at - last)) / 1e3);
		last = at;
	};
	if (gpuvm_touch_times t; times_since(start, t)) {
		for (size_t i = 0; i < moments.size(); ++i)
			pass(i, t.*moments[i]);
		pass(moments.size(), end);
	}
	return double(end - start) / 1e3;
}

double stage_session::copy(staged_array &a, size_t nbytes)
{
	run_kernel(a);
	const size_t offset = a.next_page() * page_size / nbytes * nbytes;
	void *to = device_->near_memory(nbytes);
	const double start = now_us();
	device_->read(a.buf.get(), offset, to, nbytes);
	return now_us() - start;
}

json stage_session::batch(size_t size, unsigned samples)
{
	staged_array &a = array_of(size);
	stage_times stages, unused;
	const auto before = count_stat(GPUVM_STAT_BYTES_TO_HOST);
	touch(a, unused);
	const size_t fetched = count_stat(GPUVM_STAT_BYTES_TO_HOST) - before;
	// The process was stopped until now, and its threads must find their places again.
	for (unsigned i = 0; i < few; ++i)
		copy(a, fetched), touch(a, unused);
	std::vector<double> touches, copies;
	for (unsigned i = 0; i < samples; ++i) {
		touches.push_back(touch(a, stages));
		copies.push_back(copy(a, fetched));
	}
	json by_name = json::object();
	for (const auto &[name, took] : stages)
		by_name[name] = took;
	return {{"touch", touches}, {"copy", copies}, {"stages", by_name}, {"fetched", fetched}};
}

// Measures from the moment at which all threads may start until the last one has its word.
double stage_session::touch_together(staged_array &a, unsigned threads)
{
	run_kernel(a);
	std::atomic<unsigned> ready{0};
	std::atomic<bool> start{false};
	std::vector<double> ends(threads);
	std::vector<int> seen(threads);
	std::vector<std::thread> touchers;
	auto page_of = [&](unsigned i) { return i * (a.pages / threads) + 1; };
	for (unsigned i = 0; i < threads; ++i)
		touchers.emplace_back([&, i] {
			ready++;
			while (!start)
				std::this_thread::yield();
			seen[i] = *static_cast<volatile int *>(&word(a, page_of(i)));
			ends[i] = now_us();
		});
	while (ready != threads)
		std::this_thread::yield();
	const double begin = now_us();
	start = true;
	for (auto &t : touchers)
		t.join();
	for (unsigned i = 0; i < threads; ++i)
		expect(seen[i], page_of(i));
	return *std::max_element(ends.begin(), ends.end()) - begin;
}

json stage_session::batch_together(unsigned threads, unsigned samples)
{
	staged_array &a = array_of(size_t{threads} * (1 << 20));
	touch_together(a, threads);
	std::vector<double> touches;
	for (unsigned i = 0; i < samples; ++i)
		touches.push_back(touch_together(a, threads));
	return {{"touch", touches}};
}

} // namespace

const std::vector<touch_stage> &touch_stages()
{
	static const std::vector<touch_stage> all = {
		{"catch", "the trap catches it"},
		{"try", "the handler tries to serve it"},
		{"hand-over", "a resolver receives it from the handler"},
		{"lock", "array found and locked"},
		{"decide", "what is to be copied"},
		{"give", "the call that starts the copy"},
		{"copy", "the copy ends"},
		{"show", "the page is shown"},
		{"go-on", "the toucher goes on"},
	};
	return all;
}

answer_fn start_touch_stages(const touch_subject &subject)
{
	auto session = std::make_shared<stage_session>(subject);
	return [session](const json &question) {
		if (question.is_null())
			return describe_library();
		const auto samples = question["samples"].get<unsigned>();
		if (question.contains("together"))
			return session->batch_together(question["together"].get<unsigned>(), samples);
		return session->batch(question["size"].get<size_t>(), samples);
	};
}

} // namespace bench
