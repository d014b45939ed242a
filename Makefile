# Torpor. `make demo` and `make test` install what they need; `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

SWIFT ?= swift
CC := cc
OUT := out
# What ships, the demo and the benchmarks: optimised, the Swift runtime inside. Folding equal functions and packing the
# relocations, which Debian's linker of old cannot, takes 1.2 MB off a program; showing no symbols to other programs, as much again; no tables for
# unwinding at run time, which nothing does, 3.2 MB. Profilers walk the frame pointers. A section for each function lets the linker drop and fold
# 0.7 MB more, and put side by side what runs in a wake ('make order').
# It is built from a copy in which modules may inline what others have (docs/decisions/21); what the copy imports more than it needs is no news.
COPY := .build-static/package
SHIP := -c release --static-swift-stdlib --package-path $(COPY) --scratch-path .build-static \
	-Xswiftc -suppress-warnings \
	-Xswiftc -Xfrontend -Xswiftc -function-sections \
	-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
	-Xlinker --symbol-ordering-file=$(CURDIR)/packaging/functions.order \
	-Xlinker --no-warn-symbol-ordering \
	-Xswiftc -enforce-exclusivity=unchecked -Xswiftc -use-ld=lld -Xlinker --icf=safe -Xlinker -z -Xlinker pack-relative-relocs \
	-Xlinker --version-script=$(CURDIR)/packaging/no-symbols.map -Xlinker --no-eh-frame-hdr \
	-Xlinker -T -Xlinker $(CURDIR)/packaging/no-unwind.ld
# Package.swift asks for it: what nobody waits for is built to be small.
build demo bench: export TORPOR_SHIPS := yes
# The C++ library that the Swift runtime needs is inside too, which takes half a millisecond off each start; libraries of which nothing is used are
# not loaded. SwiftPM has no setting for what stands before its own libraries; clang(1) takes it from here.
build demo bench: export CCC_OVERRIDE_OPTIONS := \# ^-Wl,--as-needed s/^-lstdc\+\+$$/-l:libstdc++.a/ +-static-libgcc
# The tests: optimised too, but open to @testable, and Swift Testing has no static form. Hence a folder of their own.
TEST := -c release -Xswiftc -enable-testing
# Package.swift asks for it: what no walk goes through is not optimised, which takes longer than its tests.
build-tests test test-all test-seen simulate delays: export TORPOR_TESTS := yes
PROGRAMS := $(shell sed -n 's/.*\.executable.name: "\([a-z-]*\)".*/\1/p' Package.swift)
# Debian's names: what building needs, what the tests supervise and ask.
PACKAGES := libsystemd-dev libsqlite3-dev pkg-config binutils g++ git \
	redis-server nginx-light prometheus haproxy memcached dnsmasq-base tini dumb-init dbus iproute2 procps systemd util-linux bc python3 python3-venv \
	openssh-server openssh-client less tmux supervisor s6 runit python3-yaml
