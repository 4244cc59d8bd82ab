# Expedite. `make` prints what there is.
.DEFAULT_GOAL := help
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The tests that do everything there is to do by the API.
EXAMPLES := tests/api/test_matrix.py tests/api/test_editing_network.py tests/api/test_changing.py tests/api/test_judged.py tests/api/test_quotas.py tests/api/test_series.py \
	tests/api/test_usage.py tests/services/test_noc_by_api.py tests/services/test_steering.py tests/services/test_every_end.py

.PHONY: help setup demo test check twin bench soak image-test format examples pictures lock sbom licences docs clean

help: ## print the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# A stamp, so that every other target can depend on the environment without reinstalling it.
$(VENV)/.stamp: requirements-setup.txt requirements.txt requirements-dev.txt
	@command -v $(PYTHON) >/dev/null || { echo "python3 is not installed (Debian, Ubuntu: apt install python3 python3-venv)"; exit 1; }
	$(PYTHON) -m venv $(VENV) || { echo "python3 has no venv module (Debian, Ubuntu: apt install python3-venv)"; exit 1; }
	$(BIN)/python -m pip --quiet --disable-pip-version-check install --require-hashes -r requirements-setup.txt
	$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes requirements-dev.txt requirements-setup.txt
	@touch $@

.env:
	@$(PYTHON) -c 'import base64, secrets; print("# Fresh secrets, made by `make setup`. Never commit this file."); print("SECRET_KEY=" + secrets.token_urlsafe(50)); print("CREDENTIAL_KEYS=" + base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()); print("TOKEN_PEPPER=" + secrets.token_urlsafe(32)); print("AUDIT_SIGNING_KEY=" + base64.b64encode(secrets.token_bytes(32)).decode())' > $@
	@chmod 600 $@

setup: $(VENV)/.stamp .env ## the virtual environment in .venv, from the locked requirements

demo: setup ## the whole story on practice routers, then the site on 127.0.0.1:8000 (ONCE=1: exit after the story)
	$(BIN)/python manage.py demo $(if $(ONCE),--once) $(if $(SCHEME),--scheme $(SCHEME)) $(if $(PORT),--port $(PORT))

test: setup ## all tests: installs PostgreSQL, Redis and Chromium if missing (DEEP=1: the long searches, ONLY=reading,planning,rest,oracles,courses,sampled,faults,fuzz or marked)
	$(BIN)/python -m tests.run $(if $(DEEP),--deep) $(if $(ONLY),--only $(ONLY)) $(ARGS)

check: setup ## format, lint, types, architecture, migrations, docs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/djangofmt --check --quiet templates/html
	$(BIN)/djlint --lint --quiet templates/html
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	cd client/src && $(abspath $(BIN))/lint-imports --no-cache --config ../pyproject.toml
	DEBUG=true $(BIN)/python manage.py makemigrations --check --dry-run
	DEBUG=true $(BIN)/python manage.py check
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

twin: setup ## experiments 4.1.1 to 4.1.3 of D4.4.2v2 on Linux routers in namespaces that the service configures, and five planted faults (root; minutes)
	$(BIN)/python -m pytest tests/twin/full.py -n 0 -q -rs

bench: setup ## the benchmarks, each beside its peers in the same run (ONLY=mqc,admission,topology,push,sessions,counters,planning,console,lists,commands)
	$(BIN)/python -m tests.benchmarks $(if $(ONLY),--only $(ONLY))

soak: setup ## minutes of load and faults (the whole service on 40 practice routers; ONLY=redis: Redis killed thirty times; ONLY=ledger: 10,000 deeds, 100 kills; ONLY=api: 20,000 generated calls; ONLY=kills: 400 workers killed in a push)
	$(BIN)/python -m tests.soak $(if $(ONLY),--only $(ONLY)) $(ARGS)

image-test: setup ## build the image without a daemon and serve it (root, buildah and debootstrap; minutes)
	$(BIN)/python -m tests.image

format: setup ## format the code
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	$(BIN)/djangofmt --quiet templates/html

examples: setup ## record what the API answers to its tests as the examples of its description
	$(BIN)/python -m pytest -n 0 -p tests.api.recording $(EXAMPLES)

pictures: setup ## take the pictures of the documents anew, of real pages over practice routers (docs/pictures)
	PICTURES=1 $(BIN)/python -m tests.run tests/e2e/test_browser.py tests/e2e/test_identity.py tests/e2e/test_ten_tasks.py

lock: ## resolve the requirements anew and pin them with hashes
	$(BIN)/uv export --quiet --no-header --no-emit-project --no-dev --format requirements-txt -o requirements.txt
	$(BIN)/uv export --quiet --no-header --no-emit-project --format requirements-txt -o requirements-dev.txt
	echo uv | $(BIN)/uv pip compile --quiet --no-header --no-annotate --generate-hashes --universal --python-version 3.11 -o requirements-setup.txt -
	rm -f uv.lock

sbom: setup ## the bill of materials of a production host in var/sbom.cdx.json (CycloneDX)
	$(BIN)/python -m tests.components sbom

licences: setup ## what is on a production host and under which licence; fails for one that tests/components/licences.toml does not allow
	$(BIN)/python -m tests.components licences

docs: setup ## the documentation as HTML in docs/_build/html
	$(BIN)/sphinx-build -q -W -b html docs docs/_build/html

clean: ## remove what the targets made (the environment, the demo's state, caches)
	rm -rf $(VENV) var docs/_build .mypy_cache .ruff_cache .hypothesis
