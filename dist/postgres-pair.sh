#!/bin/sh
# Runs a PostgreSQL server and its synchronous standby in a folder of this machine, to try `nuggets serve --database` and a
# fail-over. For trying only: both are on one disk, and every user of this machine may connect.
set -eu

usage() {
    cat <<'END'
Usage: postgres-pair.sh start [FOLDER [PORT]]   run both servers until Ctrl-C; they keep their data
       postgres-pair.sh status [FOLDER]         show both servers
       postgres-pair.sh promote [FOLDER]        stop the primary at once and make the standby the primary
       postgres-pair.sh rejoin [FOLDER]         make the server that is no longer primary the standby again
FOLDER is /var/tmp/nuggets-postgres unless given; the servers use PORT (5440) and the next one.
END
}

fail() {
    echo "postgres-pair: $*" >&2
    exit 1
}

# The folder of the server programs: Debian does not have them in the search path.
find_programs() {
    newest=$(find /usr/lib/postgresql -mindepth 1 -maxdepth 1 2>/dev/null | sort -V | tail -n 1)
    for programs in "$(pg_config --bindir 2>/dev/null || true)" "$newest/bin" "$(dirname "$(command -v initdb || echo none)")"; do
        [ -x "$programs/initdb" ] && return
    done
    fail "PostgreSQL is not installed. Install its server, on Debian with: apt install postgresql"
}

# Runs a program of PostgreSQL. It refuses root, so an unprivileged user runs it then.
as_server() {
    program="$programs/$1"
    shift
    if [ "$(id -u)" != 0 ]; then
        "$program" "$@"
    else
        setpriv --reuid="$(id -u "$user")" --regid="$(id -g "$user")" --clear-groups -- "$program" "$@"
    fi
}

port_of() {
    case $1 in
    one) echo "$port" ;;
    two) echo $((port + 1)) ;;
    esac
}

other() {
    case $1 in
    one) echo two ;;
    two) echo one ;;
    esac
}

# The server that takes writes.
primary() {
    cat "$folder/primary"
}

sql() {
    "$programs/psql" -XqAt -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$(port_of "$1")" -U nuggets -d postgres -c "$2"
}

is_running() {
    as_server pg_ctl status -D "$folder/$1" >/dev/null 2>&1
}

run_server() {
    is_running "$1" && return
    as_server pg_ctl start -s -D "$folder/$1" -l "$folder/$1.log" -o "-p $(port_of "$1")" ||
        fail "server '$1' does not start; the reason is in $folder/$1.log"
}

stop_server() {
    ! is_running "$1" || as_server pg_ctl stop -s -D "$folder/$1" -m "$2" || true
}

create_primary() {
    as_server initdb -D "$folder/one" --username=nuggets --auth=trust --encoding=UTF8 --locale=C >"$folder/initdb.log" ||
        fail "the database can't be created; the reason is in $folder/initdb.log"
    cat >>"$folder/one/postgresql.conf" <<'END'
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
END
    run_server one
    sql one "CREATE DATABASE nuggets" >/dev/null
    echo one >"$folder/primary"
}

# Copies the primary and makes the copy a standby that every commit waits for.
create_standby() {
    primary=$(primary)
    standby=$(other "$primary")
    stop_server "$standby" immediate
    rm -rf "${folder:?}/$standby"
    source="host=127.0.0.1 port=$(port_of "$primary") user=nuggets application_name=$standby"
    as_server pg_basebackup -D "$folder/$standby" --write-recovery-conf --checkpoint=fast --dbname "$source"
    run_server "$standby"
    wait_for_commits_on "$primary" "$standby"
}

# Sets the standby that commits on this server wait for; '' is none.
wait_for_commits_on() {
    sql "$1" "ALTER SYSTEM SET synchronous_standby_names = '$2'"
    sql "$1" "SELECT pg_reload_conf()" >/dev/null
}

open_folder() {
    folder=$1
    [ -f "$folder/primary" ] || fail "there are no servers in $folder: begin with 'postgres-pair.sh start $folder'"
    port=$(cat "$folder/port")
}

create_folder() {
    case $port in *[!0-9]* | '') fail "'$port' is not a port: give a number such as 5440" ;; esac
    mkdir -p "$folder"
    if [ -f "$folder/port" ]; then
        # Left over from a start that did not get as far as a primary.
        rm -rf "${folder:?}/one" "${folder:?}/two"
    elif [ -n "$(ls -A "$folder")" ]; then
        fail "$folder is not empty: give a new folder"
    fi
    [ "$(id -u)" != 0 ] || chown "$user" "$folder"
    [ "$(id -u)" != 0 ] || setpriv --reuid="$(id -u "$user")" --clear-groups -- test -w "$folder" ||
        fail "the user $user can't write to $folder: give a folder that other users reach, such as /var/tmp/nuggets-postgres"
    echo "$port" >"$folder/port"
    echo "creating two servers in $folder"
}

