// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "analysis/analysis.h"

#include "analysis/apart.h"
#include "analysis/verdict.h"

#include <llvm/ADT/Triple.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <stdexcept>

namespace tool::analysis
{

namespace
{

namespace format = fat::format;

format::space space_of(const llvm::Type &t)
{
	if (!t.isPointerTy())
		return format::space::value;
	switch (t.getPointerAddressSpace()) {
	case space_global:
		return format::space::global;
	case space_constant:
		return format::space::constant;
	case space_local:
		return format::space::local;
	default:
		return format::space::value; // a structure
	}
}

std::string text_in(const llvm::Function &f, const char *what, unsigned number)
{
	const llvm::MDNode *all = f.getMetadata(what);
	auto *text = all && number < all->getNumOperands() ? llvm::dyn_cast<llvm::MDString>(all->getOperand(number))
							   : nullptr;
	return text ? text->getString().str() : "";
}

fat::kernel describe(const llvm::Function &f)
{
	fat::kernel k;
	k.name = f.getName();
	for (const llvm::Argument &a : f.args()) {
		fat::argument made;
		made.name = text_in(f, "kernel_arg_name", a.getArgNo());
		made.type = text_in(f, "kernel_arg_type", a.getArgNo());
		made.space = space_of(*a.getType());
		k.arguments.push_back(made);
	}
	return k;
}

fat::kernel analyse(llvm::Function &f)
{
	llvm::DominatorTree tree(f);
	llvm::LoopInfo loops(tree);
	llvm::AssumptionCache assumptions(f);
	llvm::TargetLibraryInfoImpl no_library(llvm::Triple(f.getParent()->getTargetTriple()));
	no_library.disableAllFunctions();
	llvm::TargetLibraryInfo library(no_library, &f);
	llvm::ScalarEvolution evolution(f, library, assumptions, tree, loops);
	values known(f, evolution, tree);
	fat::kernel k = describe(f);
	accesses all(f, known);
	judge(all, known, f, k);
	bool is_asked = k.split != format::split::unsafe && all.is_complete() && all.unknown().empty();
	sums exact(f, evolution, tree, loops);
	k.apart = is_asked ? apart_text(all, exact) : "";
	return k;
}

} // namespace

std::vector<fat::kernel> analyse(const std::string &bitcode)
{
	llvm::LLVMContext context;
	auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "bitcode"), context);
	if (!module)
		throw std::runtime_error("no bitcode of LLVM " LLVM_VERSION_STRING ": " +
					 llvm::toString(module.takeError()));
	std::vector<fat::kernel> all;
	for (llvm::Function &f : **module)
		if (!f.isDeclaration() && f.getCallingConv() == llvm::CallingConv::SPIR_KERNEL)
			all.push_back(analyse(f));
	return all;
}

} // namespace tool::analysis
