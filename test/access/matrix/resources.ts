// One resource of each kind in an account, created through the API by its owner.

import { Readable } from 'node:stream';
import type { Test } from 'tap';
import { notify } from '../../../control-plane/access/app/notices.js';
import { insertPasskey } from '../../../control-plane/access/store/passkeys.js';
import { newId } from '../../../control-plane/platform/domain/ids.js';
import { startBuildHost } from '../../harness/build-host.js';
import { tablesOf } from '../../harness/columns.js';
import { type Harness, PASSWORD } from '../../harness/harness.js';
import { sha256 } from '../../harness/sha256.js';
import { someNotice } from '../../harness/some-notice.js';
import { manifestOf, record, uploader } from '../../harness/upload-bodies.js';
import type { Ids } from './requests.js';

export interface Owner {
  readonly accountId: number;
  readonly orgId: string;
  /** A key with every level. */
  readonly key: string;
  /** Session of an owner of the organization. */
  readonly cookie: string;
}

/** @param webhookUrl a receiver that answers 200 */
export async function makeResources(t: Test, h: Harness, owner: Owner, webhookUrl: string): Promise<Ids> {
  const { key, accountId } = owner;
  const made = async (answer: Promise<{ statusCode: number; body: string }>) => {
    const { statusCode, body } = await answer;
    t.ok(statusCode < 300, body);
    return JSON.parse(body);
  };
  const post = (path: string, body: object) => made(h.call('POST', path, { key, body }));
  const asOwner = (path: string, body: object) =>
    made(
      h.callConsole('POST', `/v1/organizations/${owner.orgId}${path}`, {
        key: null,
        headers: { cookie: owner.cookie },
        body,
      }),
    );
  const host = await startBuildHost(h, { macs: 1, hours: 48, accountId });
  const rental = host.rentals[0] ?? '';
  const { id: waitlist } = await post('/waitlist', { tier: 'm4' });
  const start = new Date(h.clock.now() + 72 * 3_600_000).toISOString();
  const { order_no: order } = await post('/orders', { tier: 'm4', hours: 24, start });
  const { job_id: job } = await post(`/rentals/${rental}/reset`, { keep_cache: true });
  await host.mac(rental, 'ready');
  const { id: webhook } = await post('/webhooks', { url: webhookUrl, events: ['build.queued'] });
  const secret = `TOKEN_${accountId}`;
  await made(h.call('PUT', `/secrets/${secret}`, { key, body: { value: 'hunter2' } }));
  const { announce, sendBlobs } = uploader(h);
  const { id: upload } = await made(announce(manifestOf({ a: 'x' }), { key }));
  await made(sendBlobs(upload, [record('x')], { key }));
  const { id: build } = await post('/builds', { upload_id: upload, script: 'make' });
  await h.workers.idle();
  await host.start();
  await host.output(build, 'hello\n');
  const artifact = { buildId: build, attempt: 1, name: 'a.txt', bytes: 1, sha256: sha256('x') };
  await h.artifacts.store(artifact, Readable.from([Buffer.from('x')]));
  await h.store.transaction((tx) =>
    notify(tx, { clock: h.clock, wake: h.wake, mail: false }, { accountId, ...someNotice() }),
  );
  const noticePath = `/v1/organizations/${owner.orgId}/notices`;
  const notices = await made(h.callConsole('GET', noticePath, { key: null, headers: { cookie: owner.cookie } }));
  const files = await made(h.callConsole('GET', '/v1/files?kind=artifact', { key }));
  const { deliveries } = await made(h.call('GET', `/webhooks/${webhook}/deliveries`, { key }));
  const asked = { key: null, headers: { cookie: owner.cookie } };
  const { user } = await made(h.callConsole('GET', '/v1/session', asked));
  const credentials = { email: user.email, password: PASSWORD };
  await made(h.callConsole('POST', '/v1/session', { key: null, body: credentials }));
  const sessions: { data: { id: string; current: boolean }[] } = await made(
    h.callConsole('GET', '/v1/sessions', asked),
  );
  const passkey = await h.store.transaction((tx) =>
    insertPasskey(tx, {
      passkeyId: newId('pk'),
      userId: user.id,
      name: 'Laptop',
      credentialId: `credential-${accountId}`,
      publicKey: Buffer.alloc(1),
      counter: 0,
      transports: [],
      backedUp: false,
      createdAt: h.clock.now(),
    }),
  );
  const membership = { accountId, role: 'developer' } as const;
  const colleague = { email: `colleague-${accountId}@example.com`, password: PASSWORD, membership };
  return {
    member: (await h.users.create(colleague)).userId,
    invite: (await asOwner('/invites', { email: `guest-${accountId}@example.com`, role: 'admin' })).id,
    session: sessions.data.find(({ current }) => !current)?.id ?? '',
    passkey: passkey.passkeyId,
    order,
    rental,
    job,
    waitlist,
    webhook,
    upload,
    build,
    delivery: deliveries[0].id,
    secret,
    key: (await asOwner('/api-keys', { name: 'spare', levels: ['read'] })).id,
    workspace: (await asOwner('/workspaces', { name: 'spare' })).id,
    topUp: (await asOwner('/topups', { usd: 10 })).order_id,
    artifact: files.data[0].id,
    notice: notices.data[0].id,
  };
}

/** Returns identifiers of the same form for which nothing exists. */
export function missingIds(ids: Ids): Ids {
  const entries = Object.entries(ids).map(([kind, id]) => [
    kind,
    kind === 'secret' ? 'MISSING' : `${id.slice(0, -4)}${id.endsWith('0000') ? '1111' : '0000'}`,
  ]);
  return Object.fromEntries(entries) as Ids;
}

/** Tables that a refused request may change, because refusals are logged. */
const notes = new Set(['audit_log', 'api_errors']);

/** Returns the whole database as text, without times of last use. */
export async function dump({ store }: Pick<Harness, 'store'>): Promise<string> {
  const kept = (await tablesOf(store)).filter((name) => !notes.has(name));
  const rows = await Promise.all(kept.map((name) => store.all<object>(`SELECT * FROM ${name}`)));
  return rows
    .flatMap((all, at) =>
      all.map((row) =>
        // Refusals that are logged count as records.
        JSON.stringify([kept[at], { ...row, last_used_at: null, seen_at: null, records_bytes: null }]),
      ),
    )
    .sort()
    .join('\n');
}
