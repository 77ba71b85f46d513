// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures how long an urgent launch of one group waits beside a launch that keeps the whole GPU busy: where that stops
// for it, without and with an announcement some time before; where only its stream is more urgent, as the other kernel
// can't be stopped; and on the idle GPU. The other launches' results are checked at the end.
#include "common/clock.h"
#include "common/format.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <het.hpp>
#include <random>
#include <thread>

using namespace bench;

namespace
{

struct options {
	common_options common;
	unsigned samples = 400;
	unsigned waves = 0; // how many blocks each place of the GPU gets; 0: by their length
	unsigned lead = 50; // an announcement comes so many µs before
};

constexpr int no_device_status = 4; // as kselftests have it
constexpr unsigned group = 256, groups_of_unit = 8;
constexpr unsigned rounds_unrolled = 8; // as many as the kernel has registers %k
// So many groups have sums of their own; others share theirs.
constexpr size_t groups_of_sums = 1024;

// Each work-item goes through a sequence of numbers, and adds the last one to its sum, with an atomic, so that all that
// is done twice or not at all shows. Several steps are in one round of the loop, as compilers make it. To each belongs
// a number from memory, which is 0: these stay as they are, and are saved with the rest.
std::string victim_text(bool can_be_stopped)
{
	std::string steps;
	std::string loads;
	for (unsigned i = 0; i < rounds_unrolled; i++) {
		loads += format("\tld.global.u32 %%k%u, [%%rd4+%u];\n", i, 4 * i);
		steps += format("\tmad.lo.u32 %%r6, %%r6, 1664525, 1013904223;\n\txor.b32 %%r6, %%r6, %%k%u;\n", i);
	}
	return std::string(".version 7.0\n.target sm_70\n.address_size 64\n") +
	       // A program with a variable of its own can't be stopped.
	       (can_be_stopped ? "" : ".visible .global .align 4 .u32 kept;\n") + R"(
.visible .entry work(.param .u64 sums, .param .u32 rounds, .param .u64 zeros)
{
	.reg .pred %p<2>;
	.reg .b32 %r<10>, %k<8>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [sums];
	ld.param.u32 %r1, [rounds];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r5, %r2, %r3, %r4;
	cvta.to.global.u64 %rd1, %rd1;
	and.b32 %r8, %r2, 1023;
	mad.lo.u32 %r8, %r8, %r3, %r4;
	mad.wide.u32 %rd3, %r8, 4, %rd1;
	mov.u32 %r6, %r5;
	mov.u32 %r7, 0;
	ld.param.u64 %rd4, [zeros];
	cvta.to.global.u64 %rd4, %rd4;
)" + loads + R"(
AGAIN:
)" + steps + R"(
	add.u32 %r7, %r7, 1;
	setp.lt.u32 %p1, %r7, %r1;
	@%p1 bra AGAIN;
	red.global.add.u32 [%rd3], %r6;
	ret;
}
.visible .entry small(.param .u64 at)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [at];
	cvta.to.global.u64 %rd1, %rd1;
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	red.global.add.u32 [%rd1], 1;
	ret;
}
)";
}

// Returns what so many rounds make of a number, by doubling steps.
uint32_t after_rounds(uint32_t x, uint64_t rounds)
{
	uint32_t factor = 1664525, added = 1013904223;
	for (uint64_t steps = rounds * rounds_unrolled; steps; steps /= 2) {
		if (steps & 1)
			x = x * factor + added;
		added = added * factor + added;
		factor *= factor;
	}
	return x;
}

struct event_owner {
	event_owner() = default;
	event_owner(const event_owner &) = delete;
	event_owner &operator=(const event_owner &) = delete;
	~event_owner() { reset(); }
	void reset()
	{
		if (e)
			het_event_release(e);
		e = nullptr;
	}
	void wait() const { het::check(het_event_wait(1, &e), "het_event_wait"); }
	bool is_over() const
	{
		int status = 0;
		het::check(het_event_status(e, &status), "het_event_status");
		return status <= HET_COMPLETE;
	}
	het_event *e = nullptr;
};

// Launches one of the kernels on an array of its own, again and again.
class load
{
      public:
	load(const het::queue &q, const std::string &text, const char *kernel, size_t sums)
	    : queue_(q), images_{{HET_IMAGE_PTX, 0, text.data(), text.size()}},
	      program_(het::sources().images(images_)), kernel_(program_, kernel), sums_(sums)
	{
	}

