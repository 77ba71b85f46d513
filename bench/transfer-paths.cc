// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What it is worth to lead copies past a busy link: the library's bulk copies, which HET_PATHS governs, beside the
// driver's own, and beside those that take nothing but the way through another GPU.
#include "common/clock.h"
#include "common/format.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"
#include "dev/cuda_api.h"
#include "measure/transfers.h"
#include "os/log.h"
#include "paths/chooser.h"

#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

using namespace bench;

namespace
{

struct options {
	common_options common;
	unsigned rounds = 20;
	size_t mib = 256;
	std::string only;
};

const std::vector<std::string> parts = {"idle", "loaded", "moving", "both", "between", "touches", "decisions"};

// What others copy at a time, and how long one way of being loaded may take.
constexpr size_t others_bytes = 32 << 20;
constexpr double patience_us = 4e6;
// After which what is known is not of the load before.
constexpr double learning_us = 4e5;
constexpr direction both[] = {direction::to_device, direction::to_host};
constexpr carrier ways[] = {carrier::ours, carrier::driver, carrier::relay};

const char *name_of(direction d)
{
	return d == direction::to_device ? "to" : "from";
}

const char *name_of(carrier c)
{
	return c == carrier::ours ? "ours" : c == carrier::driver ? "driver" : "relay";
}

std::string name_of(size_t bytes)
{
	return bytes < 1 << 20 ? format("%zuK", bytes >> 10) : format("%zuM", bytes >> 20);
}

// Who has waited for a pause of the others must not find the same pause again.
void let_others_work(unsigned turn)
{
	usleep(useconds_t(foreign_load::rest_us + 700 * turn % 3000));
}

class measurement
{
      public:
	measurement(const options &o, const het::cuda_api &api)
	    : o_(o), size_(o.mib << 20), first_(api, 0, size_), second_(api, 1, size_),
	      out_("transfer-paths",
		   {{"quick", o.common.quick}, {"rounds", o.rounds}, {"MiB", o.mib}, {"paths", getenv("HET_PATHS")}})
	{
		first_.relay_through(second_);
		first_.enter();
	}

	int run()
	{
		if (!bytes_are_right())
			return 1;
		printf("%-26s %22s %22s %8s %8s %8s\n", "copies of the first GPU's", "time: ours / driver",
		       "ours / relay", "ours", "driver", "relay");
		for (const std::string &part : parts) {
			if ((!o_.only.empty() && part != o_.only) || run(part))
				continue;
			return 1;
		}
		return 0;
	}

      private:
	// Returns false where bytes were wrong.
	bool run(const std::string &part)
	{
		bool right = true;
		for (direction d : both) {
			if (part == "idle")
				alone(d);
			else if (part == "loaded")
				loaded(d);
			else if (part == "moving")
				moving_load(d);
			else if (part == "both")
				both_at_once(d);
		}
		if (part == "between")
			right = between();
		if (part == "touches") {
			touches();
			touches_beside_others();
		}
		if (part == "decisions")
			decisions();
		out_.write(o_.common.json);
		return right;
	}

	void alone(direction d)
	{
		constexpr size_t kib = 1 << 10, mib = 1 << 20;
		for (size_t bytes : {4 * kib, 64 * kib, mib, 4 * mib, 8 * mib, 16 * mib, 64 * mib}) {
			if (bytes < size_)
				sweep("idle", d, bytes);
		}
		sweep("idle", d, size_);
	}

	void loaded(direction d)
	{
		for (const gpu *g : {&first_, &second_}) {
			foreign_load load({g}, d, others_bytes);
			sweep(g == &first_ ? "direct-loaded" : "relay-loaded", d, size_ / 4, true);
		}
	}

	bool bytes_are_right()
	{
		for (unsigned seed = 0; seed < 4; seed++) {
			first_.fill(seed);
			first_.copy(carrier::ours, direction::to_device, size_);
			first_.fill(~seed);
			first_.copy(seed % 2 ? carrier::driver : carrier::ours, direction::to_host, size_);
			if (!first_.is(seed)) {
				fprintf(stderr, "wrong bytes\n");
				return false;
			}
		}
		return true;
	}

