// Submits and reads builds through the HTTP API.
import type { Test } from 'tap';
import { type BuildHost, startBuildHost } from './build-host.js';
import { type Harness, type HarnessOptions, startHarness } from './harness.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const repo = { repo: 'apple/swift' };

export type BuildView = Record<string, never> & {
  id: string;
  status: string;
  end_reason: string | null;
  failure: Record<string, unknown> | null;
};

/** Submits a build of a repository and runs the scheduler. */
export async function submit(h: Harness, body: Record<string, unknown> = {}, key?: string): Promise<BuildView> {
  const answer = await h.call('POST', '/builds', {
    body: { script: 'make', ...('upload_id' in body || 'repo_url' in body ? {} : repo), ...body },
    ...(key === undefined ? {} : { key }),
  });
  if (answer.statusCode !== 201) throw new Error(answer.body);
  await h.workers.idle();
  return answer.json();
}

export async function show(h: Harness, id: string): Promise<BuildView> {
  return (await h.call('GET', `/builds/${id}`)).json();
}

/** Returns the error code of a response. */
export function code(answer: { json(): unknown }): string {
  return (answer.json() as { error: { code: string } }).error.code;
}

/** Starts a service whose first account has the given number of Macs. */
export async function withMacs(
  t: Test,
  macs: number,
  options: HarnessOptions = {},
): Promise<{ h: Harness; host: BuildHost }> {
  const h = await startHarness(t, options);
  return { h, host: await startBuildHost(h, { macs }) };
}
