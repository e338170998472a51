#!/bin/sh
# Are results of ball arithmetic balls? Compares RESULTS random ones of closed forms and cheap
# quadratures, and COSTLY of the costly ones, with the value at twice the precision:
#   scripts/containment.sh [BUILD] [RESULTS] [COSTLY]
set -eu
build=${1:-build/release}
TAPALAB_CONTAINMENT_RESULTS=${2:-100000}
TAPALAB_CONTAINMENT_COSTLY=${3:-200}
export TAPALAB_CONTAINMENT_RESULTS TAPALAB_CONTAINMENT_COSTLY
exec "$build/tests/test_proofs-check" "balls contain the value at twice the precision*"
