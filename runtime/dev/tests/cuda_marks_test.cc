// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_marks.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace het;
using namespace het::rt;

namespace
{

// A stream that runs launches one by one, when it is told to, and its events. The number of an event is its place.
struct stream {
	uint64_t given = 0, ended = 0;
	uint64_t recorded[256] = {};
	size_t events = 0, questions = 0;
	int broken = 0;

	int answer(uint64_t number)
	{
		questions++;
		if (broken)
			return broken;
		return number <= ended ? 0 : cu_error_not_ready;
	}
	int end_up_to(uint64_t number)
	{
		ended = std::max(ended, number);
		return broken;
	}
} simulated;

size_t place_of(cu_event e)
{
	return reinterpret_cast<uintptr_t>(e) - 1;
}

cuda_calls simulated_calls()
{
	simulated = {};
	cuda_calls cu = {};
	cu.create_event = [](cu_event *e, unsigned) {
		*e = reinterpret_cast<cu_event>(++simulated.events);
		return 0;
	};
	cu.record_event = [](cu_event e, cu_stream) {
		simulated.recorded[place_of(e)] = simulated.given;
		return 0;
	};
	cu.query_event = [](cu_event e) { return simulated.answer(simulated.recorded[place_of(e)]); };
	cu.query_stream = [](cu_stream) { return simulated.answer(simulated.given); };
	cu.synchronize_event = [](cu_event e) { return simulated.end_up_to(simulated.recorded[place_of(e)]); };
	return cu;
}

uint64_t launch(cuda_marks &marks)
{
	uint64_t number = 0;
	EXPECT_EQ(marks.begin_launch(nullptr, &number), 0);
	simulated.given++;
	return number;
}

} // namespace

TEST(cuda_marks, a_chain_that_has_ended_takes_few_questions)
{
	const cuda_calls cu = simulated_calls();
	cuda_marks marks(cu);
	for (uint64_t n = 1; n <= 24; n++)
		EXPECT_EQ(launch(marks), n);
	simulated.ended = 24;
	for (uint64_t n = 1; n <= 24; n++)
		EXPECT_EQ(marks.wait(nullptr, n), 0);
	EXPECT_LE(simulated.questions, 8u);
}

TEST(cuda_marks, one_launch_takes_one_question_and_no_event)
{
	const cuda_calls cu = simulated_calls();
	cuda_marks marks(cu);
	for (uint64_t n = 1; n <= 100; n++) {
		launch(marks);
		simulated.ended = n;
		EXPECT_EQ(marks.wait(nullptr, n), 0);
	}
	EXPECT_EQ(simulated.questions, 100u);
	EXPECT_EQ(simulated.events, 0u);
}

// What is not over is waited for, by its event alone, whatever is known of those before it.
TEST(cuda_marks, no_wait_returns_early)
{
	const cuda_calls cu = simulated_calls();
	cuda_marks marks(cu);
	std::mt19937 random(7);
	uint64_t waited = 0;
	for (unsigned i = 0; i < 4000; i++) {
		if (simulated.given - waited < 32 && random() % 3) {
			launch(marks);
			continue;
		}
		if (random() % 8 == 0)
			simulated.ended += random() % (simulated.given - simulated.ended + 1);
		// A wait that has to sleep polls for milliseconds before.
		if (waited == simulated.given || (simulated.ended <= waited && random() % 64))
			continue;
		EXPECT_EQ(marks.wait(nullptr, ++waited), 0);
		EXPECT_GE(simulated.ended, waited);
	}
	EXPECT_GT(waited, 500u);
}

TEST(cuda_marks, an_error_is_the_waiters)
{
	const cuda_calls cu = simulated_calls();
	cuda_marks marks(cu);
	launch(marks);
	launch(marks);
	simulated.ended = 1;
	EXPECT_EQ(marks.wait(nullptr, 1), 0);
	simulated.broken = 700;
	EXPECT_EQ(marks.wait(nullptr, 2), 700);
}

// What the look ahead was told of the launch itself need not be asked again.
TEST(cuda_marks, no_answer_is_asked_for_twice)
{
	const cuda_calls cu = simulated_calls();
	cuda_marks marks(cu);
	launch(marks);
	launch(marks);
	simulated.broken = 700;
	EXPECT_EQ(marks.wait(nullptr, 1), 700);
	EXPECT_EQ(simulated.questions, 1u);
}
