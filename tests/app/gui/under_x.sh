#!/bin/sh
# SPDX-License-Identifier: AGPL-3.0-only
# Runs a command with an X server of its own: under_x.sh CMD…. The server picks a free display and ends with the command.
set -eu
number=$(mktemp)
trap 'kill "$server" 2>/dev/null; rm -f "$number"' EXIT
Xvfb -displayfd 5 -screen 0 3000x2000x24 -nolisten tcp 5>"$number" 2>/dev/null &
server=$!
tries=0
until [ -s "$number" ]; do
    tries=$((tries + 1))
    [ "$tries" -le 100 ] || { echo "under_x.sh: Xvfb did not start within 10 s" >&2; exit 1; }
    sleep 0.1
done
DISPLAY=:$(tr -d '[:space:]' <"$number") QT_QPA_PLATFORM=xcb "$@"
