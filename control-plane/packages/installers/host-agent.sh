usage() {
  cat <<USAGE
Installs the Cidermill host agent $(newest): a package with everything that it needs, the account that it runs as, its
folders, and a job of launchd. Enrolls this machine at $SITE and starts the agent. Run again, it
repairs or updates what is there.

  curl -fsSL $SITE/install/host-agent | sudo sh -s -- --token TOKEN

  --token TOKEN         token of \`cidermill admin host enroll\`. Other users of this machine see it while this script
                        runs, and sudo logs it: use --token-file on machines that are not yours alone
  --token-file FILE     the same, from a file
  --approve             without token: shows a code that an operator approves (\`cidermill admin host approve CODE\`)
  --name NAME           name of this host, if the token has none
  --driver DRIVER       tart, lume, or local (builds are not isolated from each other)
  --user USER           account that the agent runs as
  --session SESSION     daemon (from the start of the machine) or login (while USER is logged in at the screen)
  --allow-unisolated    with --driver local: accept that builds of all tenants share this machine
  --data DIR            data folder, instead of /usr/local/var/cidermill
  --self-upgrade, --no-self-upgrade
                        whether the agent may replace its program; default: with virtual machines
  --enroll-again        enroll a machine that is enrolled: with another service, or after it was removed
  --ca-file FILE        PEM file of additional certificate authorities
  --https-proxy URL     proxy for https URLs, for this script and for the agent: sudo drops the variables of your shell
  --bypass-proxy HOSTS  hosts to reach without the proxy
  --public-key KEY      install only what is signed with this key, which you know from elsewhere; needs minisign where no agent
                        is installed. Default: on a host that is installed the key of its agent, else the key of this script
  --prefix DIR          put everything below DIR, for tests and images of disks
  --dry-run             say what would be done, and change nothing
  --uninstall           stop the agent and remove what was installed; keeps its data
  --delete-data         with --uninstall: delete the data too
  --force               with --uninstall: even if builds run
  --version             print the version that would be installed
  --help                print this
USAGE
}

newest() {
  printf '%s\n' "$PACKAGES" | while read -r _ row_version _; do
    printf '%s' "$row_version"
    break
  done
}

parse() {
  token='' token_file='' name='' driver='' user='' session='' ca_file='' prefix=''
  approve='' unisolated='' dry_run='' uninstall='' delete_data='' force=''
  data='' self_upgrade='' enroll_again='' proxy='' bypass='' public_key=''
  while [ $# -gt 0 ]; do
    case $1 in
      --*=*)
        option=$1
        shift
        set -- "${option%%=*}" "${option#*=}" "$@"
        continue
        ;;
      --token) value_of "$1" $# "${2-}" && token=$2 && shift ;;
      --token-file) value_of "$1" $# "${2-}" && token_file=$2 && shift ;;
      --name) value_of "$1" $# "${2-}" && name=$2 && shift ;;
      --driver) value_of "$1" $# "${2-}" && driver=$2 && shift ;;
      --user) value_of "$1" $# "${2-}" && user=$2 && shift ;;
      --session) value_of "$1" $# "${2-}" && session=$2 && shift ;;
      --ca-file) value_of "$1" $# "${2-}" && ca_file=$2 && shift ;;
      --prefix) value_of "$1" $# "${2-}" && prefix=$2 && shift ;;
      --data) value_of "$1" $# "${2-}" && data=$2 && shift ;;
      --https-proxy) value_of "$1" $# "${2-}" && proxy=$2 && shift ;;
      --public-key) value_of "$1" $# "${2-}" && public_key=$2 && shift ;;
      --bypass-proxy) value_of "$1" $# "${2-}" && bypass=$2 && shift ;;
      --self-upgrade | --no-self-upgrade) self_upgrade=$1 ;;
      --enroll-again) enroll_again=1 ;;
      --force) force=1 ;;
      --approve) approve=1 ;;
      --allow-unisolated) unisolated=1 ;;
      --dry-run) dry_run=1 ;;
      --uninstall) uninstall=1 ;;
      --delete-data) delete_data=1 ;;
      --version) newest && echo && exit 0 ;;
      --help | -h) usage && exit 0 ;;
      *) misused "unknown option $1" ;;
    esac
    shift
  done
  case $driver in '' | tart | lume | local) ;; *) misused "--driver is tart, lume or local, not $driver" ;; esac
  case $session in '' | daemon | login) ;; *) misused "--session is daemon or login, not $session" ;; esac
  case $prefix in '' | /*) ;; *) prefix=$(pwd -P)/$prefix ;; esac
  prefix=${prefix%/}
  ways="${token:+x}${token_file:+x}$approve"
  case $ways in '' | ?) ;; *) misused 'give one of --token, --token-file and --approve' ;; esac
  [ -z "$token_file" ] || [ -r "$token_file" ] || fail "cannot read the file $token_file"
  [ -z "$ca_file" ] || [ -r "$ca_file" ] || fail "cannot read the file $ca_file"
  [ -z "$delete_data" ] || [ -n "$uninstall" ] || misused '--delete-data belongs to --uninstall'
  [ -z "$force" ] || [ -n "$uninstall" ] || misused '--force belongs to --uninstall'
  # curl and wget read them.
  if [ -n "$proxy" ]; then export https_proxy="$proxy"; fi
  if [ -n "$bypass" ]; then export no_proxy="$bypass"; fi
}

# Sets platform, as packages name it.
find_platform() {
  system=$(uname -s) machine=$(uname -m)
  # A shell that is translated for Intel processors.
  if [ "$system $machine" = 'Darwin x86_64' ] && [ "$(sysctl -n hw.optional.arm64 2>/dev/null)" = 1 ]; then
    machine=arm64
  fi
  case $system in Darwin) system=darwin ;; Linux) system=linux ;; esac
  case $machine in aarch64) machine=arm64 ;; x86_64) machine=x64 ;; esac
  platform=$system-$machine
}

# run_program PROGRAM COMMAND: runs `PROGRAM host-agent COMMAND` with the options that it takes.
run_program() {
  program=$1 command=$2
  set --
  [ -z "$prefix" ] || set -- "$@" --prefix "$prefix"
  [ -z "$dry_run" ] || set -- "$@" --dry-run
  [ -z "$data" ] || set -- "$@" --data "$data"
  if [ "$command" = uninstall ]; then
    [ -z "$delete_data" ] || set -- "$@" --delete-data
    [ -z "$force" ] || set -- "$@" --force
    "$program" host-agent uninstall "$@" </dev/null
    return
  fi
  [ -z "$name" ] || set -- "$@" --name "$name"
  [ -z "$driver" ] || set -- "$@" --driver "$driver"
  [ -z "$user" ] || set -- "$@" --user "$user"
  [ -z "$session" ] || set -- "$@" --session "$session"
  [ -z "$unisolated" ] || set -- "$@" --allow-unisolated
  [ -z "$self_upgrade" ] || set -- "$@" "$self_upgrade"
  [ -z "$enroll_again" ] || set -- "$@" --enroll-again
  [ -z "$ca_file" ] || set -- "$@" --ca-file "$ca_file"
  [ -z "$proxy" ] || set -- "$@" --https-proxy "$proxy"
  [ -z "$bypass" ] || set -- "$@" --bypass-proxy "$bypass"
  [ -z "$approve" ] || set -- "$@" --approve
  [ -z "$token_file" ] || set -- "$@" --token-file "$token_file"
  set -- "$program" host-agent install --url "$SITE" "$@"
  # On standard input, which other users cannot read; printf is part of the shell.
  if [ -n "$token" ]; then printf '%s\n' "$token" | "$@"; else "$@" </dev/null; fi
}

# require_ours DIR: fails if another user (root apart) could put something else in the place of the folder or of one above it.
require_ours() {
  at=$(CDPATH='' cd -P "$1" && pwd -P) || exit 1
  while :; do
    # In a sticky folder such as /tmp others cannot rename what is not theirs.
    if [ -z "$(find "$at" -prune -type d \( -user 0 -o -user "$(id -u)" \) \( -perm -1000 -o ! \( -perm -020 -o -perm -002 \) \))" ]; then
      fail "users other than root can change $at, so nothing below it is safe to run as root; first: sudo chown root '$at' && sudo chmod go-w '$at'"
    fi
    [ "$at" != / ] || return 0
    at=$(dirname "$at")
  done
}

# Makes a folder that belongs to this user alone. It lies beside the installation, so that moving from it is one step.
make_workplace() {
  workplace=$prefix/usr/local/.cidermill-install
  mkdir -p "$prefix/usr/local"
  require_ours "$prefix/usr/local"
  (umask 077 && mkdir "$workplace" 2>/dev/null) || true
  # A link, or a folder of another user, is not one that this script made.
  if [ -z "$(find "$workplace" -prune -type d -user "$(id -u)" 2>/dev/null)" ]; then
    fail "$workplace is not a folder of this user; remove it"
  fi
  chmod 700 "$workplace"
  lock=$workplace/process
  # By a link, so that it is never there without its content.
  echo $$ >"$workplace/new.$$"
  if ! ln "$workplace/new.$$" "$lock" 2>/dev/null; then
    # Of another run, which may have been killed.
    other=$(cat "$lock")
    if kill -0 "$other" 2>/dev/null; then
      fail "another installation runs here (process $other); if that process is something else, remove $lock"
    fi
    echo $$ >"$lock"
  fi
}

# Downloads and unpacks the package; sets unpacked, its folder.
unpack() {
  archive=$workplace/$package
  download "$archive"
  unpacked=$workplace/new/cidermill-host-agent-$version
  rm -rf "$workplace/new"
  mkdir "$workplace/new"
  tar -xzf "$archive" -C "$workplace/new" || fail "cannot unpack $package"
}

# check_signature: fails unless the package is signed as it must be, by what is trusted most: a key that was given, the program
# that is installed and that only root can change, the key of this script. A first installation without --public-key trusts
# this script, as everything else that it does.
check_signature() {
  root=$prefix/usr/local/cidermill
  verifier=$root/current/bin/cidermill
  if [ ! -x "$verifier" ] || [ -n "$(others_in "$root")" ]; then verifier=; fi
  if [ -z "$KEY" ]; then
    [ -z "$public_key" ] || fail "the packages of $SITE are not signed"
  else
    rm -f "$workplace/SHA256SUMS" "$workplace/SHA256SUMS.minisig"
    for name in SHA256SUMS SHA256SUMS.minisig; do
      fetch "$workplace/$name" "$name" || fail "the download of $name failed; run this again"
    done
  fi
  if [ -n "$verifier" ] && verified_by "$verifier" "$public_key"; then return; fi
  # Nothing that is installed can say; an earlier version has no such command.
  [ -n "$KEY" ] || return 0
  if has minisign; then
    if ! minisign -V -q -m "$workplace/SHA256SUMS" -P "${public_key:-$KEY}" </dev/null ||
      ! grep -qxF "$sha256  $package" "$workplace/SHA256SUMS"; then
      refuse "$package is not signed with the key ${public_key:-$KEY}"
    fi
  elif [ -z "$public_key" ] && [ -n "$foreign" ]; then
    say 'left out: the signature of the package, because its program does not run here'
  elif [ -n "$public_key" ]; then
    refuse 'minisign is needed to check --public-key where no agent is installed, because a package cannot vouch for itself: brew install minisign'
  else
    verified_by "$unpacked/bin/cidermill" "$KEY" || true
  fi
}

# verified_by PROGRAM KEY: returns 1 if the program has no command for it; fails if it refuses the package.
verified_by() {
  if [ -n "$2" ]; then
    "$1" host-agent verify "$archive" --public-key "$2" </dev/null && return
  else
    "$1" host-agent verify "$archive" </dev/null && return
  fi
  if [ $? = 64 ]; then return 1; fi
  refuse "$package was refused"
}

# Leaves nothing of a package that must not be installed.
refuse() {
  rm -rf "$workplace"
  fail "$1; nothing was installed"
}

# Makes the folder of the program, in which everything belongs to this user. One in which others own something, as earlier
# versions made it for the agent's account, becomes the account's copy as a whole: nothing of it is run, read or given away.
make_root() {
  was=$workplace/was
  if [ -d "$root" ] && [ -n "$(others_in "$root")" ]; then mv "$root" "$was"; fi
  mkdir -p "$root/versions"
  if [ -d "$was" ]; then mv "$was" "$root/agent"; fi
  # From here on nobody else can put one there.
  refuse_links
}

refuse_links() {
  for folder in "$root" "$root/versions"; do
    if [ -h "$folder" ]; then fail "$folder is a link; remove it"; fi
  done
}

# others_in DIR: prints what others than this user own or can change there, except in the copy of the agent's account.
others_in() {
  find "$1" -path "$1/agent" -prune -o \( ! -user "$(id -u)" -o ! -type l \( -perm -020 -o -perm -002 \) \) -print
}

install() {
  root=$prefix/usr/local/cidermill
  place=$root/versions/$version
  refuse_links
  make_workplace
  unpack
  check_signature
  make_root
  # Replaced even if it is there: it may be damaged.
  if [ -e "$place" ] || [ -h "$place" ]; then
    rm -rf "$workplace/old"
    mv "$place" "$workplace/old"
  fi
  mv "$unpacked" "$place"
  rm -rf "$workplace"
  say "unpacked $version to $place"
  if [ -n "$foreign" ]; then
    lay_links
    return
  fi
  run_program "$place/bin/cidermill" install || exit $?
}

# What is possible on a machine where the program does not run.
lay_links() {
  ln -sfn "versions/$version" "$root/current"
  mkdir -p "$prefix/usr/local/bin"
  ln -sfn ../cidermill/current/bin/cidermill "$prefix/usr/local/bin/cidermill"
  say "left out, because programs for darwin-arm64 do not run here: account, data folder, property list, enrolment, start"
  say "on the Mac: sudo /usr/local/bin/cidermill host-agent install --url $SITE"
}

# Runs a command that must leave nothing behind from a folder that is removed afterwards.
run_from_elsewhere() {
  (require_ours "${TMPDIR:-/tmp}")
  workplace=$(mktemp -d "${TMPDIR:-/tmp}/cidermill-install.XXXXXX")
  trap 'rm -rf "$workplace"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  unpack
  check_signature
  run_program "$unpacked/bin/cidermill" "$1" || exit $?
}

main() {
  set -eu
  umask 022
  settings
  NAME='install host-agent'
  parse "$@"
  find_platform
  foreign=''
  if ! choose_package "$platform"; then
    if [ -z "$prefix" ] || ! choose_package darwin-arm64; then
      fail "there is no package of the host agent for $platform here. Hosts are Macs with Apple silicon"
    fi
    foreign=1
  fi
  [ -n "$prefix$dry_run" ] || [ "$(id -u)" = 0 ] ||
    fail "this must run as root: curl -fsSL $SITE/install/host-agent | sudo sh -s -- …"
  check_tools
  if [ -n "$uninstall" ]; then
    if [ -n "$foreign" ]; then
      fail "remove $prefix/usr/local/cidermill and $prefix/usr/local/bin/cidermill: programs for darwin-arm64 do not run here"
    fi
    run_from_elsewhere uninstall
  elif [ -n "$dry_run" ]; then
    say "would unpack $package to $prefix/usr/local/cidermill/versions/$version"
    [ -n "$foreign" ] || run_from_elsewhere install
  else
    install
  fi
}
