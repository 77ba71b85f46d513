// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The loader lays out the variables of modules, gives them their initial values, and lists their functions.
#pragma once

#include "ptx/lexer.h"
#include "simt/program.h"

namespace het::ptx::simt
{

class loader
{
      public:
	explicit loader(program &p) : p_(p) {}
	std::optional<fault> run();

      private:
	void list_functions(uint32_t module);
	void lay_out(uint32_t module);
	void place_variable(uint32_t module, const variable &v);
	void add_symbol(uint32_t module, const variable &v, uint64_t address);
	void place_externals(uint32_t module);
	void allocate();
	bool fill(uint32_t module);
	bool fill_variable(uint32_t module, const variable &v, uint64_t at);
	bool value(uint32_t module, lexer *words, token *t, type as, uint64_t *out);
	bool address_of(uint32_t module, span name, bool generic, uint64_t *out);
	bool sum(uint32_t module, lexer *words, token *t, uint64_t *out);
	bool fail(const module &m, span where, std::string what);

	program &p_;
	uint64_t global_bytes_ = 0, constant_bytes_ = 0;
	std::optional<fault> fault_;
};

} // namespace het::ptx::simt
