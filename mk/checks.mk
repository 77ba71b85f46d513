# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# This runs tests and the main job, and makes documentation.

# These are all C and C++ sources of the project, except that the kernel module and its tests have a style of their own.
style_files := $(shell find lib runtime opencl openmp mpi python tools bench selftests Documentation/examples -path selftests/kmod -prune \
	-o \( -name '*.cc' -o -name '*.h' -o -name '*.hpp' -o -name '*.c' \) -print 2>/dev/null)
# Kernels, and what has the kernel's style, have comments, too.
commented_files := $(style_files) $(shell find bench runtime selftests Documentation/examples kmod tools \
	-name '*.cl' -o -name '*.cu' -o \( -path '*kmod/*' -name '*.[ch]' \))
clang_format := $(firstword $(shell command -v clang-format-14 || command -v clang-format))

check: packages
	@$(PYTHON) scripts/check.py $(if $(ONLY),--only '$(ONLY)')

# The suite is not part of the tests, as it is large and comes from elsewhere: CTS= is its folder.
check-opencl:
	$(if $(CTS),,$(error CTS=folder of https://github.com/KhronosGroup/OpenCL-CTS is not given))
	@scripts/setup.sh packages opencl
	@$(MAKE) --no-print-directory lib opencl tools
	@PATH="$(abspath $(B))/bin:$$PATH" $(PYTHON) scripts/check-opencl.py $(CTS) --libhet $(B) $(ARGS)

check-compilers:
	@scripts/check-compilers.sh

# The selftests of the memory core run with foresight that expects everything, with one that expects anything, and
# without.
foresight_steps := ^(selftest|Linux 6.1 features|fake CUDA), (?!runtime_|injected|foresight)
check-foresight:
	@GPUVM_FORESIGHT=always $(PYTHON) scripts/check.py --only '$(foresight_steps)'
	@GPUVM_FORESIGHT=random $(PYTHON) scripts/check.py --only '$(foresight_steps)'
	@GPUVM_FORESIGHT=0 $(PYTHON) scripts/check.py --only '$(foresight_steps)'

# Who comes for the first time waits for no more than is needed, compiled in a few large units; who has built
# everything already need not wait for these.
run: run_what := main
run: programs := $(if $(wildcard $(B)/bin/het-info),,UNITS=1) main-job-programs
bench: run_what := bench
bench-apps: run_what := apps
bench: packages_for := bench
run bench bench-apps:
	@scripts/setup.sh packages $(or $(packages_for),run)
	@$(MAKE) --no-print-directory $(or $(programs),all)
	@B=$(B) scripts/run.sh $(run_what) $(ARGS)

format:
	$(PYTHON) scripts/check-comments.py --mend $(commented_files)
	$(clang_format) -i $(style_files)

format-check:
	$(clang_format) --dry-run -Werror $(style_files)
	$(PYTHON) scripts/check-comments.py $(commented_files)
	$(PYTHON) scripts/tests/check_comments.py

spdx-check:
	$(PYTHON) scripts/check-spdx.py

deps-check: lib tools
	$(PYTHON) scripts/check-deps.py
	$(PYTHON) scripts/check-objects.py $(B)
	$(PYTHON) scripts/tests/check_objects.py $(B)

settings-check:
	$(PYTHON) scripts/check-settings.py

vm-setup-check:
	$(PYTHON) scripts/tests/vm_setup.py

readme-check:
	$(PYTHON) scripts/check-readme.py

headers-check: $(header_stamps)

symbols-check: lib
	scripts/check-symbols.sh $(B)

# run-clang-tidy asks .clang-tidy what to look for.
tidy: compile_commands.json
	run-clang-tidy -quiet -p . '$(CURDIR)/(lib|runtime|opencl|openmp|bench|selftests|tools|mpi|python)/.*'

docs: lib
	$(PYTHON) scripts/draw-objects.py $(B) $(B)/docs/pictures
	sphinx-build -q -W --keep-going -b html -D html_extra_path=$(abspath $(B))/docs/pictures \
		-d $(B)/docs/.doctrees Documentation $(B)/docs/html
	sphinx-build -q -W --keep-going -b man -d $(B)/docs/.doctrees Documentation $(B)/docs/man

.PHONY: check check-opencl check-compilers check-foresight run bench bench-apps format format-check spdx-check deps-check \
	settings-check vm-setup-check readme-check headers-check symbols-check tidy docs