	void row(const std::string &name, const series (&us)[3], double bytes)
	{
		auto rate = [&](const series &s) { return s.empty() ? "" : format("%.1f", bytes / median(s) / 1e3); };
		auto over = [&](const series &s) {
			if (s.empty())
				return std::string();
			ratio r = paired_ratio(us[0], s);
			return format("%.3f [%.3f, %.3f]", r.median, r.low, r.high);
		};
		printf("%-26s %22s %22s %8s %8s %8s\n", name.c_str(), over(us[1]).c_str(), over(us[2]).c_str(),
		       rate(us[0]).c_str(), rate(us[1]).c_str(), rate(us[2]).c_str());
		fflush(stdout);
		for (carrier c : ways) {
			if (!us[unsigned(c)].empty())
				out_.result(name + "/" + name_of(c), "us", summarise(us[unsigned(c)]));
		}
		for (carrier c : {carrier::driver, carrier::relay}) {
			if (!us[unsigned(c)].empty())
				out_.ratio_of(name + "/ours-over-" + name_of(c), paired_ratio(us[0], us[unsigned(c)]));
		}
	}

	// In turns, after some of ours, which learn. On a link that others fill a copy may take long: then there are
	// fewer.
	void sweep(const char *when, direction d, size_t bytes, bool is_loaded = false)
	{
		series us[3];
		for (unsigned i = 0; i < 6; i++)
			first_.copy(carrier::ours, d, bytes);
		unsigned rounds = bytes < 1 << 20 ? 10 * o_.rounds : o_.rounds;
		const double end = now_us() + patience_us;
		for (unsigned i = 0; i < rounds && (i < 3 || now_us() < end); i++) {
			for (carrier c : ways) {
				us[unsigned(c)].push_back(first_.copy(c, d, bytes));
				if (is_loaded)
					let_others_work(i);
			}
		}
		row(format("%s/%s/%s", when, name_of(d), name_of(bytes).c_str()), us, double(bytes));
	}