# The virtual machine of test-vm; where it cannot be had, that is skipped and counted.
VM_PACKAGES := dpkg-dev qemu-system-x86 mmdebstrap debian-archive-keyring e2fsprogs util-linux uidmap
# What puts programs and libraries together; and what builds images.
BUNDLING := g++ binutils python3
IMAGING := buildah $(BUNDLING)
# The engines under which Torpor is run; what cannot be had is skipped and counted.
ENGINE_PACKAGES := podman buildah crun runc slurmctld slurmd slurm-client munge ansible-core rsync postgresql neovim curl nodejs containernetworking-plugins iptables busybox-static redis-server rpm rpmlint dpkg-dev mmdebstrap debian-archive-keyring $(IMAGING)
# What making and judging the Debian package needs besides.
PACKAGING := dpkg-dev lintian mandoc man-db
VM := Tests/VirtualMachine/run --programs $(OUT) --with systemd --with packaging
VARLINK := varlink==31.0.0
# What starts a Procfile beside which imported workers are tested.
HONCHO := honcho==2.0.0
# Servers of the documentation's recipes.
RECIPES := jupyter-server==2.21.1 ipykernel==7.4.0 python-lsp-server==1.15.0
# What checks manifests of Kubernetes by its schemas, which it contains.
KUBERNETES := kubernetes-validate==1.37.0
# What reads the job files of Nomad in packaging/nomad.
HCL := python-hcl2==7.3.1
PYPI := $(VARLINK) $(HONCHO) $(RECIPES) $(KUBERNETES) $(HCL)
VENV := .build/venv
export FUZZ_SECONDS ?= 60
CRASH_ROUNDS ?= 2000
CHAOS_ROUNDS ?= 200
CHAOS_WORKERS ?= 200
DELAYS ?= 40
DELAYS_MOST ?= 8000
MIX_MINUTES ?= 10
SCRAPE_SECONDS ?= 60
SANITIZE ?= address thread undefined
export SANITIZE_TESTS ?=
MIX_REQUESTS ?= 10000
LONG_LIFE_MINUTES ?= 60
LONG_LIFE_WORKERS ?= 500

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

setup: toolchain ## install missing packages on a Debian system
	@packaging/setup $(PACKAGES)
	@$(VENV)/bin/python -c 'import varlink, honcho, jupyter_server, ipykernel, pylsp, kubernetes_validate, hcl2' 2>/dev/null || { \
	  echo "installing what the tests use of PyPI: $(PYPI)"; \
	  /usr/bin/python3 -m venv --clear $(VENV); \
	  $(VENV)/bin/pip install --quiet --disable-pip-version-check $(PYPI); }

setup-vm:
	@packaging/setup $(VM_PACKAGES) || echo "no virtual machine: its packages cannot be installed" >&2

setup-engines:
	@for package in $(ENGINE_PACKAGES); do packaging/setup $$package || echo "no $$package: it cannot be installed" >&2; done

toolchain:
	@command -v $(SWIFT) >/dev/null || { \
	  echo "$(SWIFT) not found: install the Swift 6.3 toolchain from https://swift.org/install and add it to the PATH." >&2; \
	  exit 1; }

build: setup ## build the release programs, stripped, into out/
	@mkdir -p $(OUT)
	@packaging/inlinable $(COPY)
	@for program in $(PROGRAMS); do \
	  $(SWIFT) build $(SHIP) --product $$program; \
	  strip -o $(OUT)/.new .build-static/release/$$program; \
	  packaging/bundle --installed $(OUT)/.new; \
	  mv $(OUT)/.new $(OUT)/$$program; \
	done

build-tests: setup
	@$(SWIFT) build --build-tests $(TEST)

test: build build-tests ## run the tests that take little time, within minutes; report how many ran, and which were skipped and why
	@TORPOR_BIN_DIR="$(CURDIR)/$(OUT)" TORPOR_PYTHON_PACKAGES="$$(echo $(CURDIR)/$(VENV)/lib/python*/site-packages)" \
	  Tests/run --quick $(SWIFT) test $(TEST) --skip-build

test-all: build build-tests setup-vm setup-engines ## run every test: half an hour
	@Tests/Elsewhere
	@TORPOR_BIN_DIR="$(CURDIR)/$(OUT)" TORPOR_PYTHON_PACKAGES="$$(echo $(CURDIR)/$(VENV)/lib/python*/site-packages)" \
	  Tests/run $(SWIFT) test $(TEST) --skip-build

# Chromium is large and stays out of PACKAGES: without it the test of the pages is skipped, and counted.
test-seen: build build-tests ## show pictures and pages to a real browser, and have Prometheus scrape for SCRAPE_SECONDS (60)
	@packaging/setup chromium fonts-dejavu-core
	@TORPOR_BIN_DIR="$(CURDIR)/$(OUT)" TORPOR_PAGES_DIR="$(CURDIR)/$(OUT)/pages" TORPOR_SCRAPE_SECONDS=$(SCRAPE_SECONDS) \
	  $(SWIFT) test $(TEST) --skip-build --filter 'PageTests|MetricsTests'

