// Enrollment of hosts, and the bulk endpoints for their credentials.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { createHosts } from '../../control-plane/hosts/app/hosts.js';
import type { LinkFiles } from '../../control-plane/hosts/app/link-ports.js';
import { type HostEvent, type HostStatus, hostTransitions } from '../../control-plane/hosts/domain/host.js';
import { blobRecords } from '../../control-plane/hosts/link/blob-records.js';
import { readArtifactRecords } from '../../control-plane/platform/blobs/artifact-records.js';
import { ApiError } from '../../control-plane/platform/domain/error-catalog.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { createSourceFetcher } from '../../host-agent/runner/source/source-fetcher.js';
import type { SourceManifest } from '../../shared/protocol/index.js';
import { noPackages, onlyProcess, startLinkService } from '../harness/link-service.js';
import { sha256 } from '../harness/sha256.js';
import { until } from '../harness/until.js';
import { enrolFakeHost, startFakeHost } from './fake-host.js';

t.test('a token enrolls one host, even when it is sent twice at once', async (t) => {
  const service = await startLinkService(t);
  const { token, expires_at } = await service.hosts.createEnrolment({ tier: 'local', slots: 3 });
  t.equal(Date.parse(expires_at) - service.clock.now(), 15 * 60_000);
  const attempts = await Promise.allSettled(
    Array.from({ length: 10 }, (_, i) => enrolFakeHost(service.siteUrl, token, `mac-${i}`)),
  );
  const won = attempts.filter((a) => a.status === 'fulfilled');
  t.equal(won.length, 1);
  for (const a of attempts) if (a.status === 'rejected') t.match(a.reason.message, /401.*invalid_enrolment_token/);
  t.equal((await service.hosts.list()).length, 1);
  const host = won[0]?.value;
  t.equal((await service.hosts.slots(host?.host_id ?? '')).length, 3);
  await t.rejects(enrolFakeHost(service.siteUrl, token), /401/, 'nor later');
  const rows = await service.store.all('SELECT * FROM hosts, enrolment_tokens');
  t.notMatch(JSON.stringify(rows), new RegExp(`${host?.credential}|${token}`), 'neither secret is stored');
});

t.test('a token expires after 15 minutes', async (t) => {
  const service = await startLinkService(t);
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1, name: 'mini' });
  await service.clock.advance(15 * 60_000);
  await t.rejects(enrolFakeHost(service.siteUrl, token), /invalid_enrolment_token/);
});

t.test('a host without a tier waits for approval', async (t) => {
  const service = await startLinkService(t);
  const { token } = await service.hosts.createEnrolment({ slots: 2 });
  const { host_id, name } = await enrolFakeHost(service.siteUrl, token, 'studio');
  t.equal(name, 'studio');
  t.match(await service.hosts.get(host_id), { status: 'pending', tier: null });
  await t.rejects(service.hosts.change(host_id, 'approve'), { code: 'host_state' });
  await t.rejects(service.hosts.configure(host_id, { tier: 'nonsense' }), { code: 'invalid_tier' });
  await service.hosts.configure(host_id, { tier: 'local' });
  t.match(await service.hosts.change(host_id, 'approve'), { status: 'active' });
  t.same(
    (await service.hosts.slots(host_id)).map((slot) => [slot.position, slot.tier]),
    [
      [1, 'local'],
      [2, 'local'],
    ],
  );
  t.equal((await service.hosts.ensureSlots(host_id, 4)).length, 4);
  t.equal((await service.hosts.ensureSlots(host_id, 1)).length, 4, 'never taken away');
});

t.test('invalid enrollment requests', async (t) => {
  const service = await startLinkService(t);
  await t.rejects(service.hosts.createEnrolment({ tier: 'nonsense', slots: 1 }), { code: 'invalid_tier' });
  for (const slots of [0, -1, 1.5, 129]) {
    await t.rejects(service.hosts.createEnrolment({ tier: 'local', slots }), { code: 'invalid_request' });
  }
  const post = (body: string, type = 'application/json') =>
    fetch(`${service.siteUrl}/link/v1/enrol`, { method: 'POST', headers: { 'content-type': type }, body });
  for (const body of ['{', '{}', '{"token":7,"hostname":"x"}', '[]']) {
    t.match(await (await post(body)).json(), { error: { code: 'invalid_request', retryable: false } }, body);
  }
  t.equal((await post('x', 'text/x-unknown')).status, 400);
  t.equal((await fetch(`${service.siteUrl}/link/v1/nothing`)).status, 404);
});

