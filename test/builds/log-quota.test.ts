// How logs count in the account's ledger, and how large a log may become when little space is left.
// Runs in: soak
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { LEAST_LOG_BYTES, logBudget, logWindowOf, longestLog } from '../../control-plane/builds/domain/log-budget.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import type { Harness } from '../harness/harness.js';
import { ledgerAndRecount } from '../harness/recount.js';
import { show, submit, withMacs } from '../harness/submitting.js';

const KIB = 1024;

async function counted(h: Harness): Promise<number> {
  const { ledger, recount } = await ledgerAndRecount(h.store, h.org.id);
  if (JSON.stringify(ledger) !== JSON.stringify(recount)) throw new Error(JSON.stringify({ ledger, recount }));
  return ledger.logsBytes;
}

t.test('head and tail of a log fit into the remaining space, and every build keeps a minimum', async (t) => {
  t.same(logWindowOf({ logLimit: null, logBase: 0 }, defaultLimits), {
    head_bytes: defaultLimits.log_bytes - defaultLimits.log_tail_bytes,
    tail_bytes: defaultLimits.log_tail_bytes,
  });
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), fc.nat(2 ** 27), (left, logBase) => {
      const logLimit = logBudget(left, defaultLimits);
      const { head_bytes: head, tail_bytes: tail } = logWindowOf({ logLimit, logBase }, defaultLimits);
      const fits = logBase + head + tail <= Math.max(logLimit, logBase + tail);
      return (
        fits &&
        logLimit <= Math.max(left, LEAST_LOG_BYTES) &&
        logLimit <= defaultLimits.log_bytes &&
        tail >= LEAST_LOG_BYTES / 4 &&
        head >= 0
      );
    }),
  );
});

t.test('the log of a build counts once it has ended', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  await host.start();
  await host.output(id, 'x'.repeat(1000));
  t.equal(await counted(h), 0);
  await host.finish(id);
  t.equal(await counted(h), 1000);

  const { id: canceled } = await submit(h);
  await host.start();
  await host.output(canceled, 'y'.repeat(500));
  await h.call('POST', `/builds/${canceled}/cancel`);
  await host.finish(canceled, { outcome: 'stopped', stop_reason: 'cancelled_by_user', exit_code: null });
  t.equal(await counted(h), 1500);
  const { id: busy } = await submit(h);
  const { id: waiting } = await submit(h);
  await h.call('POST', `/builds/${waiting}/cancel`);
  await h.workers.idle();
  t.equal(await counted(h), 1500, 'a build that never started has no log');
  t.same(await h.store.all('SELECT build_id AS id FROM builds WHERE log_bytes IS NULL'), [{ id: busy }]);
});

t.test('running builds share the remaining space; their logs get shorter, and the build reports it', async (t) => {
  const { h, host } = await withMacs(t, 3, {
    limits: { account_logs_bytes: 100 * KIB, log_bytes: 64 * KIB, log_tail_bytes: 8 * KIB },
  });
  const ids = [];
  for (let i = 0; i < 3; i++) ids.push((await submit(h)).id);
  const windows = (await host.desired()).map(({ spec }) => spec?.log);
  t.same(windows, [
    { head_bytes: 56 * KIB, tail_bytes: 8 * KIB },
    { head_bytes: 28 * KIB, tail_bytes: 8 * KIB },
    { head_bytes: 12 * KIB, tail_bytes: 4 * KIB },
  ]);
  t.same(
    (await host.desired()).map(({ spec }) => spec?.log),
    windows,
    'a repeated request of the host gets the same limits',
  );
  await host.start();
  const [first = '', second = '', third = ''] = ids;
  await host.output(first, 'x'.repeat(1000));
  await host.finish(first);
  t.same((await show(h, first)).warnings, []);
  await host.output(second, 'x'.repeat(36 * KIB));
  const log = { bytes: 36 * KIB, omitted_bytes: 7, possibly_truncated: false };
  const sha256 = createHash('sha256')
    .update('x'.repeat(36 * KIB))
    .digest('hex');
  await host.finish(second, { log: { ...log, sha256 } });
  t.match((await show(h, second)).warnings, [/limited to 36864 bytes, because the account's storage/]);
  t.equal(await counted(h), 1000 + 36 * KIB);

  await h.store.run(`UPDATE organizations SET limits = '{"logs_bytes":0}'`);
  const { id: last } = await submit(h);
  const found = (await host.desired()).find((build) => build.build_id === last);
  t.same(found?.spec?.log, { head_bytes: 12 * KIB, tail_bytes: 4 * KIB }, 'a limit of 0 leaves the minimum');
  await host.finish(third);
});

t.test('output beyond the log limit of the build is not stored', async (t) => {
  const { h, host } = await withMacs(t, 1, { limits: { account_logs_bytes: 0, log_tail_bytes: 4 * KIB } });
  const { id } = await submit(h);
  await host.start();
  const most = longestLog(LEAST_LOG_BYTES, { log_tail_bytes: 4 * KIB });
  await t.rejects(host.output(id, 'x'.repeat(most + 1)), RangeError);
  t.equal((await h.call('GET', `/builds/${id}/log`)).body, '');
});

t.test('output of earlier attempts of a requeued build counts too', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  await host.start();
  await host.output(id, 'before\n');
  await host.finish(id, {
    outcome: 'failed',
    exit_code: null,
    step: 'prepare',
    reason_code: 'workspace_prepare_failed',
    fault: 'platform',
    summary: 'No folder.',
  });
  t.equal((await show(h, id)).status, 'queued');
  t.equal(await counted(h), 0);
  await h.call('POST', `/builds/${id}/cancel`);
  await h.workers.idle();
  const { body } = await h.call('GET', `/builds/${id}/log`);
  t.match(body, /^before\n\[cidermill\]/);
  t.equal(await counted(h), Buffer.byteLength(body));
});
