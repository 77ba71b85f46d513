// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "random_program.h"

#include "rounds.h"

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <thread>
#include <utility>
#include <vector>

namespace selftest
{

namespace
{

constexpr size_t chunk = 64 << 10;

class random_program
{
      public:
	random_program(context &t, runtime_fixture &fx, bool promises);

	// Runs loops of a few steps, so that there is something to foresee.
	void run(uint64_t steps);
	void run_sure_loop(bool sure);

      private:
	enum action : uint8_t { add, combine, overwrite, host_read, host_write, host_copy, actions };
	struct step {
		action what;
		unsigned which, other;
		size_t off, n;
		bool promised, in_order;
		het_device *device;
		told_by how;
	};

	het_device *device_apart() const;
	step random_step();
	het_event **keep(std::initializer_list<unsigned> used);
	void hear_of(unsigned which, told_by how);
	void check_all(unsigned which);
	void copy_on_host(const step &s);
	void perform(const step &s);

	context &t_;
	runtime_fixture &fx_;
	const bool promises_;
	std::deque<model_array> arrays_;
	queue_handle in_order_;
	std::vector<het_device *> devices_;
	std::deque<event_handle> events_;
	std::vector<event_handle *> users_[4]; // are those of each array since the host has heard of all
};

random_program::random_program(context &t, runtime_fixture &fx, bool promises) : t_(t), fx_(fx), promises_(promises)
{
	for (size_t chunks : {size_t(1), size_t(5), size_t(24)})
		arrays_.emplace_back(kind::mmapped, chunks * chunk + 140000 - chunks % 2 * 1000, unsigned(chunks));
	arrays_.emplace_back(kind::slice, 3 * chunk, 9);
	het_queue_args q = {};
	q.size = sizeof q;
	q.flags = HET_QUEUE_IN_ORDER | (promises ? HET_QUEUE_TOUCH_AFTER_WAIT : 0);
	HET_OK(het_queue_create(&q, in_order_.out()));
	uint32_t n = 0;
	HET_OK(het_devices(0, nullptr, &n));
	devices_.resize(n);
	HET_OK(het_devices(n, devices_.data(), &n));
}

void random_program::run(uint64_t steps)
{
	for (uint64_t done = 0; done < steps;) {
		std::vector<step> body(t_.random.between(1, 5));
		for (step &s : body)
			s = random_step();
		for (unsigned i = 0, n = unsigned(t_.random.between(1, 10)); i < n; i++) {
			for (const step &s : body)
				perform(s);
			done += body.size();
		}
		if (t_.random.one_in(3))
			for (unsigned i = 0; i < arrays_.size(); i++)
				check_all(i);
	}
	for (unsigned i = 0; i < arrays_.size(); i++)
		check_all(i);
}

void random_program::run_sure_loop(bool sure)
{
	model_array &a = arrays_[2];
	for (unsigned i = 0; i < 8; i++) {
		event_handle e;
		counts before;
		launch_add(fx_, a, 0, a.size(), 1, e.out(),
			   {.device = device_apart(), .flags = promises_ ? uint32_t(HET_TOUCH_AFTER_WAIT) : 0});
		hear(fx_, e, all_ways[i % std::size(all_ways)]);
		while (sure && i && !before.since().foreseen)
			std::this_thread::yield();
		a.check("after a launch of a loop");
	}
}

// Returns a device with memory of its own.
het_device *random_program::device_apart() const
{
	for (het_device *d : devices_) {
		het_device_info info = {};
		info.size = sizeof info;
		HET_OK(het_device_describe(d, &info));
		if (info.kind != HET_DEVICE_HOST)
			return d;
	}
	FAIL("all devices are in place");
}

random_program::step random_program::random_step()
{
	const unsigned weights[actions] = {8, 6, 4, 8, 5, 1};
	unsigned pick = unsigned(t_.random.below(32));
	int what = 0;
	while (pick >= weights[what])
		pick -= weights[what++];
	step s{action(what),
	       unsigned(t_.random.below(arrays_.size())),
	       unsigned(t_.random.below(arrays_.size())),
	       0,
	       0,
	       promises_ && !t_.random.one_in(4),
	       t_.random.one_in(3),
	       t_.random.one_in(2) ? devices_[t_.random.below(devices_.size())] : nullptr,
	       all_ways[t_.random.below(std::size(all_ways))]};
	if (s.other == s.which)
		s.other = (s.which + 1) % unsigned(arrays_.size());
	size_t size = std::min(arrays_[s.which].size(), arrays_[s.other].size());
	bool all = t_.random.one_in(2);
	s.off = all ? 0 : t_.random.below(size);
	s.n = all ? size : t_.random.between(1, size - s.off);
	return s;
}

het_event **random_program::keep(std::initializer_list<unsigned> used)
{
	events_.emplace_back();
	for (unsigned i : used)
		users_[i].push_back(&events_.back());
	return events_.back().out();
}

// The host hears that all commands on the array are over.
void random_program::hear_of(unsigned which, told_by how)
{
	std::vector<event_handle *> &users = users_[which];
	if (how == told_by::finish || how == told_by::marker) {
		HET_OK(het_finish(in_order_));
		hear(fx_, nullptr, how);
	} else {
		for (event_handle *e : users)
			hear(fx_, *e, how);
	}
	users.clear();
}

void random_program::check_all(unsigned which)
{
	hear_of(which, told_by::wait);
	arrays_[which].check("array");
}

void random_program::copy_on_host(const step &s)
{
	model_array &a = arrays_[s.which], &b = arrays_[s.other];
	het_copy_args c = {};
	c.size = sizeof c;
	c.to_pointer = a.b.data() + s.off;
	c.from_pointer = b.b.data() + s.off;
	c.nbytes = s.n;
	HET_OK(het_copy(fx_.queue, &c, keep({s.which, s.other})));
	memcpy(a.model.data() + s.off, b.model.data() + s.off, s.n);
}

void random_program::perform(const step &s)
{
	model_array &a = arrays_[s.which], &b = arrays_[s.other];
	runtime_fixture::options o = {.queue = s.in_order ? in_order_.get() : nullptr,
				      .device = s.device,
				      .flags = s.promised ? uint32_t(HET_TOUCH_AFTER_WAIT) : 0};
	auto value = uint8_t(s.off + s.n);
	switch (s.what) {
	case add:
		launch_add(fx_, a, s.off, s.n, value, keep({s.which}), o);
		break;
	case combine:
		HET_OK(fx_.launch(fx_.combine, s.n,
				  {b.part(s.off, s.n, HET_READ_ONLY), a.part(s.off, s.n, HET_READ_WRITE)},
				  keep({s.which, s.other}), o));
		for (size_t i = s.off; i < s.off + s.n; i++)
			a.model[i] = uint8_t(3 * a.model[i] + b.model[i]);
		break;
	case overwrite:
		HET_OK(fx_.launch(fx_.copy, s.n,
				  {b.part(s.off, s.n, HET_READ_ONLY), a.part(s.off, s.n, HET_WRITE_ONLY)},
				  keep({s.which, s.other}), o));
		memcpy(a.model.data() + s.off, b.model.data() + s.off, s.n);
		break;
	case host_read:
		hear_of(s.which, s.how);
		a.check(s.off, std::min<size_t>(s.n, 5000), "host read");
		break;
	case host_write:
		hear_of(s.which, s.how);
		fill_pattern(a.b.data() + s.off, 0, std::min<size_t>(s.n, 5000), value);
		fill_pattern(a.model.data() + s.off, 0, std::min<size_t>(s.n, 5000), value);
		break;
	case host_copy:
		copy_on_host(s);
		break;
	case actions:
		break;
	}
}

} // namespace

void run_random_program(context &t, std::vector<const char *> settings, bool promises, bool sure)
{
	runtime_fixture fx(t, 0, std::move(settings));
	random_program p(t, fx, promises);
	// Without a GPU its kernels are interpreted.
	bool slow = t.v.device & device::with_cuda;
	p.run(slow ? t.rounds(60, 4000) : t.rounds(300, 20000));
	p.run_sure_loop(sure);
}

} // namespace selftest
