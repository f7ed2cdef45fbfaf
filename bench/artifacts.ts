// Durable uploads of small artifacts (2,000 of 2 KB) from a host's disk to the service: in batches as hosts send them, against a
// plain loop of one PUT each on the same service and connection.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { createStorageQuota } from '../control-plane/access/app/storage-quota.js';
import { insertOrganization } from '../control-plane/access/store/organizations.js';
import { createArtifacts } from '../control-plane/builds/app/artifacts.js';
import type { LinkFiles } from '../control-plane/hosts/app/link-ports.js';
import { registerLinkHttp } from '../control-plane/hosts/link/http.js';
import type { Vault } from '../control-plane/platform/app/vault.js';
import { openContents } from '../control-plane/platform/blobs/contents.js';
import { defaultLimits } from '../control-plane/platform/domain/limits.js';
import { createRateLimits } from '../control-plane/platform/http/rate-limits.js';
import { migrate } from '../control-plane/platform/store/migrate.js';
import { migrations } from '../control-plane/platform/store/migrations/all.js';
import { openSqlite } from '../control-plane/platform/store/sqlite.js';
import { artifactBatches } from '../host-agent/daemon/link/artifact-batches.js';
import { createArtifactUpload } from '../host-agent/daemon/link/artifact-upload.js';
import { defaultLinkLimits } from '../host-agent/limits.js';
import { collectArtifacts } from '../host-agent/runner/artifacts.js';
import { systemClock } from '../shared/clock.js';
import { createLog } from '../shared/log.js';
import { median, print, ratio } from './report.js';

const count = 2_000;
const size = 2_000;
const rounds = 3;
const dir = mkdtempSync(join(tmpdir(), 'cidermill-artifacts-'));
const log = createLog('bench', 'error');

const store = openSqlite(join(dir, 'rows.db'));
await migrate(store, migrations, 0);
const { id } = await store.transaction((tx) =>
  insertOrganization(tx, { orgId: 'org_bench', name: 'bench', slug: 'bench', createdAt: 0 }),
);
await store.run(`INSERT INTO workspaces (workspace_id, account_id, name, created_at) VALUES ('ws', ${id}, 'ws', 0)
  ON CONFLICT DO NOTHING`);
for (let attempt = 1; attempt <= 2 * rounds; attempt++) {
  await store.run(`INSERT INTO builds (build_id, account_id, workspace_id, status, queue_class, timeout_min, priority, clean_tree,
      queue_until_rental, attempt, created_at)
    VALUES ('rb_${attempt}', ${id}, 'ws', 'running', '', 1, 0, 0, 0, 1, 0)`);
}
const noVault: Vault = {
  pack: () => Buffer.alloc(0),
  unpack: () => Buffer.alloc(0),
} as unknown as Vault;
const contents = await openContents(join(dir, 'contents'));
const artifacts = createArtifacts({
  store,
  clock: systemClock,
  limits: defaultLimits,
  contents,
  vault: noVault,
  quota: createStorageQuota({ store, limits: defaultLimits }),
});
const app = fastify();
const files = {
  assignment: async () => ({ accountId: id, uploadId: null }),
  storeArtifact: artifacts.store,
  storeArtifacts: artifacts.storeMany,
} as unknown as LinkFiles;
const hosts = { authenticate: async () => ({ hostId: 'h' }) } as unknown as Parameters<
  typeof registerLinkHttp
>[1]['hosts'];
const audit = { append: async () => {}, failed: () => {} };
const rateLimits = createRateLimits(systemClock, defaultLimits.rate_limit_callers, null);
const enrolment = { siteUrl: '', clock: systemClock, rateLimits, audit, clientIp: () => '127.0.0.1' };
await registerLinkHttp(app, { ...enrolment, hosts, files, limits: defaultLimits, log });
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as AddressInfo;

const upload = createArtifactUpload({
  address: () => ({ siteUrl: `http://127.0.0.1:${port}`, credential: 'x' }),
  clock: systemClock,
  limits: () => defaultLinkLimits,
  log,
});

/** Artifacts per second of collecting, and of sending in batches of at most `together`. */
async function round(n: number, together: number): Promise<{ collected: number; sent: number }> {
  const from = join(dir, `left-${n}`);
  const to = join(dir, `kept-${n}`);
  mkdirSync(from);
  for (let i = 0; i < count; i++) writeFileSync(join(from, `f${i}`), randomBytes(size));
  const started = performance.now();
  const { artifacts: collected } = await collectArtifacts({
    from,
    to,
    limits: { max_files: count, max_bytes: 1e9, max_bundle_entries: 1 },
    maskText: (text) => text,
    scanFile: async () => [],
    scanBytes: () => [],
    signal: new AbortController().signal,
  });
  const sending = performance.now();
  const ref = { build_id: `rb_${n}`, attempt: 1 };
  const indices = new Map(collected.map((artifact, i) => [artifact, join(to, String(i))]));
  const limits = { ...defaultLinkLimits, artifactBatchFiles: together };
  for (const batch of artifactBatches(collected, limits)) {
    const group = batch.map((artifact) => ({ artifact, file: indices.get(artifact) ?? '' }));
    const outcome = await upload(ref, group, { since: null }, new AbortController().signal);
    if (outcome.kind !== 'sent' || outcome.failed.length > 0) throw new Error('not all of them were stored');
  }
  const rate = (ms: number) => (count / ms) * 1000;
  return { collected: rate(sending - started), sent: rate(performance.now() - sending) };
}

const results: { alone: number; together: number; collected: number }[] = [];
for (let n = 0; n < rounds; n++) {
  const { sent: alone } = await round(2 * n + 1, 1);
  const { sent: together, collected } = await round(2 * n + 2, defaultLinkLimits.artifactBatchFiles);
  results.push({ alone, together, collected });
}
await app.close();
await store.close();
rmSync(dir, { recursive: true });
const of = (name: keyof (typeof results)[number]) => median(results.map((result) => result[name]));
print('artifacts: 2,000 of 2 KB, durable', [
  { name: 'one PUT each', value: of('alone'), unit: '/s', ratio: 1 },
  { name: 'sent together', value: of('together'), unit: '/s', ratio: ratio(of('together'), of('alone')) },
  { name: 'collected on the host', value: of('collected'), unit: '/s', ratio: null },
]);
