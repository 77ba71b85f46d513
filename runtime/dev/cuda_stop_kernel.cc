// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_stop_kernel.h"

#include "ptx/parser.h"
#include "ptx/passes/pass.h"

namespace het::rt
{

namespace
{

// het-fatbin's PTX has a variable for what a launch's registers do not tell; launches that need it run plain.
std::string find_shared_variable(const ptx::module &m)
{
	for (const ptx::variable &v : m.variables) {
		bool is_of_module = v.space == ptx::space::global || v.space == ptx::space::constant;
		bool may_change = v.space == ptx::space::global || v.linkage != ptx::linkage::none;
		if (is_of_module && may_change && m.str(v.name) != "het_launch")
			return std::string(m.str(v.name));
	}
	return {};
}

} // namespace

stop_text ptx_stop_text(const char *ptx, const std::function<unsigned(const std::string &)> &most_registers)
{
	stop_text out;
	ptx::module m;
	if (auto wrong = ptx::parse(ptx, m)) {
		out.why = "the PTX is not understood: " + wrong->describe();
		return out;
	}
	if (std::string name = find_shared_variable(m); !name.empty()) {
		out.why = "it has a variable, " + name + ", which the plain kernels could not share";
		return out;
	}
	ptx::pass_options with;
	for (const ptx::function &f : m.functions) {
		const std::string name(m.str(f.name));
		if (unsigned most = f.is_entry ? most_registers(name) : 0)
			with.most_registers.emplace(name, most);
	}
	ptx::pass_result made = ptx::find_pass("checkpoint")->apply(m, with);
	if (made.refused) {
		out.why = made.refused->describe();
		return out;
	}
	out.text = std::move(made.text);
	for (const ptx::checkpoint_report &k : made.checkpoints)
		out.kernels.emplace(k.kernel, stop_text::kernel{k.size, !k.begins_only && !k.points.empty()});
	return out;
}

int cuda_stop_kernel::open(const cuda_calls &cu)
{
	int threads = 0, err = 0;
	for (cu_function f : {begins, resumes})
		err = err ? err : cu.function_attribute(&threads, cu_function_max_threads_per_block, f);
	size_t offset = 0, size = 0;
	while (!err && !(err = cu.describe_parameter(begins, offsets.size(), &offset, &size))) {
		offsets.push_back(offset);
		sizes.push_back(size);
	}
	bool is_right = err == cu_error_invalid_value && !sizes.empty() && sizes.back() == sizeof(cu_deviceptr);
	return is_right ? 0 : err;
}

} // namespace het::rt
