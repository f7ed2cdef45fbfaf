// The commands of the first build, as the checklist shows them.

export interface FirstBuild {
  /** Address of the service, without a trailing slash. */
  readonly site: string;
  /** Null: the person has to fill it in. */
  readonly key: string | null;
}

const PLACEHOLDER = 'cm_…';

const exported = ({ site, key }: FirstBuild) =>
  `export CIDERMILL_URL=${site}/api/v1 CIDERMILL_API_KEY=${key ?? PLACEHOLDER}`;

/** Where the installer puts the command; on most systems no shell looks there by itself. */
const path = 'export PATH="$HOME/.local/bin:$PATH"';

const folder = `mkdir -p first-build && cd first-build && echo 'echo "built on $(uname -s)"' > build.sh`;

export const withCommandLine = (first: FirstBuild): string =>
  [
    `curl -fsSL ${first.site}/install/cli | sh`,
    path,
    exported(first),
    folder,
    `cidermill build --script 'sh build.sh' --queue-until-rental`,
  ].join('\n');

export const withCurl = (first: FirstBuild): string =>
  [
    exported(first),
    folder,
    `api() { curl -sS -H "Authorization: Bearer $CIDERMILL_API_KEY" "$@"; }`,
    `UPLOAD=$(tar -czf - . | api "$CIDERMILL_URL/uploads/tar?project=first-build" -H 'Content-Type: application/gzip' --data-binary @- | sed 's/.*"upload_id":"\\([^"]*\\)".*/\\1/')`,
    `api "$CIDERMILL_URL/builds" -H 'Content-Type: application/json' -d '{"upload_id":"'"$UPLOAD"'","script":"sh build.sh","queue_until_rental":true}'`,
  ].join('\n');