t.test('every pair of state and event of a host follows the table', async (t) => {
  const service = await startLinkService(t);
  const { hostId } = await service.enrol();
  for (const [from, row] of Object.entries(hostTransitions)) {
    for (const [event, to] of Object.entries(row)) {
      await service.store.run('UPDATE hosts SET status = :from WHERE host_id = :hostId', { from, hostId });
      const change = service.hosts.change(hostId, event as HostEvent);
      if (to === null) await t.rejects(change, { code: 'host_state' }, `${from} ${event}`);
      else t.equal((await change).status, to satisfies HostStatus, `${from} ${event}`);
      t.equal((await service.hosts.get(hostId)).status, to ?? from);
    }
  }
  await t.rejects(service.hosts.get('host_none'), { code: 'host_not_found' });
});

/** A manifest since which the service knows the changes. */
const KNOWN = sha256('known');

function filesOf(contents: readonly Buffer[]) {
  const byHash = new Map(contents.map((data) => [sha256(data), data]));
  const stored: { artifact: unknown; data: Buffer }[] = [];
  const manifest: SourceManifest = {
    files: contents.map((data, i) => ({
      path: `f${i}`,
      sha256: sha256(data),
      size: data.length,
      mode: 0o644,
    })),
    links: [],
    directories: [],
  };
  const named = new Set(byHash.keys());
  const opened: Readable[] = [];
  let assignedTo: string | null = null;
  const files: LinkFiles = {
    assignment: async (hostId, buildId, attempt) =>
      hostId === assignedTo && buildId === 'rb_1' && attempt === 2 ? { accountId: 1, uploadId: 'up_1' } : null,
    openManifest: async (_upload, _account, since) => {
      const changes = { since, files: manifest.files.slice(0, 1) };
      const json = Buffer.from(JSON.stringify(since === KNOWN ? changes : manifest));
      return { size: json.length, stream: Readable.from([json]) };
    },
    contentsOf: async () => named,
    async openBlob(_account, hash) {
      const data = byHash.get(hash);
      if (!data) throw new Error('the blob is gone');
      const stream = Readable.from([data]);
      opened.push(stream);
      return { size: data.length, stream };
    },
    async storeArtifact(artifact, stream) {
      const data = await buffer(stream);
      if (sha256(data) !== artifact.sha256) throw new ApiError('invalid_artifact');
      stored.push({ artifact, data });
    },
    async storeArtifacts(ref, body) {
      const refused: { name: string; code: string }[] = [];
      for await (const record of readArtifactRecords(body)) {
        const { name, sha256: hash, bytes } = record;
        const data = await buffer(Readable.from(record.body));
        if (sha256(data) !== hash) refused.push({ name, code: 'invalid_artifact' });
        else stored.push({ artifact: { ...ref, name, bytes, sha256: hash }, data });
      }
      return refused;
    },
  };
  return {
    files,
    manifest,
    stored,
    opened,
    byHash,
    assign: (hostId: string) => {
      assignedTo = hostId;
    },
  };
}

t.test('sources and artifacts are served only for the attempt that runs on the requesting host', async (t) => {
  const contents = [Buffer.alloc(0), Buffer.from('hello\n'), randomBytes(3_000_000)];
  const world = filesOf(contents);
  const service = await startLinkService(t, { files: world.files });
  const { hostId, credential } = await service.enrol();
  const other = await service.enrol();
  const ask = (path: string, init: RequestInit & { as?: string } = {}) =>
    fetch(`${service.siteUrl}/link/v1/builds/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${init.as ?? credential}`, ...init.headers },
    });
  const json = { 'content-type': 'application/json' };

  t.equal((await ask('rb_1/2/manifest')).status, 404, 'not assigned yet');
  world.assign(hostId);
  t.equal((await ask('rb_1/2/manifest', { as: other.credential })).status, 404, 'to another host');
  t.equal((await ask('rb_1/1/manifest')).status, 404, 'another attempt');
  t.equal((await ask('rb_1/x/manifest')).status, 400);
  t.equal((await ask('rb_1/2/manifest', { as: 'cmh_wrong' })).status, 401);
  t.same(await (await ask('rb_1/2/manifest')).json(), world.manifest);

  const hashes = contents.map(sha256);
  const got = await ask('rb_1/2/blobs', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ sha256: hashes }),
  });
  const expected = contents.flatMap((data) => [Buffer.from(`${sha256(data)} ${data.length}\n`), data]);
  t.ok(Buffer.from(await got.arrayBuffer()).equals(Buffer.concat(expected)));
  for (const body of [{ sha256: [] }, { sha256: ['nope'] }, {}]) {
    t.equal((await ask('rb_1/2/blobs', { method: 'POST', headers: json, body: JSON.stringify(body) })).status, 400);
  }
  const foreign = JSON.stringify({ sha256: [sha256('not in the manifest')] });
  t.equal((await ask('rb_1/2/blobs', { method: 'POST', headers: json, body: foreign })).status, 404);

  const put = (data: Buffer, hash = sha256(data), as = credential) =>
    ask('rb_1/2/artifacts?name=out%2Fapp.zip', {
      method: 'PUT',
      as,
      headers: { 'content-type': 'application/octet-stream', 'x-sha256': hash },
      body: data,
    });
  const big = randomBytes(5_000_000);
  t.equal((await put(big)).status, 204);
  t.equal((await put(Buffer.alloc(0))).status, 204);
  t.equal((await put(big, sha256('else'))).status, 400);
  t.equal((await put(big, 'short')).status, 400);
  t.equal((await put(big, sha256(big), other.credential)).status, 404);
  t.match(world.stored, [
    {
      artifact: {
        buildId: 'rb_1',
        attempt: 2,
        name: 'out/app.zip',
        bytes: big.length,
        sha256: sha256(big),
      },
      data: big,
    },
    { artifact: { bytes: 0 } },
  ]);

  world.stored.length = 0;
  const record = (name: string, data: string, hash = sha256(data)) =>
    `${hash} ${Buffer.byteLength(data)} ${encodeURIComponent(name)}\n${data}`;
  const post = (body: string, as = credential) =>
    ask('rb_1/2/artifacts', {
      method: 'POST',
      as,
      headers: { 'content-type': 'application/octet-stream' },
      body,
    });
  const many = await post(`${record('a b/ü.txt', 'one')}${record('bad', 'x', sha256('y'))}${record('c', '')}`);
  t.same(await many.json(), { refused: [{ name: 'bad', code: 'invalid_artifact' }] });
  t.match(world.stored, [
    { artifact: { buildId: 'rb_1', attempt: 2, name: 'a b/ü.txt', bytes: 3 } },
    { artifact: { name: 'c', bytes: 0 } },
  ]);
  t.same(await (await post('')).json(), { refused: [] });
  t.equal((await post(record('a', 'one'), other.credential)).status, 404);
  for (const body of ['x', `${sha256('a')} 1 \na`, `${sha256('a')} 1 %ff\na`, `${sha256('a')} 5 a\na`]) {
    const answer = await post(body);
    t.equal(answer.status, 400, body.slice(60));
    t.match(await answer.json(), { error: { code: 'invalid_artifact', retryable: false } });
  }
});

