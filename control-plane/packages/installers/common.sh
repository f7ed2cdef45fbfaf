# Functions of both installers. POSIX sh; nothing outside functions.

say() { printf '%s\n' "$*"; }

fail() {
  printf '%s: %s\n' "$NAME" "$*" >&2
  exit 1
}

misused() {
  printf '%s: %s\n%s\n' "$NAME" "$*" 'For all options: --help' >&2
  exit 64
}

# value_of OPTION COUNT VALUE: fails unless COUNT, the number of arguments left, includes a value.
value_of() {
  if [ "$2" -lt 2 ] || [ -z "$3" ]; then misused "$1 needs a value"; fi
}

# Sets package, version, sha256 and bytes: the row of PACKAGES for this platform. Fails if there is none.
choose_package() {
  while read -r row_platform row_version row_sha256 row_bytes row_package; do
    [ "$row_platform" = "$1" ] || continue
    package=$row_package version=$row_version sha256=$row_sha256 bytes=$row_bytes
    return 0
  done <<ROWS
$PACKAGES
ROWS
  return 1
}

has() { command -v "$1" >/dev/null 2>&1; }

sha256_of() {
  if has sha256sum; then
    sha256sum <"$1" | cut -c 1-64
  elif has shasum; then
    shasum -a 256 <"$1" | cut -c 1-64
  else
    openssl dgst -sha256 <"$1" | sed 's/.* //'
  fi
}

size_of() { wc -c <"$1" | tr -d ' '; }

check_tools() {
  has curl || has wget || fail 'curl or wget is needed to download the package, and there is neither'
  has sha256sum || has shasum || has openssl || fail 'sha256sum, shasum or openssl is needed to check the package'
  has tar || fail 'tar is needed to unpack the package'
}

# fetch FILE [NAME]: continues FILE from SITE/packages/NAME, by default that of the package, without checking it.
fetch() {
  name_of=${2-$package}
  if has curl; then
    # A connection that brings nothing for a minute has ended.
    set -- curl -fsS --retry 3 --connect-timeout 30 --speed-limit 1 --speed-time 60 -C - -o "$1"
    [ -z "$ca_file" ] || set -- "$@" --cacert "$ca_file"
  else
    set -- wget -q -c -O "$1"
    [ -z "$ca_file" ] || set -- "$@" --ca-certificate="$ca_file"
  fi
  "$@" "$SITE/packages/$name_of" </dev/null
}

# download FILE: leaves the package there, with the checksum that this script names. A part of an earlier run is continued.
download() {
  if [ -f "$1" ] && [ "$(size_of "$1")" -gt "$bytes" ]; then rm -f "$1"; fi
  if ! [ -f "$1" ] || [ "$(size_of "$1")" -lt "$bytes" ]; then
    say "downloading $package ($((bytes / 1000000 + 1)) MB) from $SITE"
    fetch "$1" || {
      # A proxy that cannot send a part of a file; the next run starts from the beginning.
      if [ $? = 33 ]; then rm -f "$1"; fi
      fail "the download of $package failed; run this again, it continues where it ended"
    }
  fi
  if [ "$(sha256_of "$1")" != "$sha256" ]; then
    rm -f "$1"
    fail "$package does not have the checksum that this installer names: it was removed and nothing was installed. Download the installer again; if that does not help, tell the operator of $SITE"
  fi
}