	// Others change over between the links every 50 ms. Each way has some such changes for itself.
	void moving_load(direction d)
	{
		const size_t bytes = size_ / 8;
		foreign_load load({&first_, &second_}, d, others_bytes, 50'000);
		const double turn = o_.common.quick ? 1e5 : 4e5;
		series us[3];
		for (unsigned i = 0; i < 3; i++) {
			for (carrier c : ways) {
				unsigned copies = 0;
				double begin = now_us();
				while (now_us() < begin + turn) {
					first_.copy(c, d, bytes);
					copies++;
				}
				us[unsigned(c)].push_back((now_us() - begin) / copies);
			}
		}
		row(format("load-moves/%s/%s", name_of(d), name_of(bytes).c_str()), us, double(bytes));
	}

	// Both GPUs are copied to, or from, by a thread each.
	void both_at_once(direction d)
	{
		series us[3];
		auto copy = [&](carrier c) {
			stopwatch watch;
			std::thread other([&] {
				second_.enter();
				second_.copy(c, d, size_);
			});
			first_.copy(c, d, size_);
			other.join();
			return watch.lap();
		};
		for (const double end = now_us() + learning_us; now_us() < end;)
			copy(carrier::ours);
		for (unsigned i = 0; i < o_.rounds; i++) {
			for (carrier c : {carrier::ours, carrier::driver})
				us[unsigned(c)].push_back(copy(c));
		}
		row(format("both-gpus/%s/%s", name_of(d), name_of(size_).c_str()), us, 2 * double(size_));
	}

	// From the second GPU to the first one.
	bool between()
	{
		second_.fill(77);
		second_.enter();
		second_.copy(carrier::driver, direction::to_device, size_);
		first_.enter();
		for (size_t bytes : {size_ / 32, size_ / 4, size_}) {
			series us[3];
			for (unsigned i = 0; i < 6; i++)
				first_.copy_from(carrier::ours, second_, bytes);
			for (unsigned i = 0; i < o_.rounds; i++) {
				for (carrier c : {carrier::ours, carrier::driver})
					us[unsigned(c)].push_back(first_.copy_from(c, second_, bytes));
			}
			row(format("between-gpus/%s", name_of(bytes).c_str()), us, double(bytes));
		}
		first_.fill(0);
		first_.copy_from(carrier::ours, second_, size_);
		first_.copy(carrier::driver, direction::to_host, size_);
		if (!first_.is(77))
			fprintf(stderr, "wrong bytes from the other GPU\n");
		return first_.is(77);
	}

	// 4 KiB come from the device while a bulk copy goes the same way.
	void touches()
	{
		table t("a touch of 4 KiB beside a bulk copy from the same GPU, us", {"bulk copy by", "median", "p99"});
		double p99[2];
		for (carrier c : {carrier::ours, carrier::driver}) {
			std::atomic<bool> stop{false};
			std::thread bulk([&] {
				first_.enter();
				while (!stop)
					first_.copy(c, direction::to_host, size_);
			});
			series us;
			for (unsigned i = 0; i < 50 * o_.rounds; i++)
				us.push_back(first_.touch(4096));
			stop = true;
			bulk.join();
			summary s = summarise(us);
			p99[unsigned(c)] = s.p99;
			t.row({name_of(c), format("%.1f", s.median), format("%.1f", s.p99)});
			out_.result(std::string("touch/bulk-by-") + name_of(c), "us", s);
		}
		out_.value("touch/p99-ours-over-driver", "", p99[0] / p99[1]);
		t.note(format("p99, ours / driver: %.2f", p99[0] / p99[1]));
		t.print();
	}

	// Others fill the link meanwhile.
	void touches_beside_others()
	{
		constexpr size_t bytes = 4096;
		foreign_load load({&first_}, direction::to_host, others_bytes);
		table t("a touch of 4 KiB while others fill the link, us", {"copied by", "median", "p99"});
		series us[2];
		for (unsigned i = 0; i < 20; i++)
			first_.touch(bytes);
		const double end = now_us() + patience_us;
		while (us[0].size() < 10 * o_.rounds && now_us() < end) {
			us[unsigned(carrier::ours)].push_back(first_.touch(bytes));
			us[unsigned(carrier::driver)].push_back(
				first_.copy(carrier::driver, direction::to_host, bytes));
			let_others_work(unsigned(us[0].size()));
		}
		for (carrier c : {carrier::ours, carrier::driver}) {
			summary s = summarise(us[unsigned(c)]);
			t.row({name_of(c), format("%.1f", s.median), format("%.1f", s.p99)});
			out_.result(std::string("touch/beside-others-by-") + name_of(c), "us", s);
		}
		out_.ratio_of("touch/beside-others-ours-over-driver", paired_ratio(us[0], us[1]));
		t.print();
	}

	void decisions()
	{
		table t("a decision, ns", {"paths", "median"});
		for (unsigned paths : {2u, 4u, 8u}) {
			het::paths::chooser c;
			het::paths::traffic nothing;
			c.open(0, direction::to_device, *het::paths::find_policy("latency"));
			for (unsigned path = 1; path < paths; path++) {
				het::paths::estimate e;
				e.saw_next(1 << 20, 20'000 + path);
				c.add(path);
				c.learn(path, size_, 1 << 20, e);
			}
			series ns;
			for (unsigned i = 0; i < 31; i++) {
				constexpr unsigned times = 10'000;
				stopwatch watch;
				for (unsigned n = 0; n < times; n++)
					chosen_ = c.choose(size_, nothing).carriers;
				ns.push_back(watch.lap() * 1e3 / times);
			}
			t.row({format("%u", paths), format("%.0f", median(ns))});
			out_.result(format("decision/%u-paths", paths), "ns", summarise(ns));
		}
		t.print();
	}

	const options &o_;
	const size_t size_;
	gpu first_, second_;
	report out_;
	volatile unsigned chosen_ = 0;
};

int run(const options &o)
{
	het::cuda_api api;
	if (het::load_cuda(api))
		throw std::runtime_error(het::last_error());
	if (cuda_device_count() < 2) {
		fprintf(stderr, "this takes two GPUs\n");
		return 4;
	}
	return measurement(o, api).run();
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line(
		"Bulk copies between the host and a GPU, with another GPU's link beside its own: the library's, "
		"as HET_PATHS says (latency if it is not set), beside the driver's.");
	add_common_options(line, o.common);
	line.number("--rounds", o.rounds, "how often every way has its turn");
	line.number("--mib", o.mib, "size of the largest copy");
	line.text("--only", o.only, "one part of it", parts);
	return line.run(argc, argv, [&] {
		setenv("HET_PATHS", "latency", 0);
		if (o.common.quick) {
			o.rounds = 3;
			o.mib = 16;
		}
		return run(o);
	});
}
