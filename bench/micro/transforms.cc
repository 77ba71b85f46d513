// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/transforms.h"

#include "micro/example_runner.h"
#include "micro/stream.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <utility>

namespace micro
{

namespace
{

constexpr size_t word = sizeof(uint32_t);

class scans : example_runner
{
      public:
	explicit scans(context &c);

	void run();

      private:
	// Sums of groups, and those of groups of these, until there is one.
	struct level {
		level(target &of, size_t n) : words(n), sums(of, n * word), scanned(of, n * word) {}
		size_t words;
		memory sums, scanned;
	};
	static constexpr uint32_t threads_for(size_t words) { return uint32_t(words / words_of_scan_group) * group; }

	double in_passes();
	double in_groups();
	double with_sums_first();
	double scan_sums(size_t from_level);
	void check(const char *name);

	const uint32_t n_;
	memory from_, to_, other_;
	std::vector<std::unique_ptr<level>> levels_;
	struct known_place {
		uint32_t at, sum;
	};
	std::vector<known_place> expected_; // of some places
};

scans::scans(context &c)
    : example_runner(c), n_(uint32_t(bytes(c.quick ? 128 : 256) / word)), from_(c.dut, n_ * word),
      to_(c.dut, n_ * word), other_(c.dut, n_ * word)
{
	fill(from_, n_);
	size_t n = n_;
	do {
		n = std::max<size_t>(1, n / words_of_scan_group);
		// Groups take words whole, and those behind the last sum do no harm.
		const size_t whole = (n + words_of_scan_group - 1) / words_of_scan_group * words_of_scan_group;
		levels_.push_back(std::make_unique<level>(c.dut, whole));
	} while (n > words_of_scan_group);
	random_stream random(c.seed, 12);
	constexpr uint32_t places = 16;
	expected_.push_back({n_ - 1, 0});
	for (uint32_t i = 0; i < places; i++)
		expected_.push_back({random.below(n_), 0});
	std::sort(expected_.begin(), expected_.end(), [](const auto &a, const auto &b) { return a.at < b.at; });
	uint32_t sum = 0;
	auto next = expected_.begin();
	for (uint32_t i = 0; i < n_; i++) {
		sum += content_of(i);
		for (; next != expected_.end() && next->at == i; ++next)
			next->sum = sum;
	}
}

void scans::check(const char *name)
{
	for (const known_place &p : expected_) {
		uint32_t found = 0;
		c_.dut.read(to_.get(), size_t{p.at} * word, &found, word);
		expect(found == p.sum, name);
	}
}

// The last of the passes leaves its words in the one of two buffers that is looked at.
double scans::in_passes()
{
	double took = 0;
	unsigned passes = 0;
	for (uint32_t distance = 1; distance < n_; distance *= 2)
		passes++;
	const memory *from = &from_, *to = passes % 2 ? &to_ : &other_, *other = passes % 2 ? &other_ : &to_;
	for (uint32_t distance = 1; distance < n_; distance *= 2) {
		const argument a[] = {from->get(), to->get(), int(distance)};
		took += c_.dut.run(scan_pass, n_, group, a);
		from = to;
		std::swap(to, other);
	}
	return took;
}

// Scans the sums of a level, which end up where the level before it wants them.
double scans::scan_sums(size_t at)
{
	level &l = *levels_[at];
	const uint32_t threads = threads_for(l.words);
	if (at + 1 == levels_.size()) {
		memory last(c_.dut, word);
		const argument a[] = {l.sums.get(), l.scanned.get(), last.get()};
		return c_.dut.run(scan_groups, threads, group, a);
	}
	const level &next = *levels_[at + 1];
	const argument a[] = {l.sums.get(), l.scanned.get(), next.sums.get()};
	const argument b[] = {l.scanned.get(), next.scanned.get()};
	double took = c_.dut.run(scan_groups, threads, group, a);
	took += scan_sums(at + 1);
	return took + c_.dut.run(add_before, threads, group, b);
}

double scans::in_groups()
{
	const level &first = *levels_[0];
	const argument a[] = {from_.get(), to_.get(), first.sums.get()};
	const argument b[] = {to_.get(), first.scanned.get()};
	double took = c_.dut.run(scan_groups, threads_for(n_), group, a);
	took += scan_sums(0);
	return took + c_.dut.run(add_before, threads_for(n_), group, b);
}

double scans::with_sums_first()
{
	const level &first = *levels_[0];
	const argument a[] = {from_.get(), first.sums.get()};
	const argument b[] = {from_.get(), to_.get(), first.scanned.get()};
	double took = c_.dut.run(sum_groups, threads_for(n_), group, a);
	took += scan_sums(0);
	return took + c_.dut.run(scan_behind, threads_for(n_), group, b);
}

void scans::run()
{
	const auto one = [&](const char *name, double (scans::*run)()) {
		const std::vector<uint32_t> nothing(n_);
		c_.dut.write(to_.get(), 0, nothing.data(), nothing.size() * word);
		measure({"scan", name, 2.0 * word * n_, "GB/s", known_.best_copy, predicted_scan(known_, name, n_)},
			[&] {
				const double took = (this->*run)();
				check(name);
				return took;
			});
	};
	one("passes", &scans::in_passes);
	one("groups", &scans::in_groups);
	one("groups, sums first", &scans::with_sums_first);
}

using number = std::complex<float>;
constexpr uint32_t length = length_of_transform;

class fourier : example_runner
{
      public:
	explicit fourier(context &c);