start() {
    folder=$1
    port=$2
    if [ -f "$folder/primary" ]; then
        open_folder "$folder"
        if is_running one || is_running two; then
            fail "the servers in $folder run already"
        fi
    else
        create_folder
    fi
    trap 'exit 130' INT TERM HUP
    trap stop_all EXIT
    if [ ! -f "$folder/primary" ]; then
        create_primary
        create_standby
    fi
    run_server "$(primary)"
    standby=$(other "$(primary)")
    if [ -f "$folder/$standby/standby.signal" ]; then
        run_server "$standby"
        wait_for_commits_on "$(primary)" "$standby"
    fi
    explain
    watch_servers
}

stop_all() {
    trap '' INT TERM HUP
    trap - EXIT
    echo "stopping both servers; their data stays in $folder"
    # The primary first, so that the standby still receives its last records.
    [ ! -f "$folder/primary" ] || stop_server "$(primary)" fast
    stop_server one fast
    stop_server two fast
}

explain() {
    cat <<END

The database, wherever writing is possible:
  postgres://nuggets@127.0.0.1:$port,127.0.0.1:$((port + 1))/nuggets?target_session_attrs=read-write

Three hosts, each in a terminal of its own (cargo build --release --features host):
  export NUGGETS_DATABASE='the line above'
  nuggets serve --node one   --listen 127.0.0.1:8081
  nuggets serve --node two   --listen 127.0.0.1:8082
  nuggets serve --node three --listen 127.0.0.1:8083

Fail-over:  $script promote $folder    then  $script rejoin $folder
Status:     $script status $folder
Ctrl-C stops both servers.

END
    status
}

# Reports servers that end and come back until Ctrl-C; the other goes on.
watch_servers() {
    before=
    while :; do
        now="$(condition one), $(condition two)"
        [ "$now" = "$before" ] || echo "$(date +%T)  $now"
        before=$now
        sleep 1 &
        wait $!
    done
}

condition() {
    if ! is_running "$1"; then
        echo "$1: stopped"
    elif [ "$1" = "$(primary)" ]; then
        echo "$1: primary"
    else
        echo "$1: standby"
    fi
}

status() {
    for server in one two; do
        pid=$(head -n 1 "$folder/$server/postmaster.pid" 2>/dev/null || echo none)
        is_running "$server" || pid=none
        echo "$(condition "$server"), port $(port_of "$server"), process $pid, log $folder/$server.log"
    done
    if ! is_running "$(primary)"; then
        echo "no server takes writes: 'promote' makes the standby the primary"
        return
    fi
    synchronous=$(sql "$(primary)" "SELECT application_name FROM pg_stat_replication WHERE sync_state = 'sync'" || true)
    wanted=$(sql "$(primary)" "SHOW synchronous_standby_names" || true)
    case $synchronous,$wanted in
    ,) echo "commits wait for no standby: 'rejoin' makes one" ;;
    ,*) echo "commits wait until '$wanted' is back: 'rejoin' copies it again" ;;
    *) echo "commits wait for the standby '$synchronous'" ;;
    esac
}

promote() {
    old=$(primary)
    new=$(other "$old")
    is_running "$new" || fail "the standby '$new' does not run"
    [ -f "$folder/$new/standby.signal" ] || fail "'$new' is not a standby: run 'rejoin' first"
    # The fence: an old primary that still ran would take writes, too.
    stop_server "$old" immediate
    as_server pg_ctl promote -s -D "$folder/$new"
    echo "$new" >"$folder/primary"
    wait_for_commits_on "$new" ''
    status
}

rejoin() {
    is_running "$(primary)" || fail "the primary '$(primary)' does not run"
    create_standby
    status
}

script=$0
command=${1:-help}
default=/var/tmp/nuggets-postgres
folder=${2:-$default}
case $folder in /*) ;; *) folder=$PWD/$folder ;; esac
case $script in /*) ;; *) script=$PWD/$script ;; esac
user=postgres
id "$user" >/dev/null 2>&1 || user=nobody

case $command in
start | status | promote | rejoin)
    find_programs
    # The folder of the caller may not be visible to the user of the servers.
    cd /
    if [ "$command" = start ]; then
        start "$folder" "${3:-5440}"
    else
        open_folder "$folder"
        "$command"
    fi
    ;;
help | -h | --help) usage ;;
*)
    usage >&2
    exit 2
    ;;
esac
