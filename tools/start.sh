#!/bin/sh
# `npm start`: compiles, packages the command line for /install/cli, then runs `cidermill dev`. Help does not wait for the
# compiler.
case " $* " in
*' --help '* | *' -h '*) compiled=$(ls dist/client/bin.cjs 2>/dev/null) ;;
*) compiled= ;;
esac
if [ -z "$compiled" ]; then
  npm run --silent compile && node dist/tools/package/package.js --client || exit
fi
exec node dist/client/bin.cjs dev "$@"
