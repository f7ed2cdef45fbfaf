// Lists of builds: the pages of any filter contain the matching builds, newest first, whichever index is used.
import fc from 'fast-check';
import t from 'tap';
import { columnsOf } from '../harness/columns.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { cases } from '../harness/soak.js';
import { submit } from '../harness/submitting.js';

interface Row {
  readonly id: string;
  readonly status: string;
  readonly repo: string | null;
  readonly repoUrl: string | null;
  readonly pr: number | null;
  readonly rental: string | null;
  readonly pinned: string | null;
  readonly script: string;
  readonly project: string | null;
  readonly createdAt: number;
  readonly seq: number;
}

const STATUSES = ['queued', 'running', 'succeeded', 'failed', 'expired', 'cancelled'];
/** More builds than fit into one slice. */
const BUILDS = 1_300;

/** Copies one build with different values in the filtered columns; some have the same millisecond. */
async function fill(h: Harness): Promise<Row[]> {
  const { id } = await submit(h, { queue_until_rental: true });
  const columns = await columnsOf(h.store, 'builds');
  const changed = [
    'build_id',
    'seq',
    'status',
    'repo',
    'repo_url',
    'pr',
    'rental_id',
    'pinned_rental_id',
    'script_id',
    'created_at',
    'ended_at',
    'project',
  ];
  const same = columns.filter((name) => !changed.includes(name)).map((name) => `"${name}"`);
  await h.store.run(`INSERT INTO tiers (tier, name, price_won, spec, xcode_versions, runtimes, tools, sales_open, max_days,
    created_at) VALUES ('m9', 'm9', 1, '{}', '[]', '[]', '[]', 1, 30, 0)`);
  await h.store.run(`INSERT INTO hosts (host_id, name, credential_hash, status, created_at)
    VALUES ('host_9', 'h', 'x9', 'active', 0)`);
  for (const mac of ['rt_1', 'rt_2']) {
    await h.store.run(
      `INSERT INTO slots (slot_id, host_id, tier, position, created_at) VALUES (:mac, 'host_9', 'm9', :n, 0)`,
      { mac, n: Number(mac.slice(3)) },
    );
    await h.store.run(
      `INSERT INTO macs (rental_id, account_id, slot_id, tier, runtimes, tools, state, usable_until, created_at)
       VALUES (:mac, :account, :mac, 'm9', '[]', '[]', 'ended', 0, 0)`,
      { mac, account: h.org.id },
    );
  }
  const pick = <T>(values: readonly T[], n: number): T => values[n % values.length] as T;
  const rows: Row[] = [];
  await submit(h, { queue_until_rental: true, script: 'swift test' });
  await h.store.transaction(async (tx) => {
    for (let n = 0; n < BUILDS; n++) {
      const pinned = pick([null, null, 'rt_1', 'rt_2'], n * 7);
      const row = {
        id: `rb_copy${n}`,
        status: pick(STATUSES, n * n + (n >> 3)),
        repo: n % 5 < 3 ? pick(['owner/a', 'owner/b'], n >> 2) : null,
        repoUrl: n % 5 === 3 ? 'https://github.com/owner/a' : null,
        pr: pick([null, 1, 2], n >> 1),
        pinned,
        rental: pinned ?? pick([null, 'rt_1'], n >> 4),
        script: pick(['make', 'swift test'], n >> 3),
        project: pick([null, 'Shop-iOS'], n >> 2),
        createdAt: 1_000 + (n >> 1),
        seq: 1_000 + n,
      };
      rows.push(row);
      await tx.run(
        `INSERT INTO builds (${changed}, ${same})
         SELECT :id, :seq, :status, :repo, :repoUrl, :pr, :rental, :pinned, (SELECT script_id FROM scripts WHERE script = :script), :createdAt, :endedAt, :project, ${same}
         FROM builds WHERE build_id = :copied`,
        { ...row, copied: id, endedAt: ['queued', 'running'].includes(row.status) ? null : 5_000 },
      );
    }
    await tx.run(`DELETE FROM events WHERE subject_id NOT LIKE 'rb_copy%'`);
    await tx.run(`DELETE FROM builds WHERE build_id NOT LIKE 'rb_copy%'`);
  });
  return rows.sort((a, b) => b.seq - a.seq);
}

t.test('the pages of any filter contain every match once, newest first', async (t) => {
  const h = await startHarness(t, { limits: { list_builds_examined: 1 } });
  const rows = await fill(h);
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const filters = fc.record({
    status: maybe(fc.constantFrom(...STATUSES, 'active')),
    repo: maybe(fc.constantFrom('owner/a', 'owner/b', 'https://github.com/owner/a', 'owner/none')),
    pr: maybe(fc.constantFrom(1, 2, 3)),
    rental_id: maybe(fc.constantFrom('rt_1', 'rt_2', 'rt_none')),
    from: maybe(fc.integer({ min: 990, max: 1_660 })),
    to: maybe(fc.integer({ min: 990, max: 1_660 })),
    q: maybe(fc.constantFrom('SWIFT', 'owner/b', 'copy17', 'shop-ios', 'nothing')),
    limit: fc.integer({ min: 20, max: 200 }),
  });
  await fc.assert(
    fc.asyncProperty(filters, async ({ limit, ...filter }) => {
      const matches = rows.filter((row) => matchesFilter(row, filter)).map(({ id }) => id);
      const given = Object.entries(filter).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as [string, string]],
      );
      const found: string[] = [];
      for (let before: string | null = null; ; ) {
        const query = new URLSearchParams([...given, ['limit', String(limit)]]);
        if (before !== null) query.set('before', before);
        const page = (await h.call('GET', `/builds?${query}`)).json();
        found.push(...page.builds.map((build: { id: string }) => build.id));
        before = page.next_before;
        if (before === null) break;
      }
      if (JSON.stringify(found) !== JSON.stringify(matches)) {
        throw new Error(`found ${found.length} of ${matches.length}`);
      }
    }),
    { numRuns: cases(20) },
  );
  t.pass();
});

interface Filter {
  readonly status?: string | undefined;
  readonly repo?: string | undefined;
  readonly pr?: number | undefined;
  readonly rental_id?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly q?: string | undefined;
}

function matchesFilter(row: Row, { status, repo, pr, rental_id, from, to, q }: Filter): boolean {
  const statuses = status === 'active' ? ['queued', 'running'] : [status];
  const texts = [row.repo, row.repoUrl, row.project, row.script, row.id].map((text) => (text ?? '').toLowerCase());
  return (
    (status === undefined || statuses.includes(row.status)) &&
    (repo === undefined || row.repo === repo || row.repoUrl === repo) &&
    (pr === undefined || row.pr === pr) &&
    (rental_id === undefined || row.rental === rental_id || row.pinned === rental_id) &&
    (from === undefined || row.createdAt >= from) &&
    (to === undefined || row.createdAt < to) &&
    (q === undefined || texts.some((text) => text.includes(q.toLowerCase())))
  );
}
