// Packages of the host agent in small: the real launcher, and a program that has only the agent's part in upgrades.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type InstallPaths, installPaths } from '../../../host-agent/installation/paths.js';
import type { DesiredAgent } from '../../../shared/protocol/index.js';

const launcher = fileURLToPath(new URL('../../../../host-agent/installation/launcher.sh', import.meta.url));
const faultyDisk = fileURLToPath(new URL('./faulty-disk.js', import.meta.url));
const agent = fileURLToPath(new URL('./small-agent.js', import.meta.url));

/**
 * good: is welcomed. lonely: is never welcomed. crashes: ends as soon as it serves. hangs: never gets to its timers.
 * unreadable: the runtime is of another machine. silent: does not print its version.
 */
export type Behavior = 'good' | 'lonely' | 'crashes' | 'hangs' | 'unreadable' | 'silent';

export const topOf = (version: string) => `cidermill-host-agent-${version}`;

/** Writes the files of a version below `folder`. */
export function layOut(folder: string, version: string, behavior: Behavior = 'good'): void {
  for (const name of ['bin', 'lib']) mkdirSync(join(folder, name), { recursive: true });
  copyFileSync(launcher, join(folder, 'bin/cidermill'));
  const node =
    behavior === 'unreadable'
      ? '\xcf\xfa\xed\xfe'
      : `#!/bin/sh\nexec '${process.execPath}' $\{SMALL_FAULT:+--import ${faultyDisk}} "$@"\n`;
  writeFileSync(join(folder, 'bin/node'), node, { mode: 0o755, encoding: 'latin1' });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'cidermill-host-agent', version }));
  const program = [
    `const [first, second] = process.argv.slice(2);`,
    `if (first === '--version') { if ('${behavior}' !== 'silent') console.log('${version}'); }`,
    `else if (first === 'host-agent' && second === 'run') {`,
    `  if ('${behavior}' === 'crashes') throw new Error('it does not work');`,
    `  if ('${behavior}' === 'hangs') for (;;);`,
    `  await (await import('${agent}')).serve('${behavior}' === 'good');`,
    `}`,
  ];
  writeFileSync(join(folder, 'lib/cidermill.mjs'), program.join('\n'));
}

/** Makes an archive in `folder`, and what a control plane says of it. */
export function pack(folder: string, version: string, behavior?: Behavior): DesiredAgent & { readonly file: string } {
  const top = topOf(version);
  rmSync(join(folder, top), { recursive: true, force: true });
  layOut(join(folder, top), version, behavior);
  const name = `${top}-${process.platform}-${process.arch}.tar.gz`;
  const file = join(folder, name);
  execFileSync('tar', ['-czf', file, '-C', folder, top]);
  return { attempt: `up_${version}`, version, name, file, ...measured(file) };
}

export function measured(file: string): { bytes: number; sha256: string } {
  const content = readFileSync(file);
  return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

/** An installation below `prefix` with one version, which is the current one. */
export function install(prefix: string, version: string): InstallPaths {
  const paths = installPaths(prefix);
  layOut(join(paths.versions, version), version);
  mkdirSync(dirname(paths.current), { recursive: true });
  symlinkSync(`versions/${version}`, paths.current);
  return paths;
}
