# Torpor. `make demo` and `make test` do all their own set-up; `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

SWIFT ?= swift
BUILD := .build
STATIC := .build-static
# One configuration for programs and tests: optimised, and open to @testable.
TEST_FLAGS := -c release -Xswiftc -enable-testing
PACKAGES := libsystemd-dev libsqlite3-dev pkg-config redis-server tini procps systemd python3 python3-venv util-linux

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: toolchain ## install what is missing on a Debian machine
	@missing=(); for package in $(PACKAGES); do \
	  dpkg-query -W -f='$${Status}' "$$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$$package"); \
	done; \
	if [ $${#missing[@]} -gt 0 ]; then \
	  echo "installing: $${missing[*]}"; \
	  as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	  $$as_root apt-get update -qq; \
	  RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive $$as_root apt-get install -y -qq --no-install-recommends "$${missing[@]}" >/dev/null; \
	fi

toolchain:
	@command -v $(SWIFT) >/dev/null || { echo "no Swift toolchain: install Swift 6.3 from swift.org and put it on the PATH" >&2; exit 1; }

build: setup ## build the programs: optimised, static Swift runtime, stripped, in out/
	$(SWIFT) build -c release --static-swift-stdlib --scratch-path $(STATIC) --product torpor
	@mkdir -p out
	@strip -o out/torpor $(STATIC)/release/torpor
	@ls -l out/torpor | awk '{printf "%s: %.1f MB\n", $$NF, $$5 / 1e6}'

build-tests: setup
	$(SWIFT) build --build-tests $(TEST_FLAGS)

test: build-tests ## run every test, and count what ran and what was skipped
	@TORPOR_BIN_DIR="$(CURDIR)/$(BUILD)/release" Tests/run $(SWIFT) test $(TEST_FLAGS) --skip-build

demo: setup ## take a real redis-server through its whole life
	@Tests/Demo/run

bench: build ## measure ourselves beside bare system calls and tini
	@Tests/Benchmarks/run

lint: toolchain ## check the format
	$(SWIFT) format lint --strict -r Sources Tests Package.swift

format: toolchain ## put it right
	$(SWIFT) format -i -r Sources Tests Package.swift

clean: ## remove what was built
	rm -rf $(BUILD) $(STATIC) out

.PHONY: help setup toolchain build build-tests test demo bench lint format clean
