# Short names for dev.py, and the one command that is not needed to run anything.
.PHONY: up test check lock

up test check:
	python3 dev.py $@

# Compile the requirements anew; `make lock UPGRADE=--upgrade` takes newer releases.
lock:
	cd requirements && for set in base embedded export test e2e dev bench; do \
	  ../.venv/bin/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 \
	    --no-emit-index-url --no-header $(UPGRADE) $$set.in -o $$set.txt || exit 1; done
