// Every worker is idempotent: what it has done, it does not do again.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { AGAIN } from '../../control-plane/platform/workers/worker.js';
import { startSmtpServer } from '../access/smtp-server.js';
import { makeBusy } from '../harness/busy-service.js';
import { contentsOf } from '../harness/contents.js';
import { startHarness } from '../harness/harness.js';
import { DAY, HOUR } from '../harness/renting.js';
import { runs } from '../harness/soak.js';

/** The names of the workers in the sources. */
function namesInSources(): string[] {
  const root = new URL('../../../control-plane/', import.meta.url).pathname;
  const texts = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^[a-z]+\/workers\/[\w-]+\.ts$/.test(path))
    .map((path) => readFileSync(join(root, path), 'utf8'));
  return texts.flatMap((text) => [
    ...[...text.matchAll(/\bname: '([a-z]+(?:-[a-z]+)*)'/g)].map(([, name = '']) => name),
    ...[...text.matchAll(/\bpurge\(deps, '([a-z-]+)'/g)].map(([, what]) => `${what}-purge`),
  ]);
}

t.test('a second run of each worker changes nothing', async (t) => {
  const smtp = await startSmtpServer(t);
  const h = await startHarness(t, { receivers: true, smtpUrl: smtp.url });
  await makeBusy(h);
  const workers = [...h.parts.workers, ...h.parts.realTimeWorkers];
  // The first writes nothing into the database, and there is none without https; the others run with `CIDERMILL_OBJECTS` only.
  const elsewhere = ['site-certificate', 'ended-logs', 'object-gc'];
  const all = namesInSources().filter((name) => !elsewhere.includes(name));
  t.same(workers.map(({ name }) => name).sort(), all.sort(), 'all workers are there');
  t.same((await h.call('GET', '/errors')).json().errors, [], 'all of it was accepted');
  for (const after of [0, 4 * DAY, 40 * DAY, 400 * DAY].slice(0, runs(2, 4))) {
    // The workers do not run in between, so everything that is due then is still open.
    await h.clock.skip(after);
    await h.workers.idle();
    for (const worker of workers) {
      while ((await worker.run(new Set())) === AGAIN);
      await worker.underWay?.();
      await h.workers.idle();
      const before = await contentsOf(h);
      t.not(await worker.run(new Set()), AGAIN, `${worker.name}: nothing is left`);
      await worker.underWay?.();
      await h.workers.idle();
      const now = await contentsOf(h);
      const changed = [...now].filter(([table, rows]) => rows !== before.get(table)).map(([table]) => table);
      t.same(changed, [], `${worker.name} after ${after / HOUR} h`);
    }
  }
});
