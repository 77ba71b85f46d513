// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/together.h"

#include "common/device_error.h"
#include "common/format.h"
#include "micro/tests.h"

#include <algorithm>
#include <barrier>
#include <cmath>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

namespace micro
{

namespace
{

using bench::format;

constexpr unsigned copies_of_turn = 4;

struct line {
	std::string device;
	bool to_device;
};

struct turn {
	double began = 0, ended = 0; // seconds
	std::exception_ptr trouble;  // what its thread has thrown
};

// Copies between a device that it opens by itself and memory of its own, as drivers have a current device by thread.
class copier
{
      public:
	copier(const target &from, const line &l, size_t n, unsigned salt)
	    : device_(from.open(l.device)), n_(n), to_device_(l.to_device)
	{
		if (!device_)
			throw std::runtime_error("no device can be opened twice");
		there_ = std::make_unique<memory>(*device_, n);
		area_ = static_cast<char *>(device_->near_memory(n));
		if (!area_) {
			own_.resize(n);
			area_ = own_.data();
		}
		for (size_t i = 0; i < n; i++)
			area_[i] = content(i, salt);
		device_->write(there_->get(), 0, area_, n);
		if (!to_device_)
			std::fill(area_, area_ + n, char(0));
		salt_ = salt;
	}
	void copy()
	{
		if (to_device_)
			device_->write(there_->get(), 0, area_, n_);
		else
			device_->read(there_->get(), 0, area_, n_);
	}
	void check()
	{
		device_->read(there_->get(), 0, area_, n_);
		for (size_t i = 0; i < n_; i++)
			if (area_[i] != content(i, salt_))
				throw wrong_result("copies at the same time: bytes did not arrive");
	}

      private:
	static char content(size_t i, unsigned salt) { return char(i * 7 + i / 4096 + salt); }

	std::unique_ptr<target> device_;
	std::unique_ptr<memory> there_;
	std::vector<char> own_;
	char *area_ = nullptr;
	size_t n_;
	bool to_device_;
	unsigned salt_ = 0;
};

// Threads copy in turns that begin together.
class crew
{
      public:
	crew(const context &c, std::vector<line> lines, size_t n)
	    : c_(c), lines_(std::move(lines)), n_(n), turns_(lines_.size()), begins_(ptrdiff_t(lines_.size() + 1)),
	      ends_(ptrdiff_t(lines_.size() + 1))
	{
		for (size_t i = 0; i < lines_.size(); i++)
			threads_.emplace_back([this, i] { work(i); });
		begins_.arrive_and_wait();
		ends_.arrive_and_wait(); // all are open, or have trouble
	}
	~crew()
	{
		if (!threads_.empty())
			finish();
	}
	crew(const crew &) = delete;
	crew &operator=(const crew &) = delete;

	// Returns the GB/s of all in one turn.
	double rate()
	{
		begins_.arrive_and_wait();
		ends_.arrive_and_wait();
		expect_no_trouble();
		double began = turns_[0].began, ended = turns_[0].ended;
		for (const turn &t : turns_) {
			began = std::min(began, t.began);
			ended = std::max(ended, t.ended);
		}
		const double bytes = double(n_) * copies_of_turn * double(lines_.size());
		return ended > began ? bytes / (ended - began) * 1e-9 : 0;
	}
	// Ends the threads, each of which compares what it has copied. Throws if one had trouble.
	void finish()
	{
		last_ = true;
		begins_.arrive_and_wait();
		for (std::thread &t : threads_)
			t.join();
		threads_.clear();
	}
	void expect_no_trouble() const
	{
		for (const turn &t : turns_)
			if (t.trouble)
				std::rethrow_exception(t.trouble);
	}

      private:
	// A thread with trouble goes on to meet the others, which would wait for it otherwise.
	template <typename F> void try_to(size_t i, const F &what)
	{
		if (turns_[i].trouble)
			return;
		try {
			what();
		} catch (const std::exception &) {
			turns_[i].trouble = std::current_exception();
		}
	}
	void work(size_t i)
	{
		std::unique_ptr<copier> mine;
		begins_.arrive_and_wait();
		try_to(i, [&] { mine = std::make_unique<copier>(c_.dut, lines_[i], n_, unsigned(i)); });
		ends_.arrive_and_wait();
		for (;;) {
			begins_.arrive_and_wait();
			if (last_)
				break;
			try_to(i, [&] {
				turns_[i].began = c_.dut.now();
				for (unsigned k = 0; k < copies_of_turn; k++)
					mine->copy();
				turns_[i].ended = c_.dut.now();
			});
			ends_.arrive_and_wait();
		}
		try_to(i, [&] { mine->check(); });
	}

