// The part of a control plane that sends events out, on a database file: for tests that kill it, and for the bench.
import { join } from 'node:path';
import { createOrganizations } from '../../control-plane/access/app/organizations.js';
import { createSecrets } from '../../control-plane/builds/app/secrets.js';
import type { EventType } from '../../control-plane/builds/domain/event.js';
import { defaultCodeHosts } from '../../control-plane/builds/domain/source.js';
import { composeWebhooks } from '../../control-plane/compose/events.js';
import { createVault } from '../../control-plane/platform/app/vault.js';
import { newId } from '../../control-plane/platform/domain/ids.js';
import { defaultLimits, type Limits } from '../../control-plane/platform/domain/limits.js';
import { noAllowedReceivers } from '../../control-plane/platform/outbound/allowed-receivers.js';
import { createPublicFetch } from '../../control-plane/platform/outbound/public-fetch.js';
import { openKeyFile } from '../../control-plane/platform/store/key-file.js';
import { migrate } from '../../control-plane/platform/store/migrate.js';
import { migrations } from '../../control-plane/platform/store/migrations/all.js';
import { insertEvent } from '../../control-plane/platform/store/outbox.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { createWake } from '../../control-plane/platform/wake.js';
import { runWorkers } from '../../control-plane/platform/workers/run-workers.js';
import { systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';

export type Outbox = Awaited<ReturnType<typeof openOutbox>>;

/** @param folder holds the database; a second one may be opened on it when the first is dead */
export async function openOutbox(folder: string, changed: Partial<Limits> = {}) {
  const store = openSqlite(join(folder, 'cidermill.db'));
  await migrate(store, migrations, Date.now());
  const limits = { ...defaultLimits, ...changed };
  const clock = systemClock;
  const log = createLog('outbox', 'silent');
  const wake = createWake(clock);
  const vault = createVault(openKeyFile(join(folder, 'secret.key')));
  const publicFetch = createPublicFetch({
    rules: { allowLoopback: true, allowed: noAllowedReceivers },
    resolve: () => Promise.reject(new Error('no name service')),
    timeoutMs: limits.webhook_timeout_ms,
    bodyBytes: limits.webhook_response_bytes,
  });
  const { webhooks, deliveries, workers } = composeWebhooks({
    ...{ store, clock, realClock: clock, wake, limits, vault, publicFetch, log, codeHost: null },
    ...{ site: { siteUrl: 'http://cidermill.test' }, codeHosts: defaultCodeHosts },
    secrets: createSecrets({ store, clock, vault, limits }),
  });
  const running = runWorkers({ workers, wake, clock, log });
  const organizations = createOrganizations({ store, clock });
  return {
    ...{ store, webhooks, deliveries, workers: running },
    account: async (name: string) => (await organizations.create({ name })).id,
    /** Writes events of one build, as the transaction of what happened does. */
    async publish(accountId: number, buildId: string, types: readonly EventType[]): Promise<void> {
      await store.transaction(async (tx) => {
        for (const [index, type] of types.entries()) {
          const eventId = newId('evt');
          const sequence = index + 1;
          const payload = JSON.stringify({
            event_id: eventId,
            event_type: type,
            sequence,
            at: clock.now(),
            build: { id: buildId },
          });
          await insertEvent(tx, {
            eventId,
            accountId,
            buildId,
            type,
            sequence,
            occurredAt: clock.now(),
            payload,
          });
        }
        tx.onCommit(() => wake.wake('events'));
      });
    },
    async close() {
      wake.close();
      await running.stop();
      await publicFetch.close();
      await store.close();
    },
  };
}
