#!/bin/sh
# SPDX-License-Identifier: AGPL-3.0-only
# Runs once over the new root, given as $1, before it becomes the base image: accounts, caches that would otherwise be
# built at each first start, and what a box has no use for.
set -eu
root=${1:?the root to work on}

chroot "$root" sh -eu <<'IN'
groupadd --gid 990 cbagent
useradd --uid 990 --gid cbagent --home-dir /var/lib/cocoonbox --no-create-home --shell /usr/sbin/nologin \
    --comment 'cocoonbox agent' cbagent 2>/dev/null
groupadd --gid 1000 user
# init makes the home folder, on a new data disk as on the first start.
useradd --uid 1000 --gid user --no-create-home --shell /bin/bash --comment 'box user' user
install -d -m 0700 -o cbagent -g cbagent /var/lib/cocoonbox
install -d -m 0755 -o user -g user /workspace

cat >/usr/share/glib-2.0/schemas/50_cocoonbox.gschema.override <<'OVERRIDE'
[org.gnome.desktop.interface]
toolkit-accessibility=true
OVERRIDE
/usr/lib/*/glib-2.0/glib-compile-schemas /usr/share/glib-2.0/schemas
# The archive keeps whole seconds, and a font cache is stale when its folder's time differs by a nanosecond.
find /usr/share/fonts /usr/local/share/fonts -type d -exec touch --date=2020-01-01 {} +
fc-cache --system-only --force
update-mime-database /usr/share/mime
for theme in /usr/share/icons/*/index.theme; do
    gtk-update-icon-cache --quiet --force "$(dirname "$theme")"
done

# One box must not be recognised as another: init writes a fresh id.
: >/etc/machine-id
rm -f /var/lib/dbus/machine-id
IN

rm -rf "$root"/usr/share/doc/* "$root"/usr/share/man/* "$root"/usr/share/info/* "$root"/var/log/* \
    "$root"/var/lib/apt/lists/* "$root"/usr/share/icons/elementary-xfce-hidpi
# Menu entries that lead nowhere in a box.
rm -f "$root"/usr/share/applications/xfce4-mail-reader.desktop "$root"/usr/share/applications/x11vnc.desktop \
    "$root"/usr/share/applications/python3.*.desktop
mkdir -p "$root"/var/lib/apt/lists/partial