	// @rounds is of no use to the small kernel.
	void launch(int priority, uint32_t rounds, size_t items, event_owner &event)
	{
		event.reset();
		const het_arg args[] = {
			{HET_ARG_RANGE, HET_READ_WRITE, 4 * sums_.size(), sums_.data(), nullptr, nullptr},
			{HET_ARG_VALUE, 0, sizeof(rounds), &rounds, nullptr, nullptr},
			{HET_ARG_RANGE, HET_READ_ONLY, 4 * zeros_.size(), zeros_.data(), nullptr, nullptr}};
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = kernel_.get();
		l.dimensions = 1;
		l.global[0] = items;
		l.local[0] = std::min<size_t>(items, group);
		l.arg_size = sizeof(het_arg);
		l.nargs = rounds ? 3 : 1;
		l.args = args;
		l.priority = priority;
		het::check(het_launch(queue_.get(), &l, &event.e), "het_launch");
	}
	std::vector<uint32_t> &sums() { return sums_; }

      private:
	const het::queue &queue_;
	const std::vector<het_image> images_;
	const het::program program_;
	const het::kernel kernel_;
	std::vector<uint32_t> sums_, zeros_ = std::vector<uint32_t>(rounds_unrolled);
};

struct machine {
	het::device device;
	unsigned units;
	std::string stoppable = victim_text(true), plain = victim_text(false);
};

// Returns how many rounds a block takes for so many microseconds where the GPU is full of such blocks.
uint32_t rounds_for(const machine &m, const het::queue &q, double us)
{
	const size_t items = size_t{m.units} * groups_of_unit * group;
	load victim(q, m.plain, "work", groups_of_sums * group);
	event_owner e;
	constexpr double long_enough = 2000;
	auto run = [&](uint32_t rounds) {
		stopwatch watch;
		victim.launch(0, rounds, items, e);
		e.wait();
		return watch.lap();
	};
	uint32_t rounds = 1000;
	run(rounds); // loads the kernel, and brings the array
	double took = run(rounds);
	for (; took < long_enough; took = run(rounds))
		rounds *= 4;
	return uint32_t(std::max(1.0, double(rounds) * us / took));
}

void pause_us(double us)
{
	for (double end = now_us() + us; now_us() < end;)
		std::this_thread::yield();
}

// A launch of the small kernel, to its end as the host sees it.
double time_small(load &small)
{
	event_owner e;
	stopwatch watch;
	small.launch(7, 0, 32, e);
	e.wait();
	return watch.lap();
}

struct measured {
	series idle, stream, stops, announced;
	double bytes = 0, bytes_announced = 0; // that a block saves after the request, in the mean
	double bytes_of_base = 0;
	bool right = true;
};

class beside
{
      public:
	beside(const machine &m, const het::queue &q, const std::string &text, uint32_t rounds, unsigned waves)
	    : items_(size_t{m.units} * groups_of_unit * waves * group), rounds_(rounds),
	      victim_(q, text, "work", groups_of_sums * group)
	{
	}

	// The other launch is under way for a random time when the small one comes. With @lead this is announced so
	// many µs before.
	double sample(load &small, std::mt19937_64 &random, const het::queue *announced = nullptr, unsigned lead = 0)
	{
		if (!event_.e || event_.is_over()) {
			finish();
			victim_.launch(0, rounds_, items_, event_);
			launches_++;
			pause_us(3000);
		}
		pause_us(double(random() % 1500));
		if (announced) {
			announced->announce(std::chrono::microseconds(lead));
			pause_us(lead);
		}
		return time_small(small);
	}
	void finish()
	{
		if (!event_.e)
			return;
		event_.wait();
		het_preemption p = {};
		p.size = sizeof p;
		het::check(het_event_preemption(event_.e, &p), "het_event_preemption");
		saved_.add(p.saved_blocks, p.saved_bytes);
		deltas_.add(p.delta_blocks, p.delta_bytes);
		bases_.add(p.base_blocks, p.base_bytes);
		event_.reset();
	}
	double bytes() const { return saved_.mean(); }
	double bytes_of_deltas() const { return deltas_.mean(); }
	double bytes_of_bases() const { return bases_.mean(); }
	bool is_right()
	{
		finish();
		for (size_t at = 0; at < groups_of_sums * group; at += 9973) { // some of them
			uint32_t sum = 0;
			for (size_t i = at; i < items_; i += groups_of_sums * group)
				sum += after_rounds(uint32_t(i), rounds_);
			if (victim_.sums()[at] != launches_ * sum)
				return false;
		}
		return true;
	}

      private:
	struct contexts {
		uint64_t blocks = 0, bytes = 0;
		void add(uint64_t more_blocks, uint64_t more_bytes)
		{
			blocks += more_blocks;
			bytes += more_bytes;
		}
		double mean() const { return double(bytes) / double(std::max<uint64_t>(blocks, 1)); }
	};

