#!/bin/sh
# cidermill: runs the program of the version that this file belongs to.
#
# It also decides, before anything of that version runs, whether `host-agent run` starts this version or the one before. While
# a new version is on trial there is a file ROOT/trial (host-agent/installation/trial.ts): this file records each start there
# and ends a daemon that does not prove to work in time. After that, or after too many starts, it runs the version before,
# which then makes itself the current version again.

self=$0
while [ -h "$self" ]; do
  link=$(readlink "$self") || exit 1
  case $link in
    /*) self=$link ;;
    *) self=$(dirname "$self")/$link ;;
  esac
done
home=$(CDPATH='' cd "$(dirname "$self")/.." && pwd -P) || exit 1
root=${home%/versions/*}
trial=$root/trial

run() {
  exec "$home/bin/node" "$home/lib/cidermill.mjs" "$@"
}

# Ends process $$, which is the daemon by then, unless the trial is over in time.
watch_trial() {
  left=$seconds
  while [ "$left" -gt 0 ]; do
    sleep 1
    [ -f "$trial" ] || return
    kill -0 $$ 2>/dev/null || return
    left=$((left - 1))
  done
  # A later start has its own watch.
  last=$(grep '^start ' "$trial" | tail -n 1)
  [ "$last" = "start $$" ] || return
  echo 'failed hung' >>"$trial"
  kill -9 $$
}

if [ "$1 $2" != 'host-agent run' ] || [ ! -f "$trial" ]; then run "$@"; fi

to='' from='' seconds=60 most=3 starts=0 failed=''
while read -r word value; do
  case $word in
    to) to=$value ;;
    from) from=$value ;;
    seconds) seconds=$value ;;
    most) most=$value ;;
    start) starts=$((starts + 1)) ;;
    failed) failed=$value ;;
  esac
done <"$trial"
before=$root/versions/$from/bin/cidermill
if [ "$root/versions/$to" != "$home" ] || [ "$from" = '' ] || [ ! -x "$before" ]; then run "$@"; fi

if [ "$failed" = '' ] && [ "$starts" -lt "$most" ]; then
  # A start that cannot be counted could be repeated forever.
  if { echo "start $$" >>"$trial"; } 2>/dev/null; then
    # Not a child of the daemon, which would not wait for it.
    (watch_trial </dev/null >/dev/null 2>&1 &)
    run "$@"
  fi
  failed=uncounted
fi
if [ "$failed" = '' ]; then { echo 'failed crashed' >>"$trial"; } 2>/dev/null; fi
exec "$before" "$@"
