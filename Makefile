# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

# Short names for what the presets (CMakePresets.json) and tools/ do; `make help` lists them. `make`
# and `make install` say what is missing for a build; the others install it (tools/setup).
PREFIX ?= /usr/local
SECONDS_EACH ?= 60
export CTEST_PARALLEL_LEVEL ?= $(shell nproc 2>/dev/null || echo 2)

build_preset = cmake --preset $(1) >build/$(1).log 2>&1 || { cat build/$(1).log; exit 1; }; \
  cmake --build --preset $(1) $(2)

.PHONY: all
all: ## the libraries and the command, optimised, in build/release
	@tools/setup --dry-run build
	@mkdir -p build
	@$(call build_preset,release,--target product)

.PHONY: demo
demo: ## builds, and classifies handwritten digits with kernels written by hand
	@tools/setup build
	@mkdir -p build
	@$(call build_preset,release,--target cli/all examples/all)
	@examples/digits/demo.sh build/release

.PHONY: test
test: ## all tests on the release build, and the unit tests under sanitizers
	@tools/setup test
	@mkdir -p build
	@$(call build_preset,release)
	@$(call build_preset,asan)
	@result=0; ctest --preset release || result=1; ctest --preset asan || result=1; exit $$result

.PHONY: test-long
test-long: ## the tests with every allocation failure, all differential runs, long fuzzing, platforms, all checks
	@tools/setup test
	@mkdir -p build
	@$(call build_preset,release)
	@$(call build_preset,asan)
	@export TENON_LONG_TESTS=1; result=0; ctest --preset release || result=1; \
	  ctest --preset asan --label-exclude fuzz || result=1; exit $$result
	@$(MAKE) --no-print-directory fuzz
	@$(MAKE) --no-print-directory platforms
	@tools/setup site browser
	@tools/check

.PHONY: platforms
platforms: ## builds and tests with other compilers, with musl, for 64-bit ARM and for SSE2 alone (emulated)
	@tools/setup platforms
	@tools/platforms

.PHONY: fuzz
fuzz: ## every fuzz program for SECONDS_EACH (60) seconds
	@tools/setup test
	@mkdir -p build
	@$(call build_preset,asan)
	@tools/fuzz --seconds $(SECONDS_EACH) build/asan/fuzz/*_fuzz

.PHONY: check
check: ## format, lint, layers, headers, warnings as errors, ThreadSanitizer
	@tools/check

.PHONY: bench
bench: ## builds and runs the benchmarks
	@tools/setup build
	@mkdir -p build
	@$(call build_preset,release)
	@cmake --build --preset release --target benches
	@for program in build/release/bench/*_bench; do \
	  if [ -x "$$program" ]; then echo "$$program"; "$$program" || exit 1; fi; done

.PHONY: coverage
coverage: ## which lines the tests reach, by component, and pages in build/coverage/report
	@tools/coverage

.PHONY: amalgamation
amalgamation: ## Tenon as one C file and one header, in build/amalgamation
	@tools/amalgamation

.PHONY: reference
reference: ## the API reference from the public headers, in build/reference (needs Doxygen)
	@tools/reference

.PHONY: site
site: ## the documents as a site, in build/site
	@tools/setup site
	@tools/site

.PHONY: dist
dist: ## what a release consists of, in build/dist: sources, wheels, Debian's source package, checksums
	@tools/setup dist
	@tools/dist

.PHONY: install
install: all ## installs into PREFIX (/usr/local), below DESTDIR if that is set
	@cmake --install build/release --prefix $(PREFIX)

.PHONY: clean
clean: ## removes what was built, but keeps build/venv
	@find build -mindepth 1 -maxdepth 1 ! -name venv -exec rm -rf {} + 2>/dev/null || true

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
