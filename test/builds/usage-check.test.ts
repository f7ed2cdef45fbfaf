// The check corrects a ledger that differs from the rows, and logs the correction.
import { Readable } from 'node:stream';
import t from 'tap';
import { checkUsage } from '../../control-plane/builds/app/usage-check.js';
import { addUsage } from '../../control-plane/platform/store/account-usage.js';
import { systemClock } from '../../shared/clock.js';
import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';
import { ledgerAndRecount } from '../harness/recount.js';
import { submit } from '../harness/submitting.js';
import { manifestOf, record, sha256, uploader } from '../harness/upload-bodies.js';

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
