// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/address_index.h"

#include <csignal>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <pthread.h>
#include <random>
#include <thread>
#include <vector>

using namespace het;

namespace
{

struct object {
	range extent;
};

using index = address_index<object>;

// The same, told by a map.
class model
{
      public:
	object *first_overlap(range r) const
	{
		auto next = objects_.upper_bound(r.begin);
		if (next != objects_.begin() && std::prev(next)->second->extent.end > r.begin)
			return std::prev(next)->second.get();
		return next != objects_.end() && next->first < r.end ? next->second.get() : nullptr;
	}
	object *add(range r) { return (objects_[r.begin] = std::make_unique<object>(object{r})).get(); }
	void remove(object *o) { objects_.erase(o->extent.begin); }
	object *random(std::mt19937_64 &random) const
	{
		return std::next(objects_.begin(), long(random() % objects_.size()))->second.get();
	}
	const std::map<uintptr_t, std::unique_ptr<object>> &all() const { return objects_; }

      private:
	std::map<uintptr_t, std::unique_ptr<object>> objects_;
};

void expect_same(const index &i, const model &m)
{
	ASSERT_EQ(i.size(), m.all().size());
	ASSERT_EQ(i.empty(), m.all().empty());
	auto want = m.all().begin();
	i.for_each([&](object &o) {
		EXPECT_EQ(&o, want->second.get());
		++want;
	});
	EXPECT_EQ(want, m.all().end());
}

TEST(address_index, an_empty_one_holds_nothing)
{
	index i;
	EXPECT_TRUE(i.empty());
	EXPECT_EQ(i.size(), 0u);
	EXPECT_EQ(i.find(0), nullptr);
	EXPECT_EQ(i.first_overlap({0, ~uintptr_t{0}}), nullptr);
	i.remove({1, 2});
	i.for_each([](object &) { FAIL(); });
}

TEST(address_index, finds_bytes_of_an_object_and_no_others)
{
	index i;
	object a{{100, 200}}, b{{200, 201}}, c{{1000, 2000}};
	for (object *o : {&b, &c, &a})
		ASSERT_TRUE(i.insert(o->extent, o));
	EXPECT_EQ(i.find(99), nullptr);
	EXPECT_EQ(i.find(100), &a);
	EXPECT_EQ(i.find(199), &a);
	EXPECT_EQ(i.find(200), &b);
	EXPECT_EQ(i.find(201), nullptr);
	EXPECT_EQ(i.find(999), nullptr);
	EXPECT_EQ(i.find(1999), &c);
	EXPECT_EQ(i.find(2000), nullptr);
	EXPECT_EQ(i.find(~uintptr_t{0} - 1), nullptr);
	EXPECT_EQ(i.first_overlap({0, 100}), nullptr);
	EXPECT_EQ(i.first_overlap({0, 101}), &a);
	EXPECT_EQ(i.first_overlap({0, 5000}), &a) << "the lowest";
	EXPECT_EQ(i.first_overlap({200, 5000}), &b);
	EXPECT_EQ(i.first_overlap({201, 5000}), &c);
	EXPECT_EQ(i.first_overlap({201, 1000}), nullptr);
	i.remove(b.extent);
	EXPECT_EQ(i.find(200), nullptr);
	EXPECT_EQ(i.first_overlap({200, 5000}), &c);
}

TEST(address_index, agrees_with_a_map)
{
	std::mt19937_64 random(1);
	index i;
	model m;
	constexpr uintptr_t space = 20000;
	for (int round = 0; round < 30000; round++) {
		// Grows for a while, then shrinks, several times.
		bool insert = random() % 8 < (round / 5000 % 2 ? 3 : 5);
		range r{1 + random() % space, 0};
		r.end = r.begin + 1 + random() % 30;
		if (insert && !m.first_overlap(r)) {
			ASSERT_TRUE(i.insert(r, m.add(r)));
		} else if (!insert && !m.all().empty()) {
			object *o = m.random(random);
			i.remove(o->extent);
			m.remove(o);
		}
		uintptr_t at = random() % (space + 100);
		ASSERT_EQ(i.find(at), m.first_overlap({at, at + 1})) << at;
		range wide{at, at + 1 + random() % 500};
		ASSERT_EQ(i.first_overlap(wide), m.first_overlap(wide)) << at << " + " << wide.size();
		if (round % 1000 == 0)
			expect_same(i, m);
	}
}

TEST(address_index, holds_many_objects)
{
	constexpr size_t many = 20000;
	std::vector<object> objects(many);
	index i;
	for (size_t n = 0; n < many; n++) {
		objects[n].extent = {(n + 1) * 4096, (n + 1) * 4096 + 100};
		ASSERT_TRUE(i.insert(objects[n].extent, &objects[n]));
	}
	EXPECT_EQ(i.size(), many);
	for (size_t n = 0; n < many; n++)
		ASSERT_EQ(i.find((n + 1) * 4096 + 99), &objects[n]);
}

// Objects that stay, and between them others that come and go.
class busy_index : public testing::Test
{
      protected:
	static constexpr size_t count = 450, stays = 9; // each ninth stays

