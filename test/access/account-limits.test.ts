// Limits that an operator has set for one account hold for it, and not for another.
// Runs in: soak
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { LEAST_LOG_BYTES } from '../../control-plane/builds/domain/log-budget.js';
import { type AccountLimitName, accountLimitNames } from '../../control-plane/platform/domain/account-limits.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { sha256 } from '../harness/sha256.js';
import { submit } from '../harness/submitting.js';
import { manifestOf, uploader } from '../harness/upload-bodies.js';

const HOUR = 3_600_000;

interface Subject {
  readonly h: Harness;
  readonly accountId: number;
  readonly key: string;
}

type Answer = Awaited<ReturnType<Harness['call']>>;

/** What an account gets, as a status or a value of the answer. */
const codeOf = (answer: Answer) => (answer.statusCode < 400 ? 'done' : String(answer.json().error.code));

const upload = async ({ h, key }: Subject) =>
  codeOf(await uploader(h).send('/uploads', gzipSync(JSON.stringify(manifestOf({ a: 'content' }))), { key }));

async function assigned({ h, accountId, key }: Subject) {
  const host = await startBuildHost(h, { macs: 1, accountId });
  const { id } = await submit(h, {}, key);
  return { host, id };
}

async function running(of: Subject) {
  const { host, id } = await assigned(of);
  await host.start();
  return { host, id };
}

/** Deletes what is over an hour after the end of a build, and returns what a request then gets. */
async function afterAnHour(of: Subject, worker: string, path: (id: string) => string): Promise<string> {
  const { h, key } = of;
  const { host, id } = await running(of);
  await host.output(id, 'a line\n');
  await host.finish(id);
  await h.store.run('UPDATE events SET fanned_out = 1');
  await h.clock.advance(HOUR);
  await h.workers.idle();
  while ((await h.workers.named(worker).run(new Set())) === 'again');
  return codeOf(await h.call('GET', path(id), { key }));
}

interface Case {
  /** The limit that the operator sets. */
  readonly value: number;
  /** What an account with this limit gets; others get something else. */
  readonly held: string;
  got(of: Subject): Promise<string>;
}

const cases: Readonly<Record<AccountLimitName, Case>> = {
  contents_bytes: { value: 3, held: 'storage_quota_exceeded', got: upload },
  artifacts_bytes: {
    value: 3,
    held: 'storage_quota_exceeded',
    async got(of) {
      const { id: buildId } = await running(of);
      const content = 'an app';
      const artifact = { buildId, attempt: 1, name: 'a', bytes: content.length, sha256: sha256(content) };
      return of.h.artifacts.store(artifact, Readable.from([Buffer.from(content)])).then(
        () => 'done',
        ({ code }) => code,
      );
    },
  },
  logs_bytes: {
    value: 0,
    held: `${LEAST_LOG_BYTES} bytes`,
    async got(of) {
      const [build] = await (await assigned(of)).host.desired();
      if (!build?.spec) throw new Error('the host has no build');
      const { head_bytes, tail_bytes } = build.spec.log;
      return `${head_bytes + tail_bytes} bytes`;
    },
  },
  records_bytes: {
    value: 1,
    held: 'storage_quota_exceeded',
    got: async ({ h, key }) => codeOf(await h.call('PUT', '/secrets/NAME', { key, body: { value: 'secret value' } })),
  },
  logs_kept_ms: {
    value: HOUR,
    held: 'log_deleted',
    got: (of) => afterAnHour(of, 'log-retention', (id) => `/builds/${id}/log`),
  },
  builds_kept_ms: {
    value: HOUR,
    held: 'build_not_found',
    got: (of) => afterAnHour(of, 'build-retention', (id) => `/builds/${id}`),
  },
  // Long polls are counted before what they wait for is looked up.
  parked_requests: {
    value: 0,
    held: 'rate_limited',
    got: async ({ h, key }) => codeOf(await h.call('GET', '/builds/job_none/wait', { key })),
  },
  concurrent_uploads: { value: 0, held: 'rate_limited', got: upload },
  account_requests_per_minute: {
    value: 2,
    held: '2 requests a minute, then rate_limited',
    async got({ h, key }) {
      const page = await h.call('GET', '/agent/start', { key });
      const [said = ''] = /\d+ requests a minute/.exec(page.body) ?? [];
      await h.call('GET', '/secrets', { key });
      return `${said}, then ${codeOf(await h.call('GET', '/secrets', { key }))}`;
    },
  },
};

for (const name of accountLimitNames) {
  t.test(`${name} of an account`, async (t) => {
    const { value, held, got } = cases[name];
    // Reasons for which a build is kept longer than its account's retention.
    const h = await startHarness(t, { limits: { idempotency_ms: HOUR, upload_used_ms: HOUR } });
    await h.organizations.setLimits(await h.organizations.find(h.org.orgId), { [name]: value }, false);
    t.equal(await got({ h, accountId: h.org.id, key: h.keys.all }), held);
    t.not(await got({ h, accountId: h.other.id, key: h.other.key }), held, 'not of another');
  });
}
