// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Checkpoint files for tests, and what is in them.
#pragma once

#include "pattern.h"
#include "process.h"
#include "runtime.h"

#include <cstdlib>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace selftest
{

using checkpoint_handle = handle<het_checkpoint, het_checkpoint_release>;

// A path in a folder that goes with it.
class temporary_file
{
      public:
	temporary_file()
	{
		char name[] = "/tmp/het-checkpoint-XXXXXX";
		CHECK(mkdtemp(name));
		folder_ = name;
		path_ = folder_ + "/file";
	}
	~temporary_file()
	{
		unlink(path_.c_str());
		rmdir(folder_.c_str());
	}
	const char *path() const { return path_.c_str(); }
	uint64_t size() const
	{
		struct stat s;
		CHECK_SYS(stat(path(), &s));
		return uint64_t(s.st_size);
	}

      private:
	std::string folder_, path_;
};

struct items {
	// Launches are in the file, too, if there is a program.
	std::vector<het_checkpoint_program> programs;
	std::vector<het_checkpoint_item> all;

	items &range(const char *name, void *p, size_t n)
	{
		het_checkpoint_item i = {};
		i.name = name;
		i.kind = HET_ARG_RANGE;
		i.pointer = p;
		i.nbytes = n;
		all.push_back(i);
		return *this;
	}
	items &object(const char *name, het_memory *m)
	{
		het_checkpoint_item i = {};
		i.name = name;
		i.kind = HET_ARG_MEMORY;
		i.memory = m;
		all.push_back(i);
		return *this;
	}
	items &with_launches_of(const char *name, het_program *p)
	{
		programs.push_back({name, p});
		return *this;
	}
	het_checkpoint_args args(het_checkpoint *c) const
	{
		het_checkpoint_args a = {};
		a.size = sizeof a;
		a.checkpoint = c;
		a.item_size = sizeof(het_checkpoint_item);
		a.items = all.data();
		a.nitems = all.size();
		a.flags = programs.empty() ? 0 : uint32_t(HET_CHECKPOINT_LAUNCHES);
		a.program_size = sizeof(het_checkpoint_program);
		a.programs = programs.data();
		a.nprograms = programs.size();
		return a;
	}
	int write(het_queue *q, het_checkpoint *c, het_event **e) const
	{
		het_checkpoint_args a = args(c);
		return het_checkpoint_write(q, &a, e);
	}
	int restore(het_queue *q, het_checkpoint *c, het_event **e) const
	{
		het_checkpoint_args a = args(c);
		return het_checkpoint_restore(q, &a, e);
	}
	// They do so to the end, which is the status.
	int write_all(het_queue *q, het_checkpoint *c) const
	{
		event_handle e;
		HET_OK(write(q, c, e.out()));
		return end_of(e);
	}
	int restore_all(het_queue *q, het_checkpoint *c) const
	{
		event_handle e;
		HET_OK(restore(q, c, e.out()));
		return end_of(e);
	}
	static int end_of(het_event *e)
	{
		const int err = het_event_wait(1, &e);
		CHECK(!err || err == HET_EWAIT);
		return status_of(e);
	}
};

inline het_checkpoint_info info_of(het_checkpoint *c)
{
	het_checkpoint_info i = {};
	i.size = sizeof i;
	HET_OK(het_checkpoint_describe(c, &i));
	return i;
}

// Bytes that launches and checkpoints use, in three kinds of memory, and what they should be.
struct world {
	static constexpr size_t n = 150000;

	explicit world(uint32_t seed) : heap(n + 7), wrapped(n)
	{
		HET_OK(het_memory_create(n, object.out()));
		HET_OK(het_memory_wrap(wrapped.data(), n, wrapper.out()));
		HET_OK(het_memory_part(object, 5000, n / 2, part.out()));
		for (std::vector<uint8_t> *m : {&object_model, &heap_model, &wrapped_model}) {
			m->resize(n);
			fill_pattern(m->data(), 0, n, seed++);
		}
		memcpy(het_memory_pointer(object), object_model.data(), n);
		memcpy(range(), heap_model.data(), n);
		wrapped = wrapped_model;
	}
	uint8_t *range() { return heap.data() + 7; }
	items named() { return items().object("object", object).range("range", range(), n).object("wrapped", wrapper); }
	// Adds to some bytes of one of them.
	void change(runtime_fixture &fx, context &t)
	{
		const auto value = uint8_t(1 + t.random.below(255));
		const size_t at = t.random.below(n / 2), size = 1 + t.random.below(n / 2);
		switch (t.random.below(3)) {
		case 0:
			HET_OK(fx.launch(fx.add, n / 2, {memory_arg(part, HET_READ_WRITE), value_arg(value)}));
			add_to_model(object_model, 5000, n / 2, value);
			break;
		case 1:
			HET_OK(fx.launch(fx.add, size,
					 {range_arg(range() + at, size, HET_READ_WRITE), value_arg(value)}));
			add_to_model(heap_model, at, size, value);
			break;
		default:
			HET_OK(fx.launch(fx.combine, n,
					 {memory_arg(object, HET_READ_ONLY), memory_arg(wrapper, HET_READ_WRITE)}));
			for (size_t i = 0; i < n; i++)
				wrapped_model[i] = uint8_t(3 * wrapped_model[i] + object_model[i]);
		}
	}
	// The work of a program: its state after so many steps, of three launches each, depends on all of them.
	void take_steps(runtime_fixture &fx, int first, int count)
	{
		for (int k = first; k < first + count; k++) {
			const auto value = uint8_t(k + 1);
			HET_OK(fx.launch(fx.add, n / 2, {memory_arg(part, HET_READ_WRITE), value_arg(value)}));
			HET_OK(fx.launch(fx.combine, n,
					 {memory_arg(object, HET_READ_ONLY), range_arg(range(), n, HET_READ_WRITE)}));
			HET_OK(fx.launch(fx.combine, n,
					 {range_arg(range(), n, HET_READ_ONLY), memory_arg(wrapper, HET_READ_WRITE)}));
		}
	}
	void take_steps_in_models(int count)
	{
		for (int k = 0; k < count; k++) {
			add_to_model(object_model, 5000, n / 2, uint8_t(k + 1));
			for (size_t i = 0; i < n; i++) {
				heap_model[i] = uint8_t(3 * heap_model[i] + object_model[i]);
				wrapped_model[i] = uint8_t(3 * wrapped_model[i] + heap_model[i]);
			}
		}
	}
	void check(const char *what)
	{
		CHECK_BYTES(het_memory_pointer(object), object_model.data(), n, what);
		CHECK_BYTES(range(), heap_model.data(), n, what);
		CHECK_BYTES(wrapped.data(), wrapped_model.data(), n, what);
	}

	std::vector<uint8_t> heap, wrapped;
	memory_handle object, part, wrapper;
	std::vector<uint8_t> object_model, heap_model, wrapped_model;
};

// Returns the file of two_halves() that the case first_half writes and second_half reads, or null outside of that.
inline const char *path_of_halves()
{
	return getenv("HET_TEST_CHECKPOINT");
}

// What one process has begun on a GPU is ended by others on devices of all kinds.
inline void two_halves(const context &t)
{
	temporary_file f;
	setenv("HET_TEST_CHECKPOINT", f.path(), 1);
	unsetenv("HET_TEST_DEVICES");
	stderr_of_case(t, "first_half.best.cuda.none");
	for (const char *device : {"cuda", "host", "none", "opencl"})
		stderr_of_case(t, (std::string("second_half.best.") + device + ".none").c_str());
}

} // namespace selftest
