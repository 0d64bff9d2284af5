# shellcheck shell=bash
# What ./run, ./test, ./bench and image/build.sh share: the package list, the place where the product is built (this
# machine when its own Qt is new enough, otherwise a Debian 13 root), and talking to the person.
# Progress and errors go to stderr; stdout belongs to the command that was asked for.

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck disable=SC2034 # read by the scripts that source this file
state=${XDG_STATE_HOME:-$HOME/.local/state}/cocoonbox
cache=${XDG_CACHE_HOME:-$HOME/.cache}/cocoonbox
qt_minimum=6.8

# Podman keeps here what lives between a box's start and its stop, and every command must see the same.
# shellcheck disable=SC2034
podman_options=(--root "$state/podman" --runroot "$state/podman-run" --runtime runc --cgroup-manager cgroupfs --events-backend file)
export PODMAN_IGNORE_CGROUPSV1_WARNING=1

say() { printf '==> %s\n' "$*" >&2; }
die() { printf 'cocoonbox: %s\n' "$1" >&2; shift; [ $# = 0 ] || printf '  %s\n' "$@" >&2; exit 1; }

# Runs a long step quietly: one line when it starts, one with its time; its output only when it fails.
step() { # WHAT ADVICE CMD…
    local what=$1 advice=$2 log started=$SECONDS
    shift 2
    log=$(mktemp -t cocoonbox-step.XXXXXX)
    say "$what"
    if ! "$@" >"$log" 2>&1 </dev/null; then
        tail -n 40 "$log" >&2
        die "This step failed: $what" "$advice" "The whole output is in $log."
    fi
    rm -f "$log"
    say "$what: done in $((SECONDS - started)) s"
}

# --- packages -----------------------------------------------------------------------------------------------------

packages() { # SET…
    awk -v sets=" $* " '/^[a-z]/ && index(sets, " " $1 " ") { print $2 }' "$tree/installers/packages.txt" | sort -u
}

packages_missing() { # SET…
    # shellcheck disable=SC2016 # dpkg-query expands it
    comm -23 <(packages "$@") \
        <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' | awk '$2 == "installed" { print $1 }' | sort -u)
}

packages_install() { # SET…
    local missing
    mapfile -t missing < <(packages_missing "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    local install=(apt-get install -y --no-install-recommends "${missing[@]}")
    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; then
            die "${#missing[@]} packages are missing and installing them needs root." "Run this as root, then try again:" \
                "apt-get update && ${install[*]}"
        fi
        as_root=(sudo)
    fi
    local advice="Look at the message of apt above; is the package mirror reachable?"
    step "Reading package lists" "$advice" "${as_root[@]}" apt-get update
    step "Installing ${#missing[@]} packages ($*)" "$advice" \
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}"
}

# --- the Debian 13 root -------------------------------------------------------------------------------------------

# The machine itself will do when its distribution's packages give a Qt that is new enough.
is_native() {
    [ -n "${COCOONBOX_IN_ROOT:-}" ] && return 0
    command -v apt-cache >/dev/null ||
        die "This machine has no apt." "cocoonbox is built on Debian or a distribution made from it."
    # Debian's own releases are known, and asking apt takes a second.
    # shellcheck source=/dev/null
    case $(. /etc/os-release && echo "$ID ${VERSION_ID:-sid}") in
        "debian 1"[0-2]) return 1 ;;
        debian\ *) return 0 ;;
    esac
    local version
    version=$(apt-cache policy qt6-base-dev | awk '$1 == "Candidate:" { print $2 }')
    dpkg --compare-versions "${version:-0}" ge "$qt_minimum"
}

# The sources of Debian 13: in our root its own, elsewhere from the mirror that this machine's apt uses for Debian.
debian_sources() {
    if [ -n "${COCOONBOX_IN_ROOT:-}" ]; then
        grep '^deb ' /etc/apt/sources.list
        return
    fi
    local main security
    main=$(mirror_of Debian)
    security=$(mirror_of Debian-Security)
    if [ -z "$main" ]; then
        say "apt names no Debian mirror, so there is nothing to make Debian 13 from."
        say "Check /etc/apt/sources.list, run apt-get update as root, and try again."
        return 1
    fi
    printf '%s\n' "deb $main trixie main" "deb $main trixie-updates main"
    [ -z "$security" ] || printf '%s\n' "deb $security trixie-security main"
}

mirror_of() { # LABEL
    # shellcheck disable=SC2016 # apt-get expands it
    apt-get indextargets --format '$(LABEL) $(REPO_URI)' 2>/dev/null |
        awk -v label="$1" '$1 == label && $2 ~ /^https?:/ { sub("/$", "", $2); print $2; exit }'
}

# What every root made here has in common: no recommended packages, no manuals, no translations.
debian_options=(--variant=apt
    --aptopt='Acquire::Languages "none"' --aptopt='APT::Install-Recommends "false"'
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*'
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*'
    --dpkgopt='path-include=/usr/share/locale/locale.alias')

