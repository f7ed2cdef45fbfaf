// A service of a test in its own process: several use one database and one folder at the same time. Every worker runs in each
// of them, and each of them plays the host: it reports every build that is to run as running, and then as finished.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { compose } from '../../../control-plane/compose/compose.js';
import { readConfig } from '../../../control-plane/config.js';
import { openPostgres } from '../../../control-plane/platform/store/postgres/postgres.js';
import { openSharedState } from '../../../control-plane/platform/store/postgres/shared/shared-state.js';
import { systemClock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import { plainResult } from '../../harness/plain-result.js';

/** Workers of webhooks and the like, which this is not about. */
const outgoing = new Set(['event-fanout', 'webhook-delivery', 'commit-status', 'operator-notices', 'operator-webhook']);

export interface SideBySideOptions {
  readonly url: string;
  readonly data: string;
  readonly limits: Readonly<Record<string, number>>;
}

/** Starts a service that listens on a port of its own. */
export async function startSideBySide({ url, data, limits }: SideBySideOptions) {
  const usual = readConfig({}, { CIDERMILL_PAYMENT_PROVIDER: 'sandbox', CIDERMILL_FX_KRW_PER_USD: '1466.40' });
  const config = {
    ...usual,
    data,
    packages: join(data, 'packages'),
    builtClient: null,
    limits: { ...usual.limits, requests_per_minute: 1_000_000, unpaid_share_percent: 100, ...limits },
  };
  mkdirSync(data, { recursive: true });
  const store = await openPostgres(url, { connections: 5 });
  const errors: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) });
  const shared = await openSharedState(url, { waitMs: 5_000, onError: (error) => log.error({ err: error }, 'shared') });
  const siteUrl = 'http://cidermill.test';
  const parts = await compose({
    config,
    store,
    shared,
    siteUrl,
    clock: systemClock,
    log,
    ports: { passwordCost: { memoryCost: 8, timeCost: 1, parallelism: 1 } },
  });
  await parts.server.ready();
  const address = await parts.server.listen({ host: '127.0.0.1', port: 0 });
  parts.startWorkers(({ name }) => !outgoing.has(name));
  return {
    parts,
    store,
    address,
    errors,
    async stop() {
      await parts.close();
      await shared.close();
      await store.close();
    },
  };
}

export type SideBySide = Awaited<ReturnType<typeof startSideBySide>>;

/** Runs the builds of a host until it is aborted; other processes do the same at the same time. */
async function playHost({ parts, errors }: SideBySide, hostId: string, signal: AbortSignal): Promise<void> {
  const { runs } = parts.builds;
  while (!signal.aborted) {
    try {
      for (const { build_id, attempt, spec } of await runs.desiredBuilds(hostId)) {
        if (spec === null) continue;
        await runs.facts(hostId, [{ build_id, attempt, state: 'running', log_bytes: 0, last_output_at: null }]);
        await runs.finished(hostId, { build_id, attempt, result: plainResult({ ended_at: systemClock.now() }) });
      }
    } catch (error) {
      errors.push(String(error instanceof Error ? error.stack : error));
    }
    await pause(systemClock, 20, signal).catch(() => undefined);
  }
}

if (process.send !== undefined && process.argv[2] !== undefined) {
  const { hostId, ...options } = JSON.parse(process.argv[2]) as SideBySideOptions & { hostId: string };
  const service = await startSideBySide(options);
  const ended = new AbortController();
  const playing = playHost(service, hostId, ended.signal);
  process.send({ address: service.address });
  process.once('message', async () => {
    ended.abort();
    await playing;
    await service.stop();
    process.send?.({ errors: service.errors });
    process.disconnect();
  });
}
