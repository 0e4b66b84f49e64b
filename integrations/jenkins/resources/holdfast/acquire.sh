#!/bin/sh
# Claims the lock and prints the path of its lease; all else goes to the log.
set -eu
command -v holdfast > /dev/null || npm install --global "$HOLDFAST_LOCK_PACKAGE" >&2
exec holdfast acquire "$HOLDFAST_LOCK_KEY" --detach --ttl "$HOLDFAST_LOCK_TTL" \
  --slots "$HOLDFAST_LOCK_SLOTS" --timeout "$HOLDFAST_LOCK_TIMEOUT" \
  ${HOLDFAST_LOCK_STORE:+--store "$HOLDFAST_LOCK_STORE"}