test-vm: build setup-vm ## run the tests that need systemd as PID 1, in a virtual machine (VM_TESTS=WORDS: only matching files)
	@$(VM)

test-engines: build setup-engines ## run Torpor under containers, Slurm and others (ENGINE_TESTS=WORDS: only matching files)
	@Tests/Engines/run --programs $(OUT)

bench-vm: build setup-vm ## measure memory pressure there, compared with earlyoom and systemd-oomd (VM_ROUNDS=20)
	@$(VM) --bench

demo: setup ## take a real redis-server through its whole life cycle
	@packaging/inlinable $(COPY)
	@BUILD_FLAGS="$(SHIP)" Tests/Demo/run

bench: build ## measure Torpor, compared with bare system calls and other supervisors (BENCH_ONLY=peers: a part of it)
	@mkdir -p .build/bench
	@$(CC) -O2 -Wall -Wextra -Werror -o .build/bench/bare Tests/Benchmarks/bare.c
	@$(CC) -O2 -Wall -Wextra -Werror -o .build/bench/posts Tests/Benchmarks/posts.c -lsqlite3
	@$(CC) -O2 -Wall -Wextra -Werror -o .build/bench/waking Tests/Benchmarks/waking.c
	@$(CC) -O2 -Wall -Wextra -Werror -static -o .build/bench/limit Tests/Benchmarks/limit.c
	@$(CC) -O2 -Wall -Wextra -Werror -static -o .build/bench/tiny Tests/Benchmarks/tiny.c
	@$(SWIFT) build $(SHIP) --product TorporBench
	@Tests/Benchmarks/run --bare .build/bench/bare --posts .build/bench/posts --limit .build/bench/limit --tiny .build/bench/tiny \
	  --waking .build/bench/waking $(if $(BENCH_ONLY),--only $(BENCH_ONLY)) --ours .build-static/release/TorporBench --programs $(OUT)

order: build ## find out which functions run often, for the linker to put side by side (needs root, perf, valgrind and redis-server)
	@mkdir -p .build/bench
	@$(CC) -O2 -Wall -Wextra -Werror -o .build/bench/bare Tests/Benchmarks/bare.c
	@$(CC) -O2 -Wall -Wextra -Werror -o .build/bench/waking Tests/Benchmarks/waking.c
	@python3 Tests/Benchmarks/order.py .build-static/release .build/bench/waking .build/bench/bare
	@rm -f $(addprefix .build-static/release/,$(PROGRAMS))

package: build ## build the Debian package in out/package, and check it, its units and its manual pages
	@packaging/setup $(PACKAGING)
	@packaging/debian/build $(OUT) $(OUT)/package
	@packaging/check $(OUT)/package/torpor_*.deb

tarball: build ## build a tarball with an installer in out/package, for other distributions: docs/packages.md
	@packaging/setup $(BUNDLING)
	@packaging/tarball/build $(OUT) $(OUT)/package

rpm: tarball ## build an RPM package in out/package
	@packaging/setup rpm
	@packaging/rpm/build $(OUT) $(OUT)/package/torpor-*-linux-*.tar.gz $(OUT)/package

image: build ## build the image of torpor alone, for containers that copy it, with buildah: docs/containers.md
	@packaging/setup $(IMAGING)
	@packaging/container/build $(OUT)

crash-loop: build build-tests ## kill the daemon with posts in flight, CRASH_ROUNDS times (2000)
	@TORPOR_BIN_DIR="$(CURDIR)/$(OUT)" TORPOR_CRASH_ROUNDS=$(CRASH_ROUNDS) \
	  $(SWIFT) test $(TEST) --skip-build --filter CrashLoopTests