# Makes Debian 13 as a folder or a tar. The packages stay under the cache: making it again downloads what changed.
# The caller holds a lock for NAME.
make_debian() { # NAME TARGET PACKAGES [MMDEBSTRAP-OPTION…]
    local debs=$cache/debs/$1 scratch=$cache/making-$1 target=$2 include=$3 listed sources options=()
    shift 3
    listed=$(debian_sources) || return 1 # `step` asks whether this succeeds, and there bash ignores set -e
    mapfile -t sources <<<"$listed"
    if [ "$(id -u)" = 0 ]; then
        mkdir -p "$debs"
        # shellcheck disable=SC2016 # the hooks' own shell expands it
        options=(--mode=root --skip=essential/unlink --aptopt='APT::Keep-Downloaded-Packages "true"'
            --setup-hook='mkdir -p "$1/var/cache/apt/archives"'
            --setup-hook="cp -al '$debs/.' \"\$1/var/cache/apt/archives/\""
            --customize-hook='chroot "$1" apt-get autoclean'
            --customize-hook="cp -alf \"\$1\"/var/cache/apt/archives/*.deb '$debs/'"
            --customize-hook='rm -f "$1"/var/cache/apt/archives/*.deb')
    else
        options=(--mode=unshare)
    fi
    # Scratch space beside the result: hard links and large files stay on one file system, not in a small /tmp. What a
    # killed run left there goes first.
    rm -rf --one-file-system "$scratch"
    mkdir -p "$scratch"
    # Our locks' descriptors are closed for it: its shell knows one-digit ones only, so the low ones must be free.
    TMPDIR=$scratch mmdebstrap "${debian_options[@]}" "${options[@]}" --include="$include" "$@" trixie "$target" \
        "${sources[@]}" 6>&- 7>&- 8>&- 9>&- && rm -rf --one-file-system "$scratch"
}

root_path() {
    printf '%s/root-%s' "$cache" "$({ packages build test; echo "${debian_options[*]}"; } | sha256sum | cut -c1-12)"
}

# How a command gets mounts of its own. Root just does; a user needs a range of ids, to make the root and to enter it.
namespace=(unshare --mount --propagation slave)
[ "$(id -u)" = 0 ] || namespace+=(--user --map-root-user --map-auto)
may_enter() {
    "${namespace[@]}" true 2>/dev/null || die "This user may not make or enter a Debian 13 root on this machine." \
        "Use sudo, or give the user a range in /etc/subuid and /etc/subgid (package uidmap) and allow user namespaces."
}

# Makes the root unless it is there. Two at once do not race; a half-made one is never taken for a whole one.
root_ensure() {
    local root
    root=$(root_path)
    mkdir -p "$cache"
    exec 8>"$cache/root.lock"
    flock -n 8 || { say "Waiting for another run that makes the Debian 13 root"; flock 8; }
    if [ ! -d "$root" ]; then
        packages_install host
        may_enter
        rm -rf "$root.making"
        # shellcheck disable=SC2016 # the hook's own shell expands it
        step "Making a Debian 13 root with the build tools (once, two minutes, 2 GB in $cache)" \
            "Is the package mirror reachable, and is there space in $cache? Then run this again." \
            make_debian root "$root.making" "$(packages build test | paste -sd,)" \
            --customize-hook='printf "#!/bin/sh\nexit 101\n" >"$1/usr/sbin/policy-rc.d"; chmod 755 "$1/usr/sbin/policy-rc.d"'
        mv "$root.making" "$root"
    fi
    touch "$root"
    roots_prune
    exec 8>&-
}

# Keeps the two newest roots and any that a command is still in (it holds the root's lock file shared).
roots_prune() {
    local old
    for old in $(find "$cache" -maxdepth 1 -type d -name 'root-????????????' -printf '%T@ %p\n' | sort -rn | tail -n +3 | cut -d' ' -f2); do
        flock -n "$old.lock" rm -rf --one-file-system "$old" && rm -f "$old.lock" || : # in use: the next time
    done
}

# Continues the calling script where the product is built: at once on a machine that will do, otherwise inside the
# root, as the same process, so that signals and the exit code need no help.
go_inside() { # SETS SCRIPT ARGS…
    local sets=$1
    shift
    if is_native; then
        # shellcheck disable=SC2086 # a list of sets
        [ -n "${COCOONBOX_IN_ROOT:-}" ] || packages_install $sets
        return 0
    fi
    root_ensure
    exec "$tree/installers/enter" "$@"
}

# --- building -----------------------------------------------------------------------------------------------------

# Configures when needed and builds the given targets (`all` is everything).
build() { # TARGET…
    if [ ! -e "$tree/build/build.ninja" ]; then
        say "Configuring"
        cmake -S "$tree" -B "$tree/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo >&2 ||
            die "CMake could not configure the tree." "The first message above names what is missing."
    fi
    say "Building $*"
    cmake --build "$tree/build" --target "$@" >&2 || die "The build failed." "The first error above is the one to read."
}
