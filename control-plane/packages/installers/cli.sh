usage() {
  cat <<USAGE
Installs the command line of Cidermill: \`cidermill\`, for people and programs that run builds at $SITE.
It needs Node 20.19 or newer.

  curl -fsSL $SITE/install/cli | sh

  --prefix DIR     instead of ~/.local: the command becomes DIR/bin/cidermill, its files lie in DIR/share/cidermill
  --ca-file FILE   PEM file of additional certificate authorities
  --public-key KEY install only what is signed with this key, which you know from elsewhere
  --dry-run        say what would be done, and change nothing
  --uninstall      remove what was installed
  --version        print the version that would be installed
  --help           print this

The same by npm: npm install -g $SITE/packages/$package
USAGE
}

parse() {
  prefix='' ca_file='' dry_run='' uninstall='' public_key=''
  while [ $# -gt 0 ]; do
    case $1 in
      --*=*)
        option=$1
        shift
        set -- "${option%%=*}" "${option#*=}" "$@"
        continue
        ;;
      --prefix) value_of "$1" $# "${2-}" && prefix=$2 && shift ;;
      --ca-file) value_of "$1" $# "${2-}" && ca_file=$2 && shift ;;
      --public-key) value_of "$1" $# "${2-}" && public_key=$2 && shift ;;
      --dry-run) dry_run=1 ;;
      --uninstall) uninstall=1 ;;
      --version) say "$version" && exit 0 ;;
      --help | -h) usage && exit 0 ;;
      *) misused "unknown option $1" ;;
    esac
    shift
  done
  case $prefix in '' | /*) ;; *) prefix=$(pwd -P)/$prefix ;; esac
  prefix=${prefix%/}
  if [ -z "$prefix" ]; then
    [ -n "${HOME-}" ] || fail 'HOME is not set; give --prefix'
    prefix=$HOME/.local
  fi
  [ -z "$ca_file" ] || [ -r "$ca_file" ] || fail "cannot read the file $ca_file"
  files=$prefix/share/cidermill
  link=$prefix/bin/cidermill
}

check_node() {
  has node || fail 'Node 20.19 or newer is needed, and there is no node on the PATH: https://nodejs.org'
  found=$(node -p process.versions.node </dev/null) || fail 'node does not run'
  major=${found%%.*} rest=${found#*.}
  [ "$major" -gt 20 ] || { [ "$major" = 20 ] && [ "${rest%%.*}" -ge 19 ]; } ||
    fail "Node 20.19 or newer is needed; $(command -v node) is $found"
}

# Fails if the command there is not one that this script made.
check_link() {
  [ -e "$link" ] || [ -h "$link" ] || return 0
  case $(readlink "$link" || true) in
    ../share/cidermill/*) ;;
    *) fail "$link is there and was not made by this installer; remove it, or give --prefix" ;;
  esac
}

# check_signature DIR: with --public-key, fails unless that key has signed the package. By node, which does not come from here.
check_signature() {
  [ -n "$public_key" ] || return 0
  [ -n "$KEY" ] || fail "the packages of $SITE are not signed"
  for name in SHA256SUMS SHA256SUMS.minisig; do
    fetch "$1/$name" "$name" || fail "the download of $name failed; run this again"
  done
  node -e '
    const { createHash, createPublicKey, verify } = require("node:crypto");
    const { readFileSync } = require("node:fs");
    const [text, folder, line] = process.argv.slice(1);
    const sums = readFileSync(folder + "/SHA256SUMS");
    const key = Buffer.from(text, "base64");
    const signature = readFileSync(folder + "/SHA256SUMS.minisig", "utf8").split("\n")[1] || "";
    const signed = Buffer.from(signature, "base64");
    const isKey = key.length === 42 && signed.length === 74 && signed.toString("latin1", 0, 2) === "ED";
    const prefix = Buffer.from("302a300506032b6570032100", "hex");
    const isSigned = () => verify(
      null,
      createHash("blake2b512").update(sums).digest(),
      createPublicKey({ key: Buffer.concat([prefix, key.subarray(10)]), format: "der", type: "spki" }),
      signed.subarray(10),
    );
    const isRight = isKey && signed.subarray(2, 10).equals(key.subarray(2, 10)) && isSigned();
    process.exit(isRight && sums.toString().split("\n").includes(line) ? 0 : 1);
  ' "$public_key" "$1" "$sha256  $package" </dev/null || {
    rm -rf "$1"
    fail "$package is not signed with the key $public_key; nothing was installed"
  }
}

install() {
  check_node
  check_link
  place=$files/$version
  if [ -n "$dry_run" ]; then
    say "would unpack $package to $place"
    say "would link $link to it"
    return
  fi
  mkdir -p "$files" "$prefix/bin"
  download "$files/$package.part"
  new=$files/new.$$
  rm -rf "$new"
  mkdir "$new"
  check_signature "$new"
  tar -xzf "$files/$package.part" -C "$new" || fail "cannot unpack $package"
  rm -rf "$place"
  mv "$new/package" "$place"
  ln -s "../share/cidermill/$version/dist/client/bin.cjs" "$new/link"
  mv -f "$new/link" "$link"
  for other in "$files"/*; do
    if [ "$other" != "$place" ]; then rm -rf "$other"; fi
  done
  say "installed cidermill $("$link" --version </dev/null) as $link"
  case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) say "add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
  say "log in: cidermill login --url $SITE"
}

uninstall() {
  check_link
  if [ -n "$dry_run" ]; then
    say "would remove $link and $files"
    return
  fi
  rm -f "$link"
  rm -rf "$files"
  say "removed $link and $files"
}

main() {
  set -eu
  umask 022
  settings
  NAME='install cli'
  choose_package any || fail 'there is no package of the command line'
  parse "$@"
  check_tools
  if [ -n "$uninstall" ]; then uninstall; else install; fi
}
