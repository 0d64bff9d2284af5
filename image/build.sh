#!/usr/bin/env bash
# SPDX-License-Identifier: AGPL-3.0-only
# Makes the box image localhost/cocoonbox-box:current, in two layers, each only when what goes into it changed:
# the base (Debian 13 with the desktop, from packages.txt and base.sh) and over it our files and the agent.
# Run it through `installers/enter` after the agent is built. COCOONBOX_AGENT names another binary than the build's own.
set -euo pipefail
# shellcheck source=installers/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../installers/lib.sh"

image=$tree/image
agent=${COCOONBOX_AGENT:-$tree/build/bin/cocoonbox-agent}
light=$(dirname "$agent")/cocoonbox-agent-light

[ -n "${COCOONBOX_IN_ROOT:-}" ] || go_inside build "$image/build.sh"
[ -x "$agent" ] && [ -x "$light" ] || die "There is no $agent or no $light." "Build them first: ./test does, or cmake --build build --target cocoonbox-agent"

podman() { command podman "${podman_options[@]}" "$@"; }

podman info >/dev/null 2>&1 || die "Podman does not work for this user here, and boxes need it." \
    "Use sudo; \`image/podman info\` says what is wrong."

hash() { sha256sum | cut -c1-12; }
# Names, modes and contents of the given files and folders.
hash_files() { # PATH…
    find "$@" \( -type f -o -type l \) -printf '%P %m %l\n' | sort
    find "$@" -type f -print0 | sort -z | xargs -0 cat
}

mkdir -p "$cache"
exec 7>"$cache/image.lock"
flock 7
trap 'rm -rf "$cache/box-$$.tar" "$cache/box-$$"' EXIT

base=localhost/cocoonbox-base:$({ packages box; cat "$image/base.sh"; echo "${debian_options[*]}"; } | hash)
# `step` tests these functions for success, and there bash ignores set -e: hence the &&.
make_base() {
    local tar=$cache/box-$$.tar
    make_debian box "$tar" "$(packages box | paste -sd,)" --customize-hook="'$image/base.sh' \"\$1\"" &&
        podman import "$tar" "$base"
}
if ! podman image exists "$base"; then
    step "Making the box's Debian 13 with its desktop (once, two minutes, 1 GB)" \
        "Is the package mirror reachable, and is there space in $cache and $state? Then run this again." make_base
fi

box=localhost/cocoonbox-box:$({ echo "$base"; cat "$image/Containerfile" "$agent" "$light"; hash_files "$image/root" "$image/services"; } | hash)
make_box() {
    local files=$cache/box-$$
    mkdir -p "$files" && cp -a "$image/root/." "$files/" && cp -a "$image/services" "$files/usr/lib/cocoonbox/" &&
        install -s -m 755 "$agent" "$files/usr/lib/cocoonbox/cocoonbox-agent" &&
        install -s -m 755 "$light" "$files/usr/lib/cocoonbox/cocoonbox-agent-light" &&
        chmod -R u=rwX,go=rX "$files" &&
        podman build --network none --build-arg BASE="$base" --file "$image/Containerfile" --tag "$box" "$files"
}
if ! podman image exists "$box"; then
    step "Adding the services and the agent to the box image" "Read the message of podman above." make_box
fi
podman tag "$box" localhost/cocoonbox-box:current

# Images that no box was made from and that are not this one.
for old in $(podman images --format '{{.Repository}}:{{.Tag}}' | grep -E '^localhost/cocoonbox-(box|base):'); do
    case $old in "$base" | "$box" | localhost/cocoonbox-box:current) ;; *) podman rmi "$old" >/dev/null 2>&1 || : ;; esac
done