chaos: build build-tests ## kill -9 the daemon CHAOS_ROUNDS times (200) at random moments, with CHAOS_WORKERS workers (200), and attack it
	@TORPOR_BIN_DIR="$(CURDIR)/$(OUT)" TORPOR_CHAOS_ROUNDS=$(CHAOS_ROUNDS) TORPOR_CHAOS_WORKERS=$(CHAOS_WORKERS) \
	  $(SWIFT) test $(TEST) --skip-build --filter ChaosTests
	@TORPOR_BIN_DIR="$(CURDIR)/$(OUT)" TORPOR_CHAOS_ATTACKS=1 $(SWIFT) test $(TEST) --skip-build --filter '^HostileTests\.'

# Not for the relay and the holder of transfers: the first may not make the call.
delays: build build-tests ## run the quick end-to-end tests with each DELAYS-th system call (40) delayed by up to DELAYS_MOST µs (8000)
	@$(CC) -Wall -Wextra -Werror -O1 -shared -fPIC -fno-builtin -o .build/delays.so Tests/Delays/delays.c
	@LD_PRELOAD="$(CURDIR)/.build/delays.so" DELAYS=$(DELAYS) DELAYS_MOST=$(DELAYS_MOST) DELAYS_SEED=$(or $(SEED),1) \
	  TORPOR_BIN_DIR="$(CURDIR)/$(OUT)" TORPOR_PYTHON_PACKAGES="$$(echo $(CURDIR)/$(VENV)/lib/python*/site-packages)" \
	  TEST_TARGETS="EndToEndTests-1 EndToEndTests-2 EndToEndTests-3" Tests/run --quick $(SWIFT) test $(TEST) --skip-build

mix: build ## put real servers with IdleSec=1s under random use for MIX_MINUTES (10) and MIX_REQUESTS (10000)
	@Tests/Mix/run --programs $(OUT) --minutes $(MIX_MINUTES) --requests $(MIX_REQUESTS)

# SEED= takes the same events again; LONG_LIFE_OPTIONS=--no-reexec lets one process live all the time.
long-life: build ## let LONG_LIFE_WORKERS (500) live through a day in LONG_LIFE_MINUTES (60), and check that torpord does not grow
	@Tests/LongLife/run --programs $(OUT) --minutes $(LONG_LIFE_MINUTES) --workers $(LONG_LIFE_WORKERS) \
	  $(if $(SEED),--seed $(SEED)) --figures .build/long-life $(LONG_LIFE_OPTIONS)

sanitize: setup ## run the tests under the sanitizers SANITIZE (address thread undefined), modules SANITIZE_TESTS
	@Tests/sanitize $(SANITIZE)

fuzz: setup ## fuzz every parser, FUZZ_SECONDS each (60)
	@Tests/Fuzz/run

# SEED=, and STEPS= of each walk; SEEDS= walks, or as many as fit into WALK_SECONDS=; LINES= of the trace of a walk that fails.
simulate: setup ## walk the whole shell on a simulated machine: kills, failures and delays from a SEED (Tests/ShellWalk)
	@$(SWIFT) build $(TEST) --product walk
	@.build/release/walk --seed $(or $(SEED),1) --seeds $(or $(SEEDS),$(if $(SEED),1,100)) --steps $(or $(STEPS),20000) \
	  $(if $(WALK_SECONDS),--seconds $(WALK_SECONDS)) --lines $(or $(LINES),100)

generate: toolchain ## regenerate the Swift types of the control interfaces from their .varlink files
	@$(SWIFT) run --quiet InterfaceGenerator Sources/Model/ControlAPI

lint: toolchain ## check the formatting
	@$(SWIFT) format lint --strict -r Sources Tests Package.swift

format: toolchain ## fix the formatting
	@$(SWIFT) format -i -r Sources Tests Package.swift

clean: ## remove build output
	rm -rf .build .build-static $(OUT)

.PHONY: help setup toolchain build build-tests setup-vm setup-engines test test-all test-seen test-vm test-engines bench-vm demo bench order package tarball rpm image crash-loop chaos delays mix long-life sanitize fuzz simulate generate lint format clean
