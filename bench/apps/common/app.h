// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// All applications do this alike: they compute something through the runtime, on host arrays, and by hand with buffers
// and copies on the same device; compare both results with the host's; and tell how long each took.
#pragma once

#include "apps/common/plain.h"
#include "common/options.h"
#include "common/stats.h"
#include "json/json.h"

#include <cmath>
#include <functional>
#include <het.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace bench
{

using het::json;

struct app_options {
	common_options common;
	bool small = false;   // takes the smallest sizes and one round, as a test
	bool split = false;   // shares launches out over all devices
	bool sharing = false; // compares that with each device by itself
	bool twins = false;   // does so also where nothing tells what work-items write
	bool place = false;   // computes once, and tells which devices the runtime chose
	unsigned rounds = 20;
};

void add_app_options(command_line &line, app_options &o);

// This side computes through the runtime, with an application's kernels.
class het_side
{
      public:
	// launch_split() launches on the first device, on all, or on all and without patterns of what is written; or
	// on one that the runtime chooses, as launch() does then.
	enum class way : uint8_t { alone, split, blind, placed };
	het_side(const std::vector<het::device> &devices, way how, const app_kernels &kernels);

	template <class... A> het::event launch(const char *kernel, const het::work &w, const A &...args)
	{
		het::event e = queue_.launch(find(kernel), w, args...);
		if (how_ == way::placed)
			launched_.push_back(e);
		return e;
	}
	// Does the same for kernels that may be split: no group looks at what another one writes, and arguments have
	// patterns.
	template <class... A> het::event launch_split(const char *kernel, const het::work &w, const A &...args)
	{
		if (how_ == way::alone || how_ == way::placed)
			return launch(kernel, w, args...);
		het::event e = launch(kernel, het::work(w).with(HET_SPLIT), told(args)...);
		launched_.push_back(e);
		return e;
	}
	void finish() const { queue_.finish(); }

	// Counts who did what of the launches since the last call, which must have finished. It is called outside of
	// what is timed.
	void count_parts();
	// Returns the share of each device in the work-items of launch_split(), by its name and number; it is empty if
	// nothing could be split. Where launches are placed it is that in all.
	std::map<std::string, double> shares() const;
	// Returns how many bytes blind launches may have written.
	uint64_t blind_bytes() const { return blind_bytes_; }

      private:
	const het::kernel &find(const char *name);
	template <class A> const A &told(const A &a) { return a; }
	het::argument told(const het::argument &a);

	const std::vector<het::device> devices_;
	const way how_;
	uint64_t blind_bytes_ = 0;
	het::queue queue_;
	het::program program_;
	std::map<std::string, het::kernel, std::less<>> kernels_;
	std::vector<het::event> launched_;      // those that are split
	std::map<het_device *, uint64_t> done_; // work-items of each device
};

// A problem has the arrays of one of the two sides, and what is to be computed. Rounds have one of two inputs, in
// turns, so that the result of the round before is a wrong one.
class problem
{
      public:
	static constexpr unsigned inputs = 2;

	virtual ~problem() = default;
	// The host writes the input.
	virtual void write(unsigned input) = 0;
	// Leaves the result in host arrays, or lets it come when the host touches them.
	virtual void with_het(het_side &h) = 0;
	virtual void by_hand(plain_device &d) = 0;
	// Reads all of the result. @return its distance from the host's: at most the application's tolerance if it is
	// right.
	virtual double error(unsigned input) const = 0;
};

// Holds the time of each round, in µs.
struct app_times {
	series het, plain;                   // plain is empty where there is nothing to compare with
	uint64_t to_device = 0, to_host = 0; // bytes that the runtime moved, in all rounds that are timed
};

// The program measures this besides.
struct app_extra {
	std::string name; // name of the row and the result
	std::function<app_times(het_side &h, plain_device &d)> measure;
};

struct application {
	std::string name;  // name of the program
	std::string row;   // name of the row and the result; "": the program's
	std::string title; // the table's title, with sizes
	json settings;
	app_kernels kernels;
	double tolerance = 0;
	// Makes the arrays of one side. @d is the device for which by_hand() will be called, or null.
	std::function<std::unique_ptr<problem>(plain_device *d)> make;
	std::vector<app_extra> extras; // measured where there is something to compare with
	// This is called with the runtime's side after the last round. It may be empty.
	std::function<void(const problem &p)> afterwards;
};

// Programs that have nothing to run on end with this status, as kselftests do.
inline constexpr int no_device_status = 4;

// Returns the exit status: 0, 1 if a result is wrong, or no_device_status.
int run_application(const application &a, const app_options &o);

// Returns the distance of a value from what it should be, relative to that, or to @floor if that is smaller. Not a
// number is infinitely far.
inline double distance(double got, double wanted, double floor)
{
	const double d = std::fabs(got - wanted) / std::fmax(std::fabs(wanted), floor);
	return std::isnan(d) ? INFINITY : d;
}

// Returns the largest distance in an array.
template <class T> double distance(const std::vector<T> &got, const std::vector<double> &wanted, double floor)
{
	double largest = 0;
	for (size_t i = 0; i < wanted.size(); i++)
		largest = std::fmax(largest, distance(double(got[i]), wanted[i], floor));
	return largest;
}

// Returns random numbers between @low and @high, which are the same for a @seed in every run.
std::vector<float> random_floats(size_t n, unsigned seed, float low, float high);

// Calls f(i) for the work-items of a group in dimension @d whose number is below @end.
template <class F> void for_items(const het_group *g, unsigned d, size_t end, F f)
{
	const size_t last = g->first[d] + g->items[d];
	for (size_t i = g->first[d]; i < (last < end ? last : end); i++)
		f(i);
}

// Return arguments of a kernel function.
template <class T> T *array_of(void *const *args, unsigned i)
{
	return static_cast<T *>(args[i]);
}
template <class T> T value_of(void *const *args, unsigned i)
{
	return *static_cast<const T *>(args[i]);
}

// Returns the same number or more, so that groups of @group are whole.
constexpr size_t whole_groups_of(size_t group, size_t items)
{
	return (items + group - 1) / group * group;
}

} // namespace bench
