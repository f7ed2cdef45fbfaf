// Two whole services on one database have their limits in common, as they are started.
// Runs in: soak
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import t from 'tap';
import { withService } from '../../../control-plane/admin/service.js';
import { createControlPlane } from '../../../control-plane/index.js';
import { systemClock } from '../../../shared/clock.js';
import { startPostgres } from '../../harness/postgres.js';

const LIMIT = 40;

t.test('two services admit together what one would', async (t) => {
  const cluster = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-two-'));
  t.teardown(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const url = (await cluster.createDatabase()).url.replace('@/', '@localhost/');
  const start = async (name: string) => {
    const service = await createControlPlane({
      env: {
        CIDERMILL_DATA: join(folder, name),
        CIDERMILL_PORT: '0',
        CIDERMILL_DATABASE_URL: url,
        CIDERMILL_OBJECTS: `file://${join(folder, 'objects')}`,
        CIDERMILL_REQUESTS_PER_MINUTE: String(LIMIT),
      },
      log: pino({ level: 'silent' }),
    });
    t.teardown(() => service.stop());
    return service;
  };
  const one = await start('one');
  mkdirSync(join(folder, 'two'), { mode: 0o700 });
  copyFileSync(join(folder, 'one', 'secret.key'), join(folder, 'two', 'secret.key'));
  const two = await start('two');
  process.env.CIDERMILL_DATABASE_URL = url;
  t.teardown(() => void delete process.env.CIDERMILL_DATABASE_URL);
  const key = await withService(join(folder, 'one'), async ({ organizations, apiKeys }) => {
    const { id, workspaceId } = await organizations.create({ name: 'Apple Press' });
    return (await apiKeys.create({ accountId: id, workspaceId, name: 'test', levels: ['read'] })).key;
  });
  const get = async ({ baseUrl }: { baseUrl: string }) => {
    const answer = await fetch(`${baseUrl}/secrets`, { headers: { authorization: `Bearer ${key}` } });
    await answer.text();
    return answer;
  };
  const first = await get(one);
  t.equal(first.status, 200);
  t.match(first.headers.get('ratelimit'), new RegExp(`^"default";r=${LIMIT - 1};t=[12]$`));
  const began = systemClock.monotonic();
  const answers = await Promise.all(Array.from({ length: 2 * LIMIT }, (_, i) => get(i % 2 ? one : two)));
  const admitted = answers.filter(({ status }) => status === 200).length;
  const most = LIMIT + Math.ceil(((systemClock.monotonic() - began) * LIMIT) / 60_000);
  t.ok(admitted >= LIMIT - 1 && admitted <= most, `${admitted} of at most ${most} admitted`);
  t.ok(
    answers.every(({ status }) => status === 200 || status === 429),
    [...new Set(answers.map(({ status }) => status))].join(),
  );
});
