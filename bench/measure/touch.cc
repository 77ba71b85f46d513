// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/touch.h"

#include "base/process.h"
#include "common/clock.h"
#include "common/device.h"
#include "common/format.h"
#include "common/library.h"
#include "common/load.h"
#include "common/memory.h"
#include "common/stats.h"
#include "measure/pages.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <stdexcept>

namespace bench
{

namespace
{

constexpr double patience_s = 60;
constexpr unsigned warm_up = 3;
constexpr unsigned least_samples = 5;

const std::map<std::string, int> trap_flags = {{"kmod", GPUVM_TRAP_KMOD},
					       {"uffd", GPUVM_TRAP_UFFD},
					       {"uffd-sigbus", GPUVM_TRAP_UFFD_SIGBUS},
					       {"sigsegv", GPUVM_TRAP_SIGSEGV},
					       {"sigsegv-stop", GPUVM_TRAP_SIGSEGV_STOP}};

const std::map<std::string, int> spin_flags = {
	{"adaptive", 0}, {"always", GPUVM_SPIN_ALWAYS}, {"never", GPUVM_SPIN_NEVER}};

const kernel stamp = {"stamp", pages_kernels, [](arguments a, size_t, size_t) {
			      static_cast<int *>(a[0].buffer)[a[1].integer] = a[2].integer;
		      }};

// Has the system read memory of ours.
class system_reader
{
      public:
	void look_at(const int *p) const
	{
		if (write(pipe_.in.get(), p, sizeof(*p)) != sizeof(*p))
			throw std::runtime_error(format("write(2) of device data: %s", strerror(errno)));
	}
	int seen() const
	{
		int value = 0;
		return read(pipe_.out.get(), &value, sizeof(value)) == sizeof(value) ? value : 0;
	}

      private:
	const het::tube pipe_ = het::make_tube();
};

// An array that is linked for as long as the session lives.
struct subject_array {
	subject_array(device &d, size_t size)
	    : memory(size, false), buf(d, size), linked(memory.data(), size, 0, buf.get(), GPUVM_ON_HOST),
	      at(int(size / 2 / sizeof(int)))
	{
	}
	host_array memory;
	buffer buf;
	linked_array linked;
	int at; // index of the element that the kernel writes and the host reads
};

class touch_session
{
      public:
	explicit touch_session(const touch_subject &subject);
	json batch(const json &question);

      private:
	void run_kernel(subject_array &a);
	double touch_once(subject_array &a, bool by_system);
	double read_once(subject_array &a, size_t nbytes);
	double first_write_once();

