// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/uvm.h"

#include "common/clock.h"
#include "common/library.h"
#include "common/memory.h"
#include "common/progress.h"
#include "measure/pages.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

namespace bench
{

namespace
{

constexpr double patience_s = 60;
constexpr size_t words_a_page = page_size / sizeof(int);
constexpr unsigned block = 64;

class session
{
      public:
	explicit session(const uvm_subject &subject) : subject_(subject), program_(0)
	{
		start_uvm_way(subject, program_);
		small_ = make_uvm_array(subject, program_, page_size);
		large_ = make_uvm_array(subject, program_, uvm_bytes);
		touched_ = make_uvm_array(subject, program_, uvm_bytes);
		swept_ = make_uvm_array(subject, program_, uvm_bytes);
	}
	json batch(const std::string &measure, unsigned samples);
	json describe() const;

      private:
	using method = double (session::*)();
	static method method_of(const std::string &measure);

	double touch_small() { return touch(*small_, 0); }
	double touch_large();
	double sweep();
	double first_use();
	double first_use_near();
	double first_use_spread();
	double first_use_read();
	double touch_in_parallel();
	double touch_again() { return touch(*touched_, pages / 3); }
	double loop_of_touches();
	double loop_of_sweeps();

	double touch(uvm_array &a, size_t page);
	double use_after_writes(size_t first, size_t step, size_t count, bool reads_all);
	void read_all(uvm_array &a);
	void write_page(size_t page);
	void mark(uvm_array &a, size_t count);
	int &word(uvm_array &a, size_t page) { return static_cast<int *>(a.host())[page * words_a_page]; }
	int seen(uvm_array &a, size_t page) { return *static_cast<volatile int *>(&word(a, page)); }
	void expect(bool right) const
	{
		if (!right)
			throw std::runtime_error("the host saw something else than the kernel wrote");
	}

