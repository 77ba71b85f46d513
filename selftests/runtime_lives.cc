// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Arrays come and go at random, in each other's places, with launches on slices of them under way. A model tells what
// they must hold.
#include "harness/pattern.h"
#include "harness/runtime.h"

#include <cstdlib>
#include <memory>

using namespace selftest;

namespace
{

struct free_memory {
	void operator()(uint8_t *p) const { free(p); }
};

struct life {
	std::unique_ptr<uint8_t, free_memory> bytes;
	std::vector<uint8_t> model;
	bool is_awaited = false; // a command under way reads it for another array, or is on a device in place

	size_t size() const { return model.size(); }
};

class lives
{
      public:
	explicit lives(context &t) : t_(t), random_(t.random), fx_(t, 0, "HET_POLICY=dynamic") {}

	void go_on()
	{
		uint64_t what = random_.below(20);
		if (all_.empty() || (what < 2 && all_.size() < 24))
			begin_one();
		else if (what < 3)
			end_one();
		else if (what < 9)
			add(0);
		else if (what < 12)
			add(HET_SPLIT);
		else if (what < 18)
			combine();
		else
			touch();
	}

	void end()
	{
		finish();
		for (life &l : all_)
			CHECK_BYTES(l.bytes.get(), l.model.data(), l.size(), "an array at the end");
	}

      private:
	life &any() { return all_[random_.below(all_.size())]; }

	void begin_one()
	{
		life l;
		size_t n = 1 + random_.below(size_t{1} << random_.between(1, 19));
		l.bytes.reset(static_cast<uint8_t *>(malloc(n)));
		l.model.resize(n);
		auto seed = uint32_t(random_.next());
		fill_pattern(l.bytes.get(), 0, n, seed);
		fill_pattern(l.model.data(), 0, n, seed);
		all_.push_back(std::move(l));
	}

	// Commands that have not begun end with an error, and nobody else depends on them.
	void end_one()
	{
		life &l = any();
		if (l.is_awaited)
			finish();
		std::swap(l, all_.back());
		all_.pop_back();
	}

	void add(uint32_t flags)
	{
		life &l = any();
		size_t off = random_.below(l.size()), n = 1 + random_.below(l.size() - off);
		auto value = uint8_t(random_.next());
		HET_OK(fx_.launch(fx_.add, n,
				  {range_arg(l.bytes.get() + off, n, HET_READ_WRITE, each_byte), value_arg(value)},
				  nullptr, {.flags = flags}));
		add_to_model(l.model, off, n, value);
		l.is_awaited |= has_host();
	}

	void combine()
	{
		life &from = any(), &to = any();
		size_t n = 1 + random_.below(std::min(from.size(), to.size()));
		size_t a = random_.below(from.size() - n + 1), b = random_.below(to.size() - n + 1);
		if (&from == &to && a < b + n && b < a + n)
			return;
		HET_OK(fx_.launch(fx_.combine, n,
				  {range_arg(from.bytes.get() + a, n, HET_READ_ONLY),
				   range_arg(to.bytes.get() + b, n, HET_READ_WRITE)}));
		for (size_t i = 0; i < n; i++)
			to.model[b + i] = uint8_t(3 * to.model[b + i] + from.model[a + i]);
		from.is_awaited = true;
		to.is_awaited |= has_host();
	}

	void touch()
	{
		finish();
		life &l = any();
		if (random_.one_in(4))
			CHECK_BYTES(l.bytes.get(), l.model.data(), l.size(), "an array");
		for (int i = 0; i < 5; i++) {
			size_t at = random_.below(l.size());
			CHECK_EQ(l.bytes.get()[at], l.model[at]);
			l.bytes.get()[at] = l.model[at] = uint8_t(random_.next());
		}
	}

	void finish()
	{
		HET_OK(het_finish(fx_.queue));
		for (life &l : all_)
			l.is_awaited = false;
	}

	// If the host computes, the array's memory must not be freed under a kernel.
	bool has_host() const { return t_.v.device & (device::none | device::host3 | device::mixed); }

	context &t_;
	random_source &random_;
	runtime_fixture fx_;
	std::vector<life> all_;
};

} // namespace

TEST(arrays_come_and_go, .traps = trap::best | trap::sigsegv, .devices = device::runtime | device::runtime_several,
     .seconds = 120)
{
	skip_under_sanitizers("free() is theirs");
	lives l(t);
	for (uint64_t round = 0; round < t.rounds(2500, 100000); round++)
		l.go_on();
	l.end();
}