	busy_index()
	{
		for (size_t n = 0; n < count; n++)
			objects_[n].extent = {(n + 1) * 100, (n + 1) * 100 + 60};
		for (size_t n = 0; n < count; n += stays)
			EXPECT_TRUE(index_.insert(objects_[n].extent, &objects_[n]));
	}

	// False: something was not found that was there, or found that was not.
	bool look_around(std::mt19937 &random) const
	{
		const object &o = objects_[random() % count];
		const uintptr_t at = o.extent.begin + random() % o.extent.size();
		range extent;
		const object *found = index_.first_overlap({at, at + 1}, &extent);
		bool may_be_away = (&o - objects_) % stays != 0;
		bool is_right = found ? found == &o && extent == o.extent : may_be_away;
		return is_right && !index_.find(o.extent.end);
	}

	void come_and_go(int rounds)
	{
		for (int i = 0; i < rounds; i++) {
			object &o = objects_[writer_random_() % count];
			if ((&o - objects_) % stays == 0)
				continue;
			if (index_.find(o.extent.begin))
				index_.remove(o.extent);
			else
				EXPECT_TRUE(index_.insert(o.extent, &o));
		}
	}

	index index_;
	object objects_[count];
	std::mt19937 writer_random_{1};
};

TEST_F(busy_index, readers_see_whole_states)
{
	std::atomic<bool> stop{false};
	std::atomic<unsigned> wrong{0}, lookups{0};
	std::vector<std::thread> readers;
	for (unsigned t = 0; t < 3; t++)
		readers.emplace_back([&, t] {
			std::mt19937 random(t);
			while (!stop.load(std::memory_order_relaxed)) {
				wrong += !look_around(random);
				lookups.fetch_add(1, std::memory_order_relaxed);
			}
		});
	while (lookups.load() < 1000)
		std::this_thread::yield();
	come_and_go(10000);
	stop.store(true);
	for (auto &t : readers)
		t.join();
	EXPECT_EQ(wrong.load(), 0u);
}

TEST_F(busy_index, a_handler_may_read_at_any_time)
{
	static std::function<bool()> look;
	static std::atomic<unsigned> wrong{0}, lookups{0};
	std::mt19937 random(7);
	look = [&] { return look_around(random); };
	struct sigaction action = {}, old;
	action.sa_handler = [](int) {
		wrong += !look();
		lookups++;
	};
	sigaction(SIGUSR1, &action, &old);
	std::atomic<bool> stop{false};
	pthread_t writer = pthread_self();
	std::thread interrupter([&] {
		while (!stop.load()) {
			pthread_kill(writer, SIGUSR1);
			std::this_thread::sleep_for(std::chrono::microseconds(20));
		}
	});
	for (int i = 0; i < 1000 && lookups.load() < 200; i++)
		come_and_go(100);
	stop.store(true);
	interrupter.join();
	sigaction(SIGUSR1, &old, nullptr);
	EXPECT_EQ(wrong.load(), 0u);
	EXPECT_GT(lookups.load(), 0u);
}

} // namespace
