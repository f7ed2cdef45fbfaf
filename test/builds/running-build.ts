import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';

/** A build that runs, and its log by a query. */
export async function runningBuild(t: Parameters<typeof startHarness>[0], limits = {}) {
  const h = await startHarness(t, { limits });
  const host = await startBuildHost(h, { macs: 1 });
  const answer = await h.call('POST', '/builds', { body: { script: 'make', repo: 'apple/swift' } });
  const { id } = answer.json();
  await host.start();
  const log = (query = '') => h.call('GET', `/builds/${id}/log${query}`);
  return { h, host, id: id as string, log, json: async (query: string) => (await log(query)).json() };
}
