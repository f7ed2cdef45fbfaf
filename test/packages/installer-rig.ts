// What tests of the installers share: a served script, packages whose program writes down how it was called, and a PATH of
// stand-ins in front of the machine's.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Fastify from 'fastify';
import { pino } from 'pino';
import type { Test } from 'tap';
import { createPackages } from '../../control-plane/packages/app/packages.js';
import { mountPackages } from '../../control-plane/packages/http/package-routes.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { createRateLimits } from '../../control-plane/platform/http/rate-limits.js';
import { systemClock } from '../../shared/clock.js';
import { writeArchive } from '../../tools/package/archive.js';
import { writeSums } from '../../tools/package/sums.js';
import { tempFolder } from '../host-agent/runner/rig.js';

export const SITE = 'http://macs.test';
export const VERSION = '1.2.3';
const HERE = `${process.platform}-${process.arch}`;

/** The far side of `curl`: files of a folder, from an offset, and a connection that breaks. */
const CURL = (packages: string, log: string) => `#!/bin/sh
from=0
while [ $# -gt 0 ]; do
  case $1 in
    -o) file=$2; shift ;;
    -C) resume=1; shift ;;
    http*) name=\${1##*/} ;;
  esac
  shift
done
[ "$resume" = 1 ] && [ -f "$file" ] && from=$(wc -c <"$file")
echo "$name from $((from))" >>'${log}'
echo "$https_proxy $no_proxy" >'${log}.proxies'
if [ -f '${packages}/break' ]; then
  half=$(($(wc -c <'${packages}/'"$name") / 2))
  tail -c +$((from + 1)) '${packages}/'"$name" | head -c "$half" >>"$file"
  echo 'curl: (18) transfer closed with outstanding data' >&2
  exit 18
fi
tail -c +$((from + 1)) '${packages}/'"$name" >>"$file"
`;

export interface InstallerRig {
  readonly folder: string;
  /** Folder of stand-ins, first in PATH. */
  readonly bin: string;
  /** Where everything is installed. */
  readonly prefix: string;
  readonly packages: string;
  serve(kind: string): Promise<{ statusCode: number; body: string }>;
  script(kind: 'host-agent' | 'cli'): Promise<string>;
  /** Puts an executable in front of the machine's. */
  standIn(name: string, script: string): void;
  run(script: string, args: readonly string[], options?: RunOptions): SpawnSyncReturns<string>;
  /** What curl was asked for. */
  asked(): string[];
  /** Calls of `host-agent verify`, each with the path of the program. */
  verified(): string[];
  /** The proxy that curl used last, and what it reached without one. */
  proxies(): string;
  /** Arguments and standard input of the program's last run; null: it did not run. */
  called(): { args: string[]; input: string } | null;
}

interface RunOptions {
  /** Instead of the stand-ins and the machine's PATH. */
  readonly path?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly shell?: readonly string[];
}

/** @param sign puts a signature into the folder of the packages */
export async function openInstallers(
  t: Test,
  platforms: readonly string[] = [HERE],
  siteUrl = SITE,
  sign: (folder: string) => void = () => {},
): Promise<InstallerRig> {
  const folder = tempFolder(t);
  const [bin, packages, prefix, record] = ['bin', 'packages', 'some where', 'record'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  for (const path of [bin, packages]) mkdirSync(path);
  await putPackages(packages, record, platforms);
  sign(packages);
  const server = Fastify();
  mountPackages(server, {
    packages: createPackages({ folder: packages, log: pino({ level: 'silent' }) }),
    siteUrl,
    limits: defaultLimits,
    rateLimits: createRateLimits(systemClock, defaultLimits.rate_limit_callers, null),
    clientIp: () => '192.0.2.1',
  });
  t.teardown(() => server.close());
  const serve = (kind: string) => server.inject({ url: `/install/${kind}`, headers: { host: 'macs.test' } });
  const log = join(folder, 'curl.log');
  const standIn = (name: string, text: string) => writeFileSync(join(bin, name), text, { mode: 0o755 });
  standIn('curl', CURL(packages, log));
  return {
    folder,
    bin,
    packages,
    prefix,
    standIn,
    serve,
    async script(kind) {
      const { statusCode, headers, body } = await serve(kind);
      t.match({ statusCode, type: headers['content-type'] }, { statusCode: 200, type: /^text\/x-shellscript/ });
      return body;
    },
    run: (script, args, { path = `${bin}:${process.env.PATH}`, env = {}, uid, shell = ['dash'] } = {}) =>
      spawnSync('/usr/bin/env', [...shell, '-s', '--', ...args], {
        input: script,
        encoding: 'utf8',
        cwd: folder,
        env: { PATH: path, HOME: join(folder, 'home'), TMPDIR: join(folder, 'tmp'), ...env },
        ...(uid === undefined ? {} : { uid }),
      }),
    asked: () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []),
    proxies: () => readFileSync(`${log}.proxies`, 'utf8').trim(),
    verified: () =>
      existsSync(`${record}.verified`) ? readFileSync(`${record}.verified`, 'utf8').trimEnd().split('\n') : [],
    called() {
      if (!existsSync(record)) return null;
      return {
        args: readFileSync(record, 'utf8').trimEnd().split('\n'),
        input: readFileSync(`${record}.input`, 'utf8'),
      };
    },
  };
}

async function putPackages(folder: string, record: string, platforms: readonly string[]): Promise<void> {
  const text = (path: string, content: string, executable = false) => ({
    path,
    executable,
    content: Buffer.from(content),
  });
  // `host-agent verify` says what VERIFY says, and writes down who was asked.
  const program = `#!/bin/sh\nif [ "$2" = verify ]; then echo "$0 $*" >>'${record}.verified'; exit "\${VERIFY:-0}"; fi\nprintf '%s\\n' "$@" >'${record}'\ncat >'${record}.input'\nexit "\${EXIT:-0}"\n`;
  const made = [];
  for (const platform of platforms) {
    const name = `cidermill-host-agent-${VERSION}-${platform}.tar.gz`;
    const files = [text('bin/cidermill', program, true), text('lib/x', 'x'.repeat(5_000))];
    const sha256 = await writeArchive(join(folder, name), `cidermill-host-agent-${VERSION}`, files);
    made.push({ name, sha256 });
  }
  const name = `cidermill-cli-${VERSION}.tgz`;
  const command = text('dist/client/bin.cjs', `#!/bin/sh\necho ${VERSION}\n`, true);
  made.push({ name, sha256: await writeArchive(join(folder, name), 'package', [command]) });
  writeSums(folder, made);
}

/** Returns every path below a folder with its type, mode and content or target. */
export function treeOf(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const tree: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    const found = lstatSync(path);
    const mode = (found.mode & 0o777).toString(8);
    if (found.isSymbolicLink()) tree[name] = `-> ${readlinkSync(path)}`;
    else tree[name] = found.isFile() ? `${mode} ${readFileSync(path, 'utf8')}` : mode;
  }
  return tree;
}
