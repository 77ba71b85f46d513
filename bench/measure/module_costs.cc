// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/module_costs.h"

#include "common/clock.h"
#include "common/memory.h"
#include "measure/module_memory.h"
#include "measure/watched_memory.h"

#include <functional>
#include <stdexcept>

namespace bench
{

namespace
{

constexpr size_t usual_chunk = 64 << 10;
constexpr size_t huge_size = 2 << 20;
constexpr unsigned touches_a_round = 64;

struct variant {
	const char *name;
	std::function<double()> once; // returns µs
};

json in_turns(const std::vector<variant> &variants, unsigned rounds)
{
	json costs = json::object();
	for (const auto &v : variants)
		v.once();
	for (unsigned r = 0; r < rounds; ++r)
		for (const auto &v : variants)
			costs[v.name].push_back(v.once());
	return costs;
}

double time_of(const std::function<void()> &work)
{
	const double start = now_us();
	work();
	return now_us() - start;
}

// Returns the µs of a touch, where one byte in each @step is touched.
double read_each(const volatile char *p, size_t nbytes, size_t step)
{
	const double took = time_of([=] {
		for (size_t at = 0; at < nbytes; at += step)
			static_cast<void>(p[at]);
	});
	return took / double(nbytes / step);
}

double write_each(volatile char *p, size_t nbytes, size_t step)
{
	const double took = time_of([=] {
		for (size_t at = 0; at < nbytes; at += step)
			p[at] = 1;
	});
	return took / double(nbytes / step);
}

// Maps memory of a file, as the library has it without the module.
class file_memory
{
      public:
	explicit file_memory(size_t nbytes)
	    : file_(memfd_create("file", MFD_CLOEXEC)), mapping_(map(file_.get(), nbytes))
	{
		write_each(data(), nbytes, page_size);
	}
	char *data() const { return mapping_.data(); }
	size_t size() const { return mapping_.size(); }
	void unmap_pages() const { madvise(data(), size(), MADV_DONTNEED); }

      private:
	static owned_mapping map(int fd, size_t nbytes)
	{
		void *p = MAP_FAILED;
		if (!ftruncate(fd, off_t(nbytes)))
			p = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (p == MAP_FAILED)
			throw std::runtime_error("no memory for a memory file");
		return {p, nbytes};
	}

