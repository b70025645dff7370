#!/bin/sh
# Gives one extra charge back. Standard input is the effect to undo, as JSON; here it only goes into a list.
set -eu
cat >>"$(dirname "$0")/../refunds.log"
echo >>"$(dirname "$0")/../refunds.log"
echo "refunded $DRAINBOARD_TOOL of run $DRAINBOARD_RUN under $DRAINBOARD_IDEMPOTENCY_KEY"