	const context &c_;
	const std::vector<line> lines_;
	const size_t n_;
	std::vector<turn> turns_;
	std::barrier<> begins_, ends_;
	bool last_ = false;
	std::vector<std::thread> threads_;
};

// Returns the rates of turns, which are also a result.
bench::series measure(context &c, const std::string &name, const std::vector<line> &lines, size_t n)
{
	c.progress(name);
	try {
		crew all(c, lines, n);
		all.expect_no_trouble();
		all.rate(); // the first turn has what drivers do once
		const auto now = [&] { return c.dut.now(); };
		const figure f = repeated([&] { return all.rate(); }, c.how, now);
		all.finish();
		all.expect_no_trouble();
		c.out.add(format("together/%s/%zu", name.c_str(), lines.size()), "GB/s", f);
		return f.samples;
	} catch (const wrong_result &) {
		throw;
	} catch (const bench::device_error &wrong) {
		if (wrong.why() == bench::device_error::kind::lost)
			throw;
		c.out.fail("together/" + name, wrong.what(), wrong.cure());
	} catch (const std::exception &wrong) {
		c.out.refuse("together/" + name, wrong.what(), "what the message names");
	}
	return {};
}

void measure_devices(context &c, const std::vector<std::string> &names, size_t n)
{
	for (size_t devices = 1; devices <= names.size(); devices++) {
		std::vector<line> to, from, both;
		for (size_t i = 0; i < devices; i++) {
			to.push_back({names[i], true});
			from.push_back({names[i], false});
		}
		both = to;
		both.insert(both.end(), from.begin(), from.end());
		measure(c, "devices, to each", to, n);
		measure(c, "devices, from each", from, n);
		measure(c, "devices, both ways", both, n);
	}
}

} // namespace

fact duplex_fact(const bench::series &to_device, const bench::series &to_host, const bench::series &both)
{
	fact f{.name = "transfer.duplex", .unit = "times"};
	if (to_device.empty() || to_host.empty() || both.empty()) {
		f.why = "one of the directions has no figure";
		return f;
	}
	const bench::ratio to = bench::median_interval(to_device), from = bench::median_interval(to_host),
			   all = bench::median_interval(both), &faster = to.median > from.median ? to : from;
	f.is = verdict::found;
	f.value = all.median / faster.median;
	f.low = all.low / faster.high;
	f.high = all.high / faster.low;
	f.confidence = std::min(all.confidence, faster.confidence);
	f.why = format("%.4g GB/s to the device, %.4g to the host, %.4g in both directions at once", to.median,
		       from.median, all.median);
	return f;
}

fact engines_fact(const fact &duplex, double same_way)
{
	constexpr double two = 1.25, one = 1.08;
	fact f{.name = "copy.engines", .unit = "engines"};
	constexpr double least_confidence = 0.85;
	f.confidence = duplex.confidence;
	if (duplex.is != verdict::found || duplex.confidence < least_confidence) {
		f.why = duplex.is == verdict::found ? "there are too few copies to be sure" : duplex.why;
		return f;
	}
	if (same_way > two) {
		f.why = format("two copies in one direction are together %.2f times as fast as one, which does not "
			       "fill its way",
			       same_way);
	} else if (duplex.low > two) {
		f.is = verdict::found;
		f.value = f.low = f.high = 2;
		f.why = "copies in both directions run at the same time; whether more engines share a direction does "
			"not show, as one fills it";
	} else if (duplex.high < one) {
		f.is = verdict::found;
		f.value = f.low = f.high = 1;
		f.why = "copies in both directions together are no faster than in one: one engine, or a way that both "
			"share";
	} else {
		f.why = format(
			"both directions together are %.2f times as fast as one, which is neither one engine nor two",
			duplex.value);
	}
	return f;
}

void test_together(context &c)
{
	const std::vector<std::string> names = c.dut.alike();
	if (names.empty()) {
		c.out.refuse("together", "the device can't be opened twice", "nothing: there is only one of it");
		return;
	}
	const size_t n = std::min({size_t{c.quick ? 16u : 64u} << 20, c.most_bytes, c.dut.what().largest});
	const std::string name = c.dut.name();
	const bench::series to = measure(c, "to device", {{name, true}}, n),
			    from = measure(c, "to host", {{name, false}}, n),
			    both = measure(c, "both ways", {{name, true}, {name, false}}, n);
	const bench::series twice_to = measure(c, "to device", {{name, true}, {name, true}}, n),
			    twice_from = measure(c, "to host", {{name, false}, {name, false}}, n);
	const auto times = [](const bench::series &twice, const bench::series &once) {
		return twice.empty() || once.empty() ? 0 : bench::median(twice) / bench::median(once);
	};
	const fact duplex = duplex_fact(to, from, both),
		   engines = engines_fact(duplex, std::max(times(twice_to, to), times(twice_from, from)));
	c.out.add(duplex, c.claim(duplex.name));
	c.out.add(engines, c.claim(engines.name));
	if (names.size() > 1)
		measure_devices(c, names, n);
}

} // namespace micro