	std::unique_ptr<device> device_;
	std::map<size_t, std::unique_ptr<subject_array>> arrays_;
	small_page_mapping fresh_{16 << 20};
	size_t fresh_at_ = 0;
	std::vector<char> scratch_ = std::vector<char>(4 << 20);
	system_reader system_;
	int value_ = 0;
};

// sigsegv-stop has to know the device runtime's threads, which appear in between.
touch_session::touch_session(const touch_subject &subject)
{
	check(gpuvm_pre_init(GPUVM_THREADS_BEFORE_INIT), "gpuvm_pre_init");
	device_ = open_device(subject.device);
	buffer first(*device_, page_size);
	const argument args[] = {first.get(), 0, 0};
	device_->launch(stamp, 1, 1, args);
	device_->finish();
	check(gpuvm_pre_init(GPUVM_THREADS_AFTER_INIT), "gpuvm_pre_init");
	start_library({device_.get()}, GPUVM_NO_FORESIGHT | trap_flag(subject.trap) | spin_flag(subject.spin));
}

// Leaves the array with the device as the only owner.
void touch_session::run_kernel(subject_array &a)
{
	check(gpuvm_kernel_begin(a.memory.data(), 0, GPUVM_READ_WRITE), "gpuvm_kernel_begin");
	const argument args[] = {a.buf.get(), a.at, ++value_};
	device_->launch(stamp, 1, 1, args);
	device_->finish();
	device_->take_kernel_time();
	check(gpuvm_kernel_end(a.memory.data(), 0), "gpuvm_kernel_end");
}

double touch_session::touch_once(subject_array &a, bool by_system)
{
	run_kernel(a);
	int *element = static_cast<int *>(a.memory.data()) + a.at;
	int seen = 0;
	double start = now_us();
	if (by_system)
		system_.look_at(element);
	else
		seen = *static_cast<volatile int *>(element);
	double took = now_us() - start;
	if (by_system)
		seen = system_.seen();
	if (seen != value_)
		throw std::runtime_error("a touch saw stale data");
	return took;
}

double touch_session::read_once(subject_array &a, size_t nbytes)
{
	run_kernel(a);
	double start = now_us();
	device_->read(a.buf.get(), 0, scratch_.data(), nbytes);
	return now_us() - start;
}

// Writes several pages in a row: that is the cheapest first write, and so the strictest comparison.
double touch_session::first_write_once()
{
	constexpr size_t pages = 8;
	if (fresh_at_ + pages * page_size > fresh_.size()) {
		fresh_.forget();
		fresh_at_ = 0;
	}
	volatile char *p = fresh_.data() + fresh_at_;
	fresh_at_ += pages * page_size;
	double start = now_us();
	for (size_t i = 0; i < pages; ++i)
		p[i * page_size] = 1;
	return (now_us() - start) / pages;
}

json touch_session::batch(const json &question)
{
	const auto size = question["size"].get<size_t>();
	auto &slot = arrays_[size];
	if (!slot)
		slot = std::make_unique<subject_array>(*device_, size);
	subject_array &a = *slot;

	thread_load load(question["live"].get<unsigned>(), question["busy"].get<unsigned>());
	const auto by_system = question["by_system"].get<bool>();
	auto before = count_stat(GPUVM_STAT_BYTES_TO_HOST);
	touch_once(a, by_system);
	const size_t fetched = count_stat(GPUVM_STAT_BYTES_TO_HOST) - before;
	const size_t raw_bytes = std::min(fetched, scratch_.size());
	for (unsigned i = 0; i < warm_up; ++i)
		read_once(a, raw_bytes), touch_once(a, by_system);

	const auto samples = question["samples"].get<unsigned>();
	const double end = now_us() + question["seconds"].get<double>() * 1e6;
	std::vector<double> touch, raw, first;
	while (touch.size() < samples && (touch.size() < least_samples || now_us() < end)) {
		touch.push_back(touch_once(a, by_system));
		raw.push_back(read_once(a, raw_bytes));
		first.push_back(first_write_once());
	}
	return {{"touch", touch}, {"raw", raw}, {"first_write", first}, {"fetched", fetched}};
}

} // namespace

const std::vector<std::string> &trap_names()
{
	static const std::vector<std::string> names = {"sigsegv-stop", "sigsegv", "uffd-sigbus", "uffd", "kmod"};
	return names;
}

int trap_flag(const std::string &name)
{
	return trap_flags.at(name);
}

int spin_flag(const std::string &name)
{
	return spin_flags.at(name);
}

std::string touch_cell::name() const
{
	return std::to_string(size) + "/" + (busy ? "busy" + std::to_string(busy) : "live" + std::to_string(live)) +
	       (by_system ? "/system" : "");
}

answer_fn start_touch_session(const touch_subject &subject)
{
	auto session = std::make_shared<touch_session>(subject);
	return [session](const json &question) {
		return question.is_null() ? describe_library() : session->batch(question);
	};
}

json greet_touch_session(child &session)
{
	return session.ask(nullptr, patience_s);
}

touch_samples ask_touch_session(child &session, const touch_cell &cell, unsigned samples, double seconds)
{
	json a = session.ask({{"size", cell.size},
			      {"live", cell.live},
			      {"busy", cell.busy},
			      {"by_system", cell.by_system},
			      {"samples", samples},
			      {"seconds", seconds}},
			     seconds + patience_s);
	return {a["touch"].get<series>(), a["raw"].get<series>(), a["first_write"].get<series>(),
		a["fetched"].get<size_t>()};
}

} // namespace bench
