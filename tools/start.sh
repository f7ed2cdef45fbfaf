#!/bin/sh
# `npm start`: compiles what has changed, then runs `cidermill dev`. Help does not wait for the compiler.
case " $* " in
*' --help '* | *' -h '*) compiled=$(ls dist/client/bin.cjs 2>/dev/null) ;;
*) compiled= ;;
esac
if [ -z "$compiled" ]; then npm run --silent build || exit; fi
exec node dist/client/bin.cjs dev "$@"