t.test('a blob that disappears during a response aborts the response', async (t) => {
  const others = Array.from({ length: 30 }, (_, i) => Buffer.from(`content ${i}`));
  const world = filesOf([randomBytes(2_000_000), Buffer.from('second'), ...others]);
  const service = await startLinkService(t, { files: world.files });
  const { hostId, credential } = await service.enrol();
  world.assign(hostId);
  const hashes = world.manifest.files.map((file) => file.sha256);
  world.byHash.delete(hashes[1] ?? '');
  const response = await fetch(`${service.siteUrl}/link/v1/builds/rb_1/2/blobs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sha256: hashes }),
  });
  await t.rejects(response.arrayBuffer());
  t.ok(world.opened.length < 10, 'not everything is opened at once');
  for (const stream of world.opened) if (!stream.destroyed) await once(stream, 'close');
  t.pass('what had been opened before its turn is closed');
});

t.test('a lost content is named in the response', async (t) => {
  const world = filesOf([Buffer.from('first'), Buffer.from('second'), Buffer.from('third')]);
  const hashes = world.manifest.files.map((file) => file.sha256);
  const lost = new Map<string | undefined, Error>([
    [hashes[0], new ApiError('not_found')],
    [hashes[2], Object.assign(new Error('open'), { code: 'ENOENT' })],
  ]);
  const openBlob: LinkFiles['openBlob'] = async (account, hash) => {
    const error = lost.get(hash);
    if (error) throw error;
    return world.files.openBlob(account, hash);
  };
  t.equal(
    (await buffer(Readable.from(blobRecords({ openBlob }, 1, hashes)))).toString(),
    `${hashes[0]} gone\n${hashes[1]} 6\nsecond${hashes[2]} gone\n`,
  );
});

t.test('contents are sent in the requested order, however long opening one takes', async (t) => {
  const contents = Array.from({ length: 40 }, (_, i) => Buffer.from(`content ${i}`));
  const world = filesOf(contents);
  const slow: LinkFiles['openBlob'] = async (account, hash) => {
    for (let turns = Number.parseInt(hash.slice(0, 1), 16); turns > 0; turns--)
      await new Promise((resolve) => setImmediate(resolve));
    return world.files.openBlob(account, hash);
  };
  const records = blobRecords({ openBlob: slow }, 1, contents.map(sha256));
  const expected = contents.map((data) => `${sha256(data)} ${data.length}\n${data}`).join('');
  t.equal((await buffer(Readable.from(records))).toString(), expected);
  t.same(await buffer(Readable.from(blobRecords(world.files, 1, []))), Buffer.alloc(0));
});

t.test('the source step uses the same endpoints, and knows when a retry cannot help', async (t) => {
  const contents = [Buffer.from('one'), randomBytes(500_000)];
  const world = filesOf(contents);
  const service = await startLinkService(t, { files: world.files });
  const { hostId, credential } = await service.enrol();
  const { siteUrl } = service;
  const ref = { build_id: 'rb_1', attempt: 2 };
  const fetcher = createSourceFetcher({ siteUrl, credential }, ref);
  const failure = (asked: Promise<unknown>) =>
    asked.then(
      () => null,
      (error: unknown) => error,
    );
  const { signal } = new AbortController();
  const final = { step: 'source', reasonCode: 'source_unavailable', fault: 'platform' };
  t.match(await failure(fetcher.manifest(signal)), final, 'not on this host');
  world.assign(hostId);
  t.same(await fetcher.manifest(signal), world.manifest);
  t.same(await fetcher.manifestSince(signal, KNOWN), { since: KNOWN, files: world.manifest.files.slice(0, 1) });
  t.same(await fetcher.manifestSince(signal, sha256('other')), world.manifest);
  t.same(await fetcher.manifestSince(signal, 'no hash'), world.manifest, 'the whole one is right for every host');
  const hashes = contents.map(sha256);
  const records = await buffer(await fetcher.blobs(hashes, signal));
  t.equal(
    records.length,
    contents.reduce((sum, data) => sum + 64 + 1 + String(data.length).length + 1 + data.length, 0),
  );
  t.match(await failure(fetcher.blobs([sha256('foreign')], signal)), final);
  world.byHash.clear();
  t.match(await failure(fetcher.blobs(hashes, signal)), { status: 500, temporary: true }, 'worth another try');
  await t.rejects(fetcher.manifest(AbortSignal.abort()), { name: 'AbortError' });
  const stranger = createSourceFetcher({ siteUrl, credential: 'cmh_x' }, ref);
  t.match(await failure(stranger.manifest(signal)), final);
  const nowhere = createSourceFetcher({ siteUrl: 'http://127.0.0.1:1', credential }, ref);
  await t.rejects(nowhere.manifest(signal), { code: 'ECONNREFUSED' });
});

t.test('a large manifest is compressed on request', async (t) => {
  const world = filesOf(Array.from({ length: 2000 }, (_, i) => Buffer.from(String(i))));
  const service = await startLinkService(t, { files: world.files });
  const { hostId, credential } = await service.enrol();
  world.assign(hostId);
  for (const encoding of ['gzip', 'identity']) {
    const response = await fetch(`${service.siteUrl}/link/v1/builds/rb_1/2/manifest`, {
      headers: { authorization: `Bearer ${credential}`, 'accept-encoding': encoding },
    });
    t.equal(response.headers.get('content-encoding'), encoding === 'gzip' ? 'gzip' : null);
    t.same(await response.json(), world.manifest);
  }
});

t.test('hosts that stay disconnected too long are lost, and removed ones at once', async (t) => {
  const service = await startLinkService(t);
  const { hosts, store, clock } = service;
  const none = { removed: [], away: [] };
  const { hostId, credential } = await service.enrol();
  t.same(await hosts.lost(), none);
  await store.run(
    "INSERT INTO organizations (id, org_id, name, slug, status, created_at) VALUES (1, 'org_1', 'o', 'o', 'active', 0)",
  );
  await store.run(
    "INSERT INTO workspaces (workspace_id, account_id, name, created_at) VALUES ('ws_1', 1, 'default', 0)",
  );
  await store.run(
    `INSERT INTO builds (build_id, seq, account_id, workspace_id, status, host_id, timeout_min,
       priority, clean_tree, queue_until_rental, attempt, queue_class, created_at)
     VALUES ('rb_1', 1, 1, 'ws_1', 'running', :hostId, 60, 0, 0, 0, 1, 0, 0)`,
    { hostId },
  );
  const host = await startFakeHost({ siteUrl: service.siteUrl, credential });
  await clock.advance(24 * 3_600_000);
  t.same(await hosts.lost(), none, 'a connected host is never lost, whatever the clock says');
  await host.close();
  await until(async () => !(await hosts.get(hostId)).connected, 'its going has been recorded');
  await clock.advance(10 * 60_000 - 1);
  t.same(await hosts.lost(), none);
  await clock.advance(1);
  t.same(await hosts.lost(), { removed: [], away: [hostId] });
  const restarted = createHosts({
    store,
    clock,
    wake: service.wake,
    packages: noPackages,
    processes: onlyProcess,
    limits: defaultLimits,
  });
  t.same(await restarted.lost(), none, 'a service that has just started is patient');
  await host.connect();
  t.same(await hosts.lost(), none);
  await hosts.revoke(hostId);
  t.same(await hosts.lost(), { removed: [hostId], away: [] });
  t.same(await restarted.lost(), { removed: [hostId], away: [] }, 'not with a host that was removed');
});