	const size_t items_;
	const uint32_t rounds_;
	contexts saved_, deltas_, bases_;
	load victim_;
	event_owner event_;
	uint32_t launches_ = 0;
};

measured measure(const machine &m, const het::queue &q, load &small, double us, const options &o)
{
	// A quick run shows that it runs, on an interpreter, too.
	const unsigned waves = o.common.quick ? 1 : o.waves ? o.waves : unsigned(std::max(4.0, 40000 / us));
	const uint32_t rounds = o.common.quick ? 5 : rounds_for(m, q, us);
	beside stops(m, q, m.stoppable, rounds, waves), stream(m, q, m.plain, rounds, waves);
	beside announced(m, q, m.stoppable, rounds, waves);
	const het::queue urgent(std::vector{m.device});
	urgent.set_priority(7);
	std::mt19937_64 random(1);
	measured all;
	const unsigned turn = std::min(o.samples, 20u);
	for (unsigned i = 0; i < o.samples; i += turn) {
		for (unsigned k = 0; k < turn; k++)
			all.idle.push_back(time_small(small));
		for (unsigned k = 0; k < turn; k++)
			all.stops.push_back(stops.sample(small, random));
		stops.finish();
		for (unsigned k = 0; k < turn; k++)
			all.announced.push_back(announced.sample(small, random, &urgent, o.lead));
		announced.finish();
		for (unsigned k = 0; k < turn; k++)
			all.stream.push_back(stream.sample(small, random));
		stream.finish();
	}
	all.right = stops.is_right() && stream.is_right() && announced.is_right();
	all.bytes = stops.bytes();
	all.bytes_announced = announced.bytes_of_deltas();
	all.bytes_of_base = announced.bytes_of_bases();
	return all;
}

int run(options o)
{
	if (o.common.quick)
		o.samples = std::min(o.samples, 2u);
	report out("preempt-latency", {{"samples", o.samples}, {"lead", o.lead}});
	machine m;
	for (het::device d : het::devices())
		if (!m.device.get() && d.kind() == HET_DEVICE_CUDA)
			m.device = d;
	if (!m.device.get()) {
		printf("no device here is of kind CUDA (HET_DEVICES=cuda)\n");
		return no_device_status;
	}
	m.units = m.device.info().units;
	const het::queue queue(std::vector{m.device});
	load small(queue, m.plain, "small", 32);
	for (unsigned i = 0; i < 20; i++)
		time_small(small);
	table shown(format("An urgent launch of one group, from the call until the host sees its end, on %s",
			   m.device.name()),
		    {"others' blocks", "P50 idle", "stream", "stops", "announced", "P99 idle", "stream", "stops",
		     "announced", "bytes", "announced"});
	bool right = true;
	const std::vector<double> lengths = o.common.quick ? std::vector{50.0} : std::vector{50.0, 500.0, 5000.0};
	for (double us : lengths) {
		const measured all = measure(m, queue, small, us, o);
		right = right && all.right;
		const std::string path = format("blocks of %.0f us/", us);
		const summary idle = summarise(all.idle), stream = summarise(all.stream), stops = summarise(all.stops),
			      announced = summarise(all.announced);
		out.result(path + "idle", "us", idle);
		out.result(path + "stream", "us", stream);
		out.result(path + "stops", "us", stops);
		out.result(path + "announced", "us", announced);
		out.value(path + "block, stopped", "B", all.bytes);
		out.value(path + "block, announced", "B", all.bytes_announced);
		out.value(path + "block, base", "B", all.bytes_of_base);
		shown.row({format("%.0f µs", us), format("%.1f", idle.median), format("%.1f", stream.median),
			   format("%.1f", stops.median), format("%.1f", announced.median), format("%.1f", idle.p99),
			   format("%.1f", stream.p99), format("%.1f", stops.p99), format("%.1f", announced.p99),
			   format("%.0f", all.bytes), format("%.0f", all.bytes_announced)});
	}
	shown.note(right ? "the others' results are right" : "SOME RESULTS OF THE OTHERS ARE WRONG");
	shown.print();
	out.value("right", "", right);
	out.write(o.common.json);
	return right ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line("Waiting time of an urgent launch beside one that fills the GPU.");
	add_common_options(line, o.common);
	line.number("--samples", o.samples, "of each kind");
	line.number("--lead", o.lead, "µs before an urgent launch it is announced");
	line.number("--waves", o.waves, "blocks that each place of the GPU gets of the others");
	return line.run(argc, argv, [&] { return run(o); });
}
