// The check corrects a ledger that differs from the rows, and logs the correction.
import { Readable } from 'node:stream';
import t from 'tap';
import { checkRecords, checkUsage } from '../../control-plane/builds/app/usage-check.js';
import { addUsage } from '../../control-plane/platform/store/account-usage.js';
import { systemClock } from '../../shared/clock.js';
import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';
import { ledgerAndRecount, recordsAndRecount } from '../harness/recount.js';
import { sha256 } from '../harness/sha256.js';
import { submit } from '../harness/submitting.js';
import { manifestOf, record, uploader } from '../harness/upload-bodies.js';

t.test('a wrong ledger is corrected and logged', async (t) => {
  const lines: string[] = [];
  const h = await startHarness(t, { log: (line) => lines.push(line) });
  const host = await startBuildHost(h, { macs: 1 });
  const { announce, sendBlobs } = uploader(h);
  // More rows than one page.
  const files = Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`f${i}`, `content ${i}`]));
  const { id: upload } = (await announce(manifestOf(files))).json();
  await sendBlobs(
    upload,
    Object.values(files).map((content) => record(content)),
  );
  const { id } = await submit(h);
  await host.start();
  await host.output(id, 'hello\n');
  const artifact = { buildId: id, attempt: 1, name: 'a', bytes: 5, sha256: sha256('aaaaa') };
  await h.artifacts.store(artifact, Readable.from([Buffer.from('aaaaa')]));
  await host.finish(id);
  const { ledger: right, recount } = await ledgerAndRecount(h.store, h.org.id);
  t.same(right, recount);
  t.match(right, { artifactsBytes: 5, logsBytes: 6 });

  const check = h.workers.named('usage-check');
  const told = () => lines.filter((line) => line.includes('corrected the storage ledger'));
  await check.run(new Set());
  t.same(told(), [], 'nothing to correct');
  await h.store.run(
    `UPDATE account_usage SET contents_bytes = contents_bytes + 1, artifacts_bytes = 0, logs_bytes = -7
     WHERE account_id = :id`,
    { id: h.org.id },
  );
  await h.store.run('DELETE FROM account_usage WHERE account_id <> :id', { id: h.org.id });
  await check.run(new Set());
  t.same((await ledgerAndRecount(h.store, h.org.id)).ledger, right);
  t.equal(told().length, 1);
  t.match(JSON.parse(told()[0] ?? ''), { account_id: h.org.id, ledger: { logsBytes: -7 }, counted: right });
});

t.test('an account that changes during the count is skipped', async (t) => {
  const h = await startHarness(t);
  const { id } = h.org;
  await h.store.transaction((tx) => addUsage(tx, id, 'logsBytes', 10));
  const all: typeof h.store.all = async (sql, params) => {
    const rows = await h.store.all(sql, params);
    if (sql.includes('FROM builds')) {
      await h.store.transaction((tx) => addUsage(tx, id, 'logsBytes', 1));
      await h.store.transaction((tx) => addUsage(tx, id, 'logsBytes', -1));
    }
    return rows as never;
  };
  const log = { warn: t.fail } as never;
  t.equal(await checkUsage({ store: { ...h.store, all }, realClock: systemClock, log }), 0);
  t.equal((await ledgerAndRecount(h.store, id)).ledger.logsBytes, 10);
  const quiet = { warn: () => {} } as never;
  t.equal(await checkUsage({ store: h.store, realClock: systemClock, log: quiet }), 1);
  t.equal((await ledgerAndRecount(h.store, id)).ledger.logsBytes, 0);
});

t.test('records of an older database are counted while others write, and a wrong ledger is corrected', async (t) => {
  const lines: { level: string; msg: string; [more: string]: unknown }[] = [];
  const note = (level: string) => (fields: object, msg: string) => void lines.push({ level, msg, ...fields });
  const log = { info: note('info'), warn: note('warn') } as never;
  const h = await startHarness(t);
  await startBuildHost(h, { macs: 1 });
  // More rows than one page.
  await h.store.transaction(async (tx) => {
    for (let n = 0; n < 1_200; n++) {
      await tx.run(
        `INSERT INTO notices (notice_id, account_id, kind, code, params, created_at) VALUES (:id, :account, 'k', 'stored', '{"en":"é"}', 0)`,
        { id: `n_${n}`, account: h.org.id },
      );
    }
  });
  await h.workers.idle();
  const { ledger: right, recount } = await recordsAndRecount(h.store, h.org.id);
  t.equal(right, recount);

  // As an upgrade leaves it.
  await h.store.run('UPDATE account_usage SET records_bytes = 0');
  await h.store.run(`UPDATE meta SET value = 'yes' WHERE name = 'records_uncounted'`);
  let pages = 0;
  const snapshot: typeof h.store.snapshot = (fn) =>
    h.store.snapshot((q) =>
      fn({
        ...q,
        async all(sql, params) {
          const rows = await q.all(sql, params);
          // What is written and deleted meanwhile, of pages that are counted already and of others.
          await submit(h);
          await h.store.run(`DELETE FROM notices WHERE notice_id IN ('n_${++pages}', 'n_${1_200 - pages}')`);
          return rows as never;
        },
      }),
    );
  const busy = { store: { ...h.store, snapshot }, realClock: systemClock, log };
  t.ok((await checkRecords(busy)) >= 2);
  const after = await recordsAndRecount(h.store, h.org.id);
  t.equal(after.ledger, after.recount);
  t.ok(pages > 25 && after.ledger !== right);
  t.match(lines, [{ level: 'info', msg: 'counted the records of all accounts' }], 'an upgrade is no warning');

  const calm = { store: h.store, realClock: systemClock, log };
  t.equal(await checkRecords(calm), 0);
  await h.store.run('UPDATE account_usage SET records_bytes = records_bytes + 5 WHERE account_id = :id', {
    id: h.org.id,
  });
  t.equal(await checkRecords(calm), 1);
  t.match(lines.at(-1), {
    level: 'warn',
    account_id: h.org.id,
    counted: after.recount,
    ledger: after.recount + 5,
  });
  const last = await recordsAndRecount(h.store, h.org.id);
  t.equal(last.ledger, last.recount);
});
