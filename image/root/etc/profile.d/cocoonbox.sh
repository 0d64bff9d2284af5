# A login of the box's user sees what the services see.
if [ "$(id -un)" = user ]; then
    set -a
    . /etc/cocoonbox/environment
    set +a
fi