	het::descriptor file_;
	owned_mapping mapping_;
};

// The bytes are in the alias, and nothing is mapped: one touch maps a chunk.
double touch_chunks(const module_memory &m, size_t chunk)
{
	m.to_device();
	m.to_host();
	return read_each(m.data(), m.size(), chunk);
}

double touch_pages_of_file(const file_memory &m)
{
	m.unmap_pages();
	return read_each(m.data(), m.size(), usual_chunk);
}

double first_writes(small_page_mapping &m)
{
	m.forget();
	return write_each(m.data(), m.size(), page_size);
}

// No page is cleared, since all show the one of zeroes.
double first_reads(small_page_mapping &m)
{
	m.forget();
	return read_each(m.data(), m.size(), page_size);
}

double write_shared(const module_memory &m)
{
	m.to_device();
	m.to_shared();
	read_each(m.data(), m.size(), usual_chunk);
	return write_each(m.data(), m.size(), usual_chunk);
}

double write_protected(const watched_memory &m)
{
	m.protect();
	read_each(m.data(), m.size(), usual_chunk);
	return write_each(m.data(), m.size(), usual_chunk);
}

// What it costs to learn of a chunk that was read whether it is read again: the question, and the touch after it.
double ask_and_read(const module_memory &m, size_t chunk)
{
	m.to_host();
	m.ask();
	read_each(m.data(), m.size(), chunk);
	size_t touched = 0;
	const double asked = time_of([&] { touched = m.ask(); });
	if (touched != m.size() / chunk)
		throw std::runtime_error("/dev/gpuvm: chunks that were read are said not to have been");
	return asked / double(touched) + read_each(m.data(), m.size(), chunk);
}

double ask_in_vain(const module_memory &m, size_t chunk)
{
	m.ask();
	size_t touched = 0;
	const double asked = time_of([&] { touched = m.ask(); });
	if (touched)
		throw std::runtime_error("/dev/gpuvm: chunks that nobody touched are said to have been");
	return asked / double(m.size() / chunk);
}

double protect_and_write(const watched_memory &m)
{
	const double took = time_of([&] { m.protect(); });
	return took / double(m.size() / usual_chunk) + write_each(m.data(), m.size(), usual_chunk);
}

double revoke(const module_memory &m, size_t chunk)
{
	m.to_host();
	write_each(m.data(), m.size(), chunk);
	return time_of([&] { m.to_device(); });
}

double protect(char *p, size_t nbytes)
{
	write_each(p, nbytes, page_size);
	const double took = time_of([=] { mprotect(p, nbytes, PROT_NONE); });
	mprotect(p, nbytes, PROT_READ | PROT_WRITE);
	return took;
}

double drop(const file_memory &m)
{
	write_each(m.data(), m.size(), page_size);
	return time_of([&] { m.unmap_pages(); });
}

} // namespace

json first_touch_costs(unsigned rounds)
{
	const module_memory one(touches_a_round * page_size, page_size, false);
	const module_memory usual(touches_a_round * usual_chunk, usual_chunk, false);
	const module_memory around(touches_a_round * 64 * page_size, 64 * page_size, false);
	const module_memory huge(touches_a_round / 2 * huge_size, huge_size, true);
	const file_memory file(touches_a_round * usual_chunk);
	small_page_mapping fresh(touches_a_round * page_size);
	return in_turns({{"anonymous page", [&] { return first_writes(fresh); }},
			 {"anonymous page, read", [&] { return first_reads(fresh); }},
			 {"memory file, 16 pages", [&] { return touch_pages_of_file(file); }},
			 {"module, 1 page", [&] { return touch_chunks(one, page_size); }},
			 {"module, 16 pages", [&] { return touch_chunks(usual, usual_chunk); }},
			 {"module, 64 pages", [&] { return touch_chunks(around, 64 * page_size); }},
			 {"module, huge page", [&] { return touch_chunks(huge, huge_size); }}},
			rounds);
}

json first_write_costs(unsigned rounds)
{
	const module_memory shared(touches_a_round * usual_chunk, usual_chunk, false);
	const watched_memory watched(touches_a_round * usual_chunk, usual_chunk);
	return in_turns({{"userfaultfd, thread", [&] { return write_protected(watched); }},
			 {"module", [&] { return write_shared(shared); }}},
			rounds);
}

json asking_costs(unsigned rounds)
{
	const module_memory usual(touches_a_round * usual_chunk, usual_chunk, false);
	const module_memory huge(touches_a_round / 2 * huge_size, huge_size, true);
	const watched_memory watched(touches_a_round * usual_chunk, usual_chunk);
	return in_turns({{"userfaultfd, thread", [&] { return protect_and_write(watched); }},
			 {"module, 64 KiB", [&] { return ask_and_read(usual, usual_chunk); }},
			 {"module, 2 MiB", [&] { return ask_and_read(huge, huge_size); }},
			 {"module, 64 KiB that nobody touched", [&] { return ask_in_vain(usual, usual_chunk); }}},
			rounds);
}

json revoke_costs(unsigned rounds)
{
	const size_t nbytes = 64 << 20;
	const module_memory small(nbytes, usual_chunk, false), huge(nbytes, huge_size, true);
	const file_memory file(nbytes);
	return in_turns({{"mprotect, 4 KiB pages", [&] { return protect(file.data(), nbytes); }},
			 {"MADV_DONTNEED, 4 KiB pages", [&] { return drop(file); }},
			 {"module, 4 KiB pages", [&] { return revoke(small, usual_chunk); }},
			 {"module, 2 MiB pages", [&] { return revoke(huge, huge_size); }}},
			rounds);
}

} // namespace bench
