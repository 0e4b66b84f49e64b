#!/bin/bash
# Claims the lock, and tells the later steps its lease through BASH_ENV.
set -euo pipefail
command -v holdfast > /dev/null || npm install --global "$HOLDFAST_LOCK_PACKAGE"
lease=$(holdfast acquire "$HOLDFAST_LOCK_KEY" --detach --ttl "$HOLDFAST_LOCK_TTL" \
  --slots "$HOLDFAST_LOCK_SLOTS" --timeout "$HOLDFAST_LOCK_TIMEOUT" \
  ${HOLDFAST_LOCK_STORE:+--store "$HOLDFAST_LOCK_STORE"})
printf 'export HOLDFAST_LEASE=%q\n' "$lease" >> "$BASH_ENV"
