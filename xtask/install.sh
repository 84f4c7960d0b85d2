#!/bin/sh
# Installs what `cargo xtask` needs and this machine lacks, and prints that. It runs at the top of the project; its
# arguments are the tools that are needed.
set -eu
cargo=${CARGO:-cargo}
axe_core=4.14.0

missing() {
    echo "xtask: $1 is missing; installing it"
}

works() {
    "$@" >/dev/null 2>&1 </dev/null
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# package NAME: of Debian
package() {
    works apt-get --version || {
        echo "$1 is missing and apt-get is not available: install $1 by hand" >&2
        exit 1
    }
    as_root apt-get update
    as_root apt-get install --yes "$1"
}

# program NAME PACKAGE
program() {
    works "$1" --version || { missing "$1"; package "$2"; }
}

# component SUBCOMMAND RUSTUP_NAME PACKAGE: a subcommand of cargo that is a part of the Rust toolchain
component() {
    works "$cargo" "$1" --version || {
        missing "cargo $1"
        if works rustup --version; then rustup component add "$2"; else package "$3"; fi
    }
}

for tool in "$@"; do
    case $tool in
    rustfmt) component fmt rustfmt rustfmt ;;
    clippy) component clippy clippy rust-clippy ;;
    cargo-deny)
        # This version compiles with the toolchain that the project is pinned to. It takes two minutes of processor time;
        # a release build takes five and is no use for a check of a second.
        works "$cargo" deny --version || {
            missing cargo-deny
            "$cargo" install cargo-deny --version 0.20.2 --locked --debug
        }
        ;;
    chromium)
        program chromium chromium
        program fc-list fontconfig
        works fc-list --quiet 'DejaVu Sans' || { missing 'DejaVu Sans'; package fonts-dejavu-core; }
        ;;
    axe-core)
        # The browser tests check the accessibility of the pages with it, and look for it there.
        works grep "\"version\": \"$axe_core\"" target/npm/node_modules/axe-core/package.json || {
            missing "axe-core@$axe_core"
            program npm npm
            npm install --prefix target/npm --no-save --ignore-scripts --no-audit --no-fund --silent "axe-core@$axe_core"
        }
        ;;
    postgresql)
        # The package must not create a cluster of the system: the tests run servers of their own, in scratch folders.
        missing PostgreSQL
        package postgresql-common
        settings=/etc/postgresql-common/createcluster.conf
        echo "xtask: setting create_main_cluster = false in $settings"
        as_root sh -c "sed -i /create_main_cluster/d $settings && echo 'create_main_cluster = false' >> $settings"
        package postgresql
        ;;
    systemd-analyze) program systemd-analyze systemd ;;
    *) program "$tool" "$tool" ;;
    esac
done
