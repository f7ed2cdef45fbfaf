// /install/host-agent and /install/cli: shell scripts, made of files and of what there is to install.
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import type { PackageFile, Packages } from '../app/packages.js';

export interface InstallersDeps {
  /** Without a trailing slash. */
  readonly siteUrl: string;
  readonly packages: Packages;
}

// The compiled file is four folders below the package root.
const folder = new URL('../../../../control-plane/packages/installers/', import.meta.url);

export const NO_PACKAGES =
  'This service has no packages yet. Its operator makes them with `npm run package` in the source tree, and sets ' +
  'CIDERMILL_PACKAGES if they are in another folder than dist/packages.';

const NO_ADDRESS =
  'This service does not know its public address, from which the package would be downloaded. Its operator sets ' +
  'CIDERMILL_SITE_URL.';

const SCRIPT = 'text/x-shellscript; charset=utf-8';

const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);

export function mountInstallers(server: FastifyInstance, { siteUrl, packages }: InstallersDeps): void {
  for (const kind of ['host-agent', 'cli'] as const) {
    server.get(`/install/${kind}`, async (request, reply) => {
      if (isLoopback(new URL(siteUrl).hostname) && !isLoopback(request.hostname)) {
        return reply.type(SCRIPT).send(failing(NO_ADDRESS));
      }
      const files = newestOf((await packages.all()).filter((file) => file.kind === kind));
      if (files.length === 0) return reply.type(SCRIPT).send(failing(NO_PACKAGES));
      const key = (await packages.signed())?.key ?? '';
      return reply.type(SCRIPT).send(await installer(kind, { siteUrl, key }, files));
    });
  }
}

/** Returns the first package for each platform, that for Macs first. */
function newestOf(files: readonly PackageFile[]): PackageFile[] {
  const newest = new Map<string | null, PackageFile>();
  for (const file of files) if (!newest.has(file.platform)) newest.set(file.platform, file);
  return [...newest.values()].sort((a, b) => ((a.platform ?? '') < (b.platform ?? '') ? -1 : 1));
}

/**
 * Returns a script that is one group of functions and one call. A script that has not arrived whole does nothing, because a
 * group without its closing brace is a syntax error.
 */
async function installer(
  kind: 'host-agent' | 'cli',
  { siteUrl, key }: { siteUrl: string; key: string },
  files: readonly PackageFile[],
): Promise<string> {
  const [common, own] = await Promise.all(
    ['common', kind].map((name) => readFile(new URL(`${name}.sh`, folder), 'utf8')),
  );
  const rows = files.map(({ platform, version, sha256, bytes, name }) =>
    [platform ?? 'any', version, sha256, bytes, name].join(' '),
  );
  const settings = [
    'settings() {',
    `  SITE=${quoted(siteUrl)}`,
    `  # of the publisher of the packages; empty: they are not signed\n  KEY=${quoted(key)}`,
    `  # platform version sha256 bytes name\n  PACKAGES=${quoted(rows.join('\n'))}`,
    '}',
  ].join('\n');
  return `#!/bin/sh\n# Runs nothing before the last line has arrived.\n{\n${settings}\n\n${common}\n${own}\nmain "$@"\nexit\n}\n`;
}

/** A script that only prints why. Its status is 200, because `curl -f` does not show the body of an error. */
const failing = (why: string) => `#!/bin/sh\necho ${quoted(why)} >&2\nexit 1\n`;

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
