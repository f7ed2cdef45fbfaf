// The proxies of docs/deploy as real processes: the samples as they stand, with other ports and a throw-away certificate.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Authority } from '../../harness/authority.js';
import { until } from '../../harness/until.js';

export const samples = new URL('../../../../docs/deploy/', import.meta.url).pathname;

export interface SampleProxy {
  readonly httpsPort: number;
  readonly httpPort: number;
  /** The configuration as the proxy understands it, with its defaults where it shows them. */
  readonly understood: string;
  /** Files that it has written request or response bodies to. */
  buffered(): string[];
  /** Everything that it has logged about requests, and its errors. */
  logged(): string;
}

export interface ProxyWanted {
  readonly authority: Authority;
  /** Of the service. */
  readonly port: number;
  /** Changes the sample before it is used. */
  readonly change?: (sample: string) => string;
}

/** Replaces what must be there, so that a changed sample is noticed. */
export function replaced(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((sample, [from, to]) => {
    if (!sample.includes(from)) throw new Error(`the sample has no "${from}"`);
    return sample.replaceAll(from, to);
  }, text);
}

const accepts = (port: number) =>
  new Promise<boolean>((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });

/** Returns a function that returns what it has written to standard error. */
export async function started(t: Test, child: ChildProcess, ports: readonly number[]): Promise<() => string> {
  let said = '';
  child.stderr?.on('data', (data) => {
    said += String(data);
  });
  const ended = once(child, 'exit');
  t.teardown(async () => {
    if (child.exitCode === null) child.kill('SIGTERM');
    await ended;
  });
  for (const port of ports) {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`the proxy has ended with ${child.exitCode}: ${said}`);
      return accepts(port);
    }, 'the proxy listens');
  }
  return () => said;
}

export function newFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-proxy-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
