#!/bin/sh
# Closes the extra pull request. Standard input is the effect to undo, as JSON; here it only goes into a list.
set -eu
cat >>"$(dirname "$0")/../closed.log"
echo >>"$(dirname "$0")/../closed.log"
echo "closed the extra of $DRAINBOARD_TOOL of run $DRAINBOARD_RUN"
