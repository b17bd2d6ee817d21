# jali: the front door for people who type make. `make help` lists the words.
SHELL   := /bin/sh
BUILD   := build
SAN     := build/san
PREFIX  ?= /usr/local
WERROR  ?= true
SECONDS ?= 60

all: $(BUILD)/build.ninja
	@tools/build-web
	@ninja -C $(BUILD) product

help:
	@sed -n 's/^#: //p' $(MAKEFILE_LIST)

#: make            build libjali.so, libjali.a, jali and jali-bench under build/
#: make deps       install what is missing, by Debian and npm package name
deps:
	@tools/deps

$(BUILD)/build.ninja: | deps
	@meson setup $(BUILD) -Dwerror=$(WERROR) --prefix=$(PREFIX) >$(BUILD).log 2>&1 \
	  || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

$(SAN)/build.ninja: | deps
	@CC=clang-14 meson setup $(SAN) -Dwerror=$(WERROR) -Db_sanitize=address,undefined \
	  -Db_lundef=false -Dfuzz=true >/dev/null

judges:
	@tools/deps-judges

#: make demo       the whole tour on generated data, told as a story beside what was planted, with
#:                 a report; DATA=randhie takes real data from Debian, DATA=adult FILE=... your
#:                 copy of Adult; SERVE=1 ends with a server
demo: all
	@DATA="$(DATA)" FILE="$(FILE)" tools/demo

#: make test       everything that must hold: units, laws, faults, goldens, rooms, claims,
#:                 format, nearly all again under sanitizers, and each fuzzer for SECONDS=60
test: deps judges all $(SAN)/build.ninja
	@tools/run-tests $(BUILD) $(SAN) $(SECONDS)

#: make audit      claims, proofs and rooms, the laws of every mechanism, the tests that catch
#:                 mutants, silence, and the program attacked from the outside
audit: all
	@start=$$(date +%s); \
	  tools/check-rooms && tools/check-claims && tools/check-attacks && tools/mutants --stale && \
	  tools/run-tests --only law $(BUILD) $$(tools/mutants --checks) audit/silence audit/keys audit/progress && \
	  $(BUILD)/jali audit && echo "audit.seconds $$(($$(date +%s) - start))"

#: make audit-deep the same with RUNS=20000 of every case: hours
audit-deep: all
	@start=$$(date +%s); $(BUILD)/jali audit --runs $(or $(RUNS),20000) && \
	  echo "audit.seconds $$(($$(date +%s) - start))"

#: make mutants    plants real privacy bugs, one at a time; each must be caught
mutants: all
	@tools/mutants

#: make soak       random verbs, kill -9 and a full disk for SECONDS=60; then everything must hold
soak: all
	@tools/soak --seconds $(SECONDS) $(BUILD)/jali

#: make serve-soak  the server under mixed load, kill -9 and restarts for SECONDS=600
serve-soak: all
	@tools/serve-soak --seconds $(if $(filter command line,$(origin SECONDS)),$(SECONDS),600) $(BUILD)/jali

#: make bundle     how much of the page is loaded first: web.bundle.kb
bundle: all
	@cd $(BUILD)/web && printf 'web.bundle.kb %s kB\n' \
	  $$(for f in index.html jali.js jali.css jali.svg; do gzip -9c $$f; done | wc -c | awk '{printf "%.1f", $$1 / 1024}')

#: make fault      failed memory, disks and entropy at every place there is, killed processes, valgrind
fault: all
	@JALI_EVERY_PLACE=1 tools/run-tests --only fault $(BUILD)

#: make san        units and faults under ASan and UBSan (clang)
san: $(SAN)/build.ninja
	@tools/run-tests --san-only $(SAN)

#: make fuzz       each fuzzer for SECONDS=60 (clang, libFuzzer)
fuzz: $(SAN)/build.ninja
	@tools/run-fuzz $(SAN) $(SECONDS)

#: make bench      all figures, one line each: name value unit (NAMES="dice tally" for some)
bench: all
	@$(BUILD)/jali-bench $(NAMES)

#: make fmt        clang-format decides, nobody argues
fmt: deps
	@clang-format-14 -i $$(git ls-files '*.c' '*.h')

#: make pictures   the pictures of the README, from the demo's vault and report, by Chromium
pictures: all judges
	@[ -d demo/hospital.jali ] || tools/demo >/dev/null
	@tools/pictures

#: make man        man pages under build/man, from the tables behind --help
man: all
	@mkdir -p $(BUILD)/man && $(BUILD)/jali manual $(BUILD)/man && \
	  echo "man -l $(BUILD)/man/man1/jali.1"

#: make install    PREFIX=/usr/local
install: all
	@meson configure $(BUILD) -Dprefix=$(PREFIX) && meson install -C $(BUILD) --quiet
	@to=$(DESTDIR)$(PREFIX)/share; \
	mkdir -p $$to/man $$to/bash-completion/completions $$to/zsh/site-functions \
	  $$to/fish/vendor_completions.d && $(BUILD)/jali manual $$to/man && \
	$(BUILD)/jali completion bash >$$to/bash-completion/completions/jali && \
	$(BUILD)/jali completion zsh >$$to/zsh/site-functions/_jali && \
	$(BUILD)/jali completion fish >$$to/fish/vendor_completions.d/jali.fish

clean:
	@rm -rf $(BUILD)

.PHONY: all help deps judges demo test audit audit-deep mutants soak fault san fuzz bench fmt man pictures install clean
