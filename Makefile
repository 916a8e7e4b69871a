# Seatrial's developer interface; every target does the set-up that it needs.
STUDY ?= md1200-nfs
PROFILE = $(if $(QUICK),--quick,$(if $(FULL),--full,$(if $(PAPER),--paper)))

TIMES ?= 1
# yes: an undecided claim (exit code 3) does not fail the target; a busy machine can cause one.
UNDECIDED_PASSES ?=
LOAD ?= yes

.PHONY: help setup trial trials test bench bench-clients lint words soak controls random-studies handicap release gallery
help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 16

setup:  ## install what is missing: Debian packages, .venv, agent, lab image (HOSTS=1: no lab, for real hosts and directories)
	@sh scripts/setup.sh $(if $(HOSTS),--hosts) $(PACKAGES)

trial: setup  ## run a study and print where its report is (STUDY=name or path, QUICK=1, FULL=1, PAPER=1)
	@.venv/bin/seatrial run "$(STUDY)" $(PROFILE)$(if $(UNDECIDED_PASSES), || [ $$? = 3 ])

# The longest first: what begins last is what all wait for.
OTHERS = nss-ha gpfs-nsd gfs-equallogic network-storage-clusters

trials: setup  ## run the other four studies, one on each processor at a time, and print each when it has ended (QUICK=1, FULL=1, PAPER=1)
	@printf '%s\n' $(OTHERS) | xargs -P "$$(nproc)" -I STUDY --process-slot-var=PROCESSOR \
	    env UNDECIDED_PASSES=$(UNDECIDED_PASSES) sh scripts/run-on-processor.sh studies/STUDY $(PROFILE)

handicap: setup  ## run a study on half of the processors under a varying second load (STUDY=name or path, QUICK=1, FULL=1, PAPER=1, TIMES=5, SEED=0, LOAD=: none)
	@SEED=$(SEED) LOAD=$(LOAD) sh scripts/handicap.sh $(TIMES) "$(STUDY)" $(PROFILE)

test: PACKAGES = chromium sudo jq slurm-wlm munge mpich openmpi-bin
test: setup  ## run every test, also those that boot a lab (FAST=1: neither these nor slow ones)
	@FAST=$(FAST) sh scripts/tests.sh

ROUNDS ?= 9
ONLY ?=

bench: PACKAGES = fio
bench: setup  ## compare the agent with fio, elbencho, IOR, mdtest and IOzone, in build/bench.json (ROUNDS=9, ONLY=part of a name)
	@PYTHONPATH=scripts .venv/bin/python -m bench --rounds "$(ROUNDS)" --only "$(ONLY)"

bench-clients: setup  ## start up to 1,000 local agents and measure the controller (CLIENTS="10 30 100 300 1000", SECONDS=20)
	@.venv/bin/python scripts/bench_clients.py --clients $(CLIENTS) --seconds $(SECONDS) --missing 300 --hour 100

soak: setup  ## the long forms of the tests, every fault of nss-ha, and its negative controls
	@SEATRIAL_SOAK=1 cargo test --locked --release --quiet -- --include-ignored
	@SEATRIAL_SOAK=1 .venv/bin/pytest -q
	@.venv/bin/seatrial run studies/nss-ha --full
	@.venv/bin/seatrial run studies/nss-ha-xl
	@.venv/bin/seatrial run studies/nss-ha-distribution
	@.venv/bin/seatrial run studies/nss-ha-timers
	@.venv/bin/seatrial run studies/nss-ha-flushes
	@.venv/bin/seatrial run studies/gpfs-nsd-apart --full
	@.venv/bin/seatrial run studies/nss-ha-controls
	@.venv/bin/seatrial run studies/gpfs-nsd-controls
	@.venv/bin/seatrial run studies/nss-ha-async

controls: setup  ## every check on a system on which it must fail (docs/checks.md)
	@SEATRIAL_SOAK=1 .venv/bin/pytest -q tests/lab/test_controls.py tests/lab/test_rate_controls.py tests/lab/test_planted_caches.py tests/lab/test_consistency.py tests/lab/test_script.py tests/lab/test_lab.py
	@.venv/bin/seatrial run studies/nss-ha-controls
	@.venv/bin/seatrial run studies/nss-ha-async
	@.venv/bin/seatrial run studies/gpfs-nsd-controls
	@.venv/bin/seatrial run studies/nss-ha --full --only lying-bmc
	@.venv/bin/seatrial run studies/gfs-equallogic --full --only lying-bmc

CLIENTS ?= 10 30 100 300 1000
SECONDS ?= 20
COUNT ?= 12
SEED ?= 0

random-studies: setup  ## small, randomly generated studies with one fault each (COUNT=12, SEED=0)
	@SEATRIAL_RANDOM_STUDIES=$(COUNT) SEATRIAL_RANDOM_STUDIES_SEED=$(SEED) .venv/bin/pytest -q tests/lab/test_random_studies.py

release: setup  ## a wheel, an sdist and their checksums in dist/, and the wheel tried where no source is
	@sh scripts/release.sh

GALLERY = md1200-nfs $(OTHERS)

# Their results answer published claims of nss-ha and gpfs-nsd.
ANSWERS = nss-ha-async nss-ha-timers nss3-ha nss4-ha gpfs-nsd-balanced

gallery: setup  ## run the five studies, which takes two hours, and put their reports into docs/gallery
	@for study in $(ANSWERS); do .venv/bin/seatrial run studies/$$study >/dev/null || exit; done
	@for study in $(GALLERY); do .venv/bin/seatrial run studies/$$study >/dev/null || exit; done
	@.venv/bin/python scripts/gallery.py $(foreach study,$(GALLERY),"$$(ls -dt results/$(study)-2* | head -1)")
	@.venv/bin/python scripts/paper_pages.py

lint: PACKAGES = shellcheck
lint: setup  ## ruff, mypy, import rules, words of texts, ShellCheck, rustfmt, clippy
	@.venv/bin/ruff check src research tests scripts hatch_build.py
	@.venv/bin/ruff format --check --quiet src research tests scripts hatch_build.py
	@.venv/bin/mypy
	@.venv/bin/lint-imports
	@.venv/bin/python scripts/words.py
	@.venv/bin/python scripts/study_format.py --check
	@.venv/bin/python scripts/results_schema.py --check
	@.venv/bin/python scripts/paper_pages.py --check
	@shellcheck $$(git grep -lE '^#(!/bin/sh| shellcheck shell)' -- scripts src studies ':!*.py')
	@cargo fmt --check
	@cargo clippy --locked --quiet --all-targets -- -D warnings

words:  ## write the smaller numbers of banned words into scripts/words-baseline.txt, after texts were rewritten
	@.venv/bin/python scripts/words.py --renew
