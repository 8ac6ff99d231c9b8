#!/usr/bin/env bash
# Compares brakeline-settings with npm's es-toolkit: run.sh [CASES] [SEED]
# Needs node and npm. Prints the number of comparisons and `N passed, N failed`; exits 1 if any failed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
npm ci --prefix "$here" --no-audit --no-fund --loglevel=error >&2
export BRAKELINE_ES_TOOLKIT="$here" BRAKELINE_CASES="${1:-100000}" BRAKELINE_SEED="${2:-1}"
cd "$here/../.."
exec cargo test -q --test lodash -- --ignored --nocapture es_toolkit
