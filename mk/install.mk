# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# This sets up and installs. `install` never touches the kernel: modules_install (mk/vm.mk) does.

packages:
	@scripts/setup.sh packages

setup: packages
	@scripts/setup.sh udev

clean:
	rm -rf build build-* $(B) compile_commands.json

installed_lib := libhet.so.$(VERSION)
headers := $(wildcard lib/include/*.h runtime/include/*.h runtime/include/*.hpp)
man_pages = $(wildcard $(B)/docs/man/*)
# These are also the names under which a page of section 3 can be found besides its own (see Documentation/conf.py).
man_names = $(basename $(notdir $(wildcard Documentation/man/*.rst))) \
	$(addsuffix .3,$(shell sed -n 's/^\.\. also: //p' Documentation/man/*.3.rst))

install: lib opencl tools $(B)/libhet.pc
	install -d $(addprefix $(DESTDIR),$(LIBDIR)/pkgconfig $(INCLUDEDIR))
	install -m 644 $(B)/libhet.so $(DESTDIR)$(LIBDIR)/$(installed_lib)
	ln -sf $(installed_lib) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libhet.so
	install -m 644 $(B)/$(COMPAT_SONAME) $(DESTDIR)$(LIBDIR)
ifneq ($(libhetcl),)
	install -m 644 $(B)/libhetcl.so $(DESTDIR)$(LIBDIR)
	install -D -m 644 -t $(DESTDIR)$(INCLUDEDIR)/CL opencl/include/CL/cl_ext_het.h
	install -d $(DESTDIR)$(VENDORDIR)
	echo $(LIBDIR)/libhetcl.so >$(DESTDIR)$(VENDORDIR)/het.icd
endif
	install -m 644 $(headers) $(DESTDIR)$(INCLUDEDIR)
	install -m 644 $(B)/libhet.pc $(DESTDIR)$(LIBDIR)/pkgconfig
ifneq ($(tool_srcs),)
	install -d $(DESTDIR)$(BINDIR)
	install $(tools) $(DESTDIR)$(BINDIR)
endif
	$(foreach p,$(man_pages),install -D -m 644 -t $(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $p)) $p;)
	$(if $(DESTDIR),,-ldconfig)

# The same names are removed, whatever of them was installed.
uninstall:
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,$(installed_lib) $(SONAME) libhet.so $(COMPAT_SONAME))
	rm -f $(DESTDIR)$(LIBDIR)/pkgconfig/libhet.pc $(DESTDIR)$(LIBDIR)/libhetcl.so
	rm -f $(DESTDIR)$(VENDORDIR)/het.icd $(DESTDIR)$(INCLUDEDIR)/CL/cl_ext_het.h
	rm -f $(addprefix $(DESTDIR)$(INCLUDEDIR)/,$(notdir $(headers)))
	rm -f $(addprefix $(DESTDIR)$(BINDIR)/,$(basename $(notdir $(wildcard tools/*.cc))))
	rm -f $(foreach p,$(man_names),$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $p))/$p)

below_prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$1)
.PHONY: $(B)/libhet.pc
$(B)/libhet.pc: lib/libhet.pc.in
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(call below_prefix,$(LIBDIR))|' \
		-e 's|@INCLUDEDIR@|$(call below_prefix,$(INCLUDEDIR))|' \
		-e 's|@VERSION@|$(VERSION)|' $< >$@

.PHONY: packages setup clean install uninstall
