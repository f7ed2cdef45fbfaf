#!/bin/sh
# Runs the program of this package with the package's own Node, also through links to this file.
set -eu

program=$0
while [ -L "$program" ]; do
  target=$(readlink "$program")
  case $target in
    /*) program=$target ;;
    *) program=$(dirname "$program")/$target ;;
  esac
done
here=$(CDPATH='' cd -P "$(dirname "$program")/.." && pwd -P)
exec "$here/bin/node" "$here/lib/cidermill.mjs" "$@"
