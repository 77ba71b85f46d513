// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Describes memory instructions as passes look at them.
#pragma once

#include "ptx/editor.h"
#include "ptx/fragment.h"

namespace het::ptx
{

struct memory_access {
	const operand *address = nullptr; // null if it is no access that passes understand
	bool reads = false, writes = false;
	enum space space = space::none; // generic

	bool may_be_global() const { return address && (space == space::global || space == space::none); }
};

memory_access access_of(const module &m, const instruction &i);

// Describes a load or store of a matrix by a warp. All lanes have the same address and stride.
struct matrix_access {
	fragment_shape shape;
	const operand *address = nullptr;
	std::string stride; // in elements
	bool writes = false;
	enum space space = space::none; // generic

	bool may_be_global() const { return space == space::global || space == space::none; }
};

std::optional<matrix_access> matrix_access_of(const module &m, const instruction &i);

// Returns whether the instruction may write global memory in a way that access_of() does not tell: asynchronous bulk
// copies, surfaces, matrix stores, maps of tensors.
bool writes_unseen(const module &m, const instruction &i);
// Returns the same for reading: bulk copies, textures, surfaces, matrix loads.
bool reads_unseen(const module &m, const instruction &i);

// Returns whether the call goes to a function whose body is not in this module. Those of the device's library don't
// count, as they write nothing of the program's.
bool calls_unseen(const module &m, const instruction &i);

// Returns 75 for sm_75 and sm_75a, and 0 if the text names no such target.
unsigned target_number(const module &m);

// Returns the declared type of a register as seen from a statement, or none if there is no such register.
type register_type(const module &m, const statement &s, std::string_view name);

// Returns whether the address is that of a variable of the module, by its name.
bool names_variable(const module &m, const statement &s, const operand &address);

// Returns the names after the opcode that begin with %, with their components: %tid.x, %envreg2, %r1.
std::vector<span> registers_of(const module &m, const statement &s);

// Returns "@%p " or "@!%p ", or nothing.
std::string guard_of(const module &m, const instruction &i);

// Returns lines that put the address, as a generic 64-bit one, into the register @to.
std::string address_into(const module &m, const statement &s, const operand &address, const std::string &to);

} // namespace het::ptx
