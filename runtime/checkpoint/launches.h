// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The launches that a checkpoint file holds beside its items: what had not begun when the items were as they are there.
//
// They lie in the item without a name, as tables one behind the other: a launch_head, then the records that it counts,
// in its order, and the data, in which texts (with a final 0) and values of arguments lie. What a command waits for,
// and its arguments, follow those of the command before. All numbers are little-endian.
#pragma once

#include "checkpoint/contents.h"

#include <cstring>

namespace het::checkpoint
{

struct launch_head {
	uint32_t nprograms, nitems, nkernels, ncommands;
	uint64_t nbefore, nargs, ndata;
};

// Names are places in the data.
struct launch_program {
	uint64_t identity; // of what it is made of, or 0 if that is functions of a program's alone
	uint64_t name;
};

struct launch_item {
	uint64_t nbytes;
	uint64_t name; // is that of the item in the file
};

struct launch_kernel {
	uint64_t name;
	uint64_t program; // is the program's number
};

// A command without a kernel does nothing, but others wait for it.
constexpr uint32_t no_kernel = UINT32_MAX;

struct launch_command {
	uint32_t kernel = no_kernel;
	uint32_t dimensions = 0, flags = 0;
	int32_t priority = 0;
	uint64_t global[3] = {}, offset[3] = {}, local[3] = {};
	uint64_t nbefore = 0, nargs = 0;
};

enum class argument_kind : uint32_t { value = 1, local = 2, memory = 3 };

struct launch_argument {
	argument_kind kind = argument_kind::value;
	uint32_t access = 0;
	uint64_t nbytes = 0;
	uint64_t at = 0; // in the data, or in the item
	uint32_t item = 0;
	uint32_t has_pattern = 0; // 1, or 0, and then the rest is 0
	int64_t offset = 0;
	uint64_t step = 0, length = 0, count = 0, stride = 0;
};

// Reads such tables, of unknown origin. The bytes live longer.
class launch_list
{
      public:
	// Unless it is done @why has the reason.
	outcome open(bytes all, fault &why);

	const launch_head &head() const { return head_; }
	// There are as many of each as the head says.
	launch_program program(size_t i) const { return record<launch_program>(programs_, i); }
	launch_item item(size_t i) const { return record<launch_item>(items_, i); }
	launch_kernel kernel(size_t i) const { return record<launch_kernel>(kernels_, i); }
	launch_command command(size_t i) const { return record<launch_command>(commands_, i); }
	// Returns the number of an earlier command.
	uint32_t before(size_t i) const { return record<uint32_t>(before_, i); }
	launch_argument argument(size_t i) const { return record<launch_argument>(arguments_, i); }
	const char *text(uint64_t at) const { return reinterpret_cast<const char *>(data_.data() + at); }
	const void *value(const launch_argument &a) const { return data_.data() + a.at; }
	// Returns how many commands have a kernel.
	uint64_t nlaunches() const { return nlaunches_; }

      private:
	template <class T> static T record(bytes table, size_t i)
	{
		T r;
		memcpy(&r, table.data() + i * sizeof(T), sizeof(T));
		return r;
	}
	bool is_text(uint64_t at) const;
	bool find_tables(bytes all);
	bool check_names() const;
	bool check_argument(const launch_argument &a) const;
	bool check_command(const launch_command &c, size_t number, uint64_t &before, uint64_t &args) const;

	launch_head head_ = {};
	bytes programs_, items_, kernels_, commands_, before_, arguments_, data_;
	uint64_t texts_end_ = 0; // No text of the data ends behind this.
	uint64_t nlaunches_ = 0;
};

// Makes them. All are false if there is no memory.
class launch_list_builder
{
      public:
	bool add_program(const char *name, uint64_t identity);
	bool add_item(const char *name, uint64_t nbytes);
	bool add_kernel(const char *name, uint32_t program);
	// Its nbefore and nargs are counted by what follows.
	bool add_command(const launch_command &c);
	bool add_before(uint32_t command);
	// @value has the bytes of one of that kind.
	bool add_argument(launch_argument a, bytes value = {});
	size_t ncommands() const { return commands_.size(); }
	bool build(list<std::byte> &all) const;

      private:
	bool add_text(const char *text, uint64_t *at);

	list<launch_program> programs_;
	list<launch_item> items_;
	list<launch_kernel> kernels_;
	list<launch_command> commands_;
	list<uint32_t> before_;
	list<launch_argument> arguments_;
	list<std::byte> data_;
};

} // namespace het::checkpoint