	uvm_subject subject_;
	cuda_program program_;
	// What the host does with the last two after each kernel is always the same.
	std::unique_ptr<uvm_array> small_, large_, touched_, swept_;
	int value_ = 0;
	size_t turn_ = 0;
	static constexpr size_t pages = uvm_bytes / page_size;
};

// A kernel writes one word in each page, which is @value_ + page.
void session::mark(uvm_array &a, size_t count)
{
	a.before_kernel();
	value_ += 1000003;
	het::cu_deviceptr p = a.device();
	program_.launch(pages_kernels, "mark_pages", unsigned(count + block - 1) / block,
			unsigned(count < block ? count : block), {&p, &value_});
	program_.finish();
	a.after_kernel();
}

double session::touch(uvm_array &a, size_t page)
{
	mark(a, &a == small_.get() ? 1 : pages);
	double start = now_us();
	a.before_touch(page * page_size, page_size);
	int got = seen(a, page);
	double took = now_us() - start;
	expect(got == value_ + int(page));
	return took;
}

double session::touch_large()
{
	turn_ += 5 * pages / 16 + 7;
	return touch(*large_, turn_ % pages);
}

double session::sweep()
{
	mark(*large_, pages);
	double start = now_us();
	read_all(*large_);
	return now_us() - start;
}

double session::loop_of_touches()
{
	double start = now_us();
	touch_again();
	return now_us() - start;
}

double session::loop_of_sweeps()
{
	double start = now_us();
	mark(*swept_, pages);
	read_all(*swept_);
	return now_us() - start;
}

void session::read_all(uvm_array &a)
{
	a.before_touch(0, uvm_bytes);
	int wrong = 0;
	for (size_t page = 0; page < pages; ++page)
		wrong |= seen(a, page) ^ (value_ + int(page));
	expect(!wrong);
}

void session::write_page(size_t page)
{
	large_->before_touch(page * page_size, page_size);
	word(*large_, page) += 1;
	large_->written(page * page_size, page_size);
}

// The host writes in some pages of what a kernel has written, and then a kernel uses all of it.
double session::use_after_writes(size_t first, size_t step, size_t count, bool reads_all)
{
	mark(*large_, pages);
	if (reads_all)
		read_all(*large_);
	for (size_t i = 0; i < count; ++i)
		write_page(first + i * step);
	int number = int(pages), added = 5;
	het::cu_deviceptr p = large_->device();
	double start = now_us();
	large_->before_kernel();
	program_.launch(pages_kernels, "add_to_pages", pages / block, block, {&p, &number, &added});
	program_.finish();
	double took = now_us() - start;
	large_->after_kernel();
	large_->before_touch(first * page_size, page_size);
	expect(seen(*large_, first) == value_ + int(first) + 1 + added);
	return took;
}

double session::first_use()
{
	return use_after_writes(0, 1, pages, true);
}

double session::first_use_near()
{
	return use_after_writes(pages / 3, 1, pages / 100, false);
}

double session::first_use_spread()
{
	return use_after_writes(3, 100, pages / 100, false);
}

double session::first_use_read()
{
	return use_after_writes(3, 100, pages / 100, true);
}

// Measures from the moment at which all threads may start until the last one has its word.
double session::touch_in_parallel()
{
	mark(*large_, pages);
	std::atomic<unsigned> ready{0};
	std::atomic<bool> start{false}, right{true};
	std::atomic<double> last{0};
	std::vector<std::thread> threads;
	double begin = 0;
	for (unsigned i = 0; i < uvm_touchers; ++i) {
		threads.emplace_back([&, i] {
			size_t page = i * (pages / uvm_touchers) + 1;
			ready++;
			while (!start)
				;
			if (seen(*large_, page) != value_ + int(page))
				right = false;
			double now = now_us(), old = last;
			while (old < now && !last.compare_exchange_weak(old, now))
				;
		});
	}
	while (ready != uvm_touchers)
		;
	begin = now_us();
	if (subject_.way == "pinned" || subject_.way == "managed-prefetch") {
		for (unsigned i = 0; i < uvm_touchers; ++i)
			large_->before_touch((i * (pages / uvm_touchers) + 1) * page_size, page_size);
	}
	start = true;
	for (auto &t : threads)
		t.join();
	expect(right);
	return last - begin;
}

session::method session::method_of(const std::string &measure)
{
	static const std::map<std::string, method> methods = {
		{"touch-4KiB", &session::touch_small},
		{"touch", &session::touch_large},
		{"sweep", &session::sweep},
		{"first-use", &session::first_use},
		{"first-use-1%-near", &session::first_use_near},
		{"first-use-1%-spread", &session::first_use_spread},
		{"first-use-1%-read", &session::first_use_read},
		{"parallel", &session::touch_in_parallel},
		{"touch-again", &session::touch_again},
		{"loop-touch", &session::loop_of_touches},
		{"loop-sweep", &session::loop_of_sweeps},
	};
	return methods.at(measure);
}

json session::batch(const std::string &measure, unsigned samples)
{
	method m = method_of(measure);
	// The process was stopped until now, and its threads must find their places again.
	for (unsigned i = 0; i < 1 + samples / 10; ++i)
		(this->*m)();
	std::vector<double> times;
	for (unsigned i = 0; i < samples; ++i)
		times.push_back((this->*m)());
	return json(times);
}

json session::describe() const
{
	json d = {{"device",
		   json{{"name", program_.device_name()}, {"driver", "for CUDA " + cuda_program::driver_version()}}}};
	if (subject_.way == "libhet")
		d["library"] = describe_library();
	return d;
}

} // namespace

const std::vector<uvm_measure> &uvm_measures()
{
	static const std::vector<uvm_measure> all = {
		{"touch-4KiB", "one host touch after a kernel, array of 4 KiB", 150},
		{"touch", "one host touch after a kernel, array of 64 MiB", 100},
		{"sweep", "host read sweep of 64 MiB after a kernel", 3},
		{"first-use", "first GPU use of 64 MiB after host writes", 3},
		{"first-use-1%-near", "the same, 1 % of the pages written, side by side", 3},
		{"first-use-1%-spread", "the same, 1 % of the pages written, every hundredth", 3},
		{"first-use-1%-read", "the same, 1 % written, every hundredth, all read", 3},
		{"parallel", "16 threads touch 16 chunks at once, until the last is served", 10},
		{"touch-again", "the host touch of 64 MiB that followed each kernel before, too", 100},
		{"loop-touch", "begin, kernel, end and that touch", 100},
		{"loop-sweep", "begin, kernel, end and a host read sweep of 64 MiB, as always", 5},
	};
	return all;
}

std::vector<std::string> uvm_measure_names()
{
	std::vector<std::string> names;
	for (const auto &m : uvm_measures())
		names.push_back(m.name);
	return names;
}

answer_fn start_uvm_session(const uvm_subject &subject)
{
	auto s = std::make_shared<session>(subject);
	return [s](const json &question) {
		return question.is_null()
			       ? s->describe()
			       : s->batch(question["measure"].get<std::string>(), question["samples"].get<unsigned>());
	};
}

const uvm_result *uvm_outcome::find(const std::string &name) const
{
	for (const auto &r : results)
		if (r.subject.name() == name)
			return &r;
	return nullptr;
}

uvm_outcome run_uvm(const std::vector<uvm_subject> &subjects, const std::vector<std::string> &only, unsigned rounds)
{
	auto is_wanted = [&](const uvm_measure &m) {
		return only.empty() || std::find(only.begin(), only.end(), m.name) != only.end();
	};
	uvm_outcome out;
	std::vector<std::unique_ptr<child>> children;
	for (const auto &s : subjects) {
		auto c = std::make_unique<child>([s] { return start_uvm_session(s); });
		try {
			json d = c->ask(nullptr, patience_s);
			out.device = d["device"];
			out.results.push_back({s, {}, {}, d["library"]});
			children.push_back(std::move(c));
		} catch (const std::exception &e) {
			out.unavailable.push_back(s.name() + ": " + e.what());
		}
	}
	progress shown("uvm-compare", rounds * uvm_measures().size());
	for (unsigned round = 0; round < rounds; ++round) {
		for (const auto &m : uvm_measures()) {
			for (size_t turn = 0; is_wanted(m) && turn < children.size(); ++turn) {
				size_t i = (turn + round) % children.size();
				const json answer =
					children[i]->ask({{"measure", m.name}, {"samples", m.samples}}, patience_s);
				const auto times = answer.get<series>();
				auto &all = out.results[i].samples[m.name];
				all.insert(all.end(), times.begin(), times.end());
				out.results[i].rounds[m.name].push_back(median(times));
			}
			shown.step(m.name);
		}
	}
	return out;
}

} // namespace bench