	void run();

      private:
	double in_passes(const kernel &k, uint32_t radix);
	double in_groups(int apart);
	void check(const char *name);

	const uint32_t n_;
	memory from_, to_, other_, roots_;
	std::vector<number> given_;
	random_stream random_;
};

fourier::fourier(context &c)
    : example_runner(c), n_(uint32_t(std::max(bytes(c.quick ? 64 : 128) / sizeof(number), size_t{length}))),
      from_(c.dut, n_ * sizeof(number)), to_(c.dut, n_ * sizeof(number)), other_(c.dut, n_ * sizeof(number)),
      roots_(c.dut, length * sizeof(number)), random_(c.seed, 13)
{
	std::vector<number> roots;
	for (uint32_t i = 0; i < length; i++)
		roots.emplace_back(std::polar(1.0, -2 * M_PI * i / length));
	c.dut.write(roots_.get(), 0, roots.data(), length * sizeof(number));
	const auto part = [](uint32_t i) { return float(int32_t(content_of(i))) / float(1u << 31); };
	for (uint32_t i = 0; i < n_; i++)
		given_.emplace_back(part(2 * i), part(2 * i + 1));
	c.dut.write(from_.get(), 0, given_.data(), n_ * sizeof(number));
}

// Compares some numbers of one transform with what the formula says.
void fourier::check(const char *name)
{
	constexpr double most_error = 1e-3; // of numbers of which most are larger than 10
	const uint32_t first = random_.below(n_ / length) * length;
	std::vector<number> found(length);
	c_.dut.read(to_.get(), first * sizeof(number), found.data(), length * sizeof(number));
	for (int i = 0; i < 4; i++) {
		const uint32_t k = random_.below(length);
		std::complex<double> sum = 0;
		for (uint32_t j = 0; j < length; j++)
			sum += std::complex<double>(given_[first + j]) *
			       std::polar(1.0, -2 * M_PI * double(uint64_t{j} * k % length) / length);
		expect(std::abs(std::complex<double>(found[k]) - sum) <= most_error, name);
	}
}

double fourier::in_passes(const kernel &k, uint32_t radix)
{
	double took = 0;
	const bool odd = radix == 4; // five passes, or ten
	const memory *from = &from_, *to = odd ? &to_ : &other_, *other = odd ? &other_ : &to_;
	for (uint32_t done = 1; done < length; done *= radix) {
		const argument a[] = {from->get(), to->get(), roots_.get(), int(done)};
		took += c_.dut.run(k, n_ / radix, group, a);
		from = to;
		std::swap(to, other);
	}
	return took;
}

double fourier::in_groups(int apart)
{
	const argument a[] = {from_.get(), to_.get(), roots_.get(), apart};
	return c_.dut.run(fourier_groups, n_ / 4, group, a);
}

void fourier::run()
{
	const auto one = [&](const char *name, const std::function<double()> &run) {
		const std::vector<number> nothing(n_);
		c_.dut.write(to_.get(), 0, nothing.data(), nothing.size() * sizeof(number));
		const double bytes = 2.0 * sizeof(number) * n_;
		measure({"fourier", name, bytes, "GB/s", known_.best_copy, predicted_fourier(known_, name, n_)}, [&] {
			const double took = run();
			check(name);
			return took;
		});
	};
	one("passes of 2", [&] { return in_passes(fourier_twos, 2); });
	one("passes of 4", [&] { return in_passes(fourier_fours, 4); });
	one("groups", [&] { return in_groups(32); });
	one("groups, padded", [&] { return in_groups(33); });
}

} // namespace

void transforms_in_stages(context &c)
{
	scans(c).run();
	fourier(c).run();
}

} // namespace micro
