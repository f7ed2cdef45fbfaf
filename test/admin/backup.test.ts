// Copies of the database by `cidermill admin backup`.
// Requires: sqlite
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createApiKeys } from '../../control-plane/access/app/api-keys.js';
import { createSecrets } from '../../control-plane/builds/app/secrets.js';
import { createVault } from '../../control-plane/platform/app/vault.js';
import { openKeyFile } from '../../control-plane/platform/store/key-file.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';
import { printedBy } from '../harness/admin.js';
import { type Harness, startHarness } from '../harness/harness.js';

/** Returns the exit code. */
const backup = async ({ data }: Harness, file: string) => (await printedBy(['backup', file, '--data', data])).code;

/** Returns entries in the order of writing. */
const entriesOf = async (h: Harness) =>
  (await h.auditLog.read({ accountId: null, since: 0 }, { after: null, limit: 100_000 })).sort((a, b) => a.id - b.id);

t.test('a backup taken under load restores to a service that works', async (t) => {
  const service = await startHarness(t);
  await service.call('PUT', '/secrets/TOKEN', { body: { value: 'before' } });
  const writing = Array.from({ length: 40 }, (_, i) =>
    service.call('PUT', `/secrets/S_${i}`, { body: { value: `value ${i}` } }),
  );
  const file = join(service.data, 'backup.db');
  t.equal(await backup(service, file), 0);
  await Promise.all(writing);
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.notOk(existsSync(`${file}.partial`));
  t.notOk(readFileSync(file).includes('before'), 'no value in clear');

  const restored = join(service.data, 'restored');
  mkdirSync(restored);
  copyFileSync(file, join(restored, 'cidermill.db'));
  copyFileSync(join(service.data, 'secret.key'), join(restored, 'secret.key'));
  const store = openSqlite(join(restored, 'cidermill.db'));
  t.teardown(() => store.close());
  t.same(await store.all('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
  const log = createLog('test', 'silent');
  const keys = createApiKeys({ store, clock: systemClock, log });
  t.ok(await keys.recognize(service.keys.all), 'keys are known');
  const vault = createVault(openKeyFile(join(restored, 'secret.key')));
  const secrets = createSecrets({ store, clock: systemClock, vault, limits: service.limits });
  const revealed = await secrets.reveal(service.org.id);
  t.match(
    revealed.find(({ name }) => name === 'TOKEN'),
    { value: 'before' },
  );
  for (const { name, value } of revealed) {
    if (name !== 'TOKEN') t.equal(value, `value ${name.slice(2)}`);
  }
});

t.test('a backup replaces no file of the service, and a wrong path is a clear error', async (t) => {
  const h = await startHarness(t);
  const files = ['cidermill.db', 'cidermill.db-wal', 'cidermill.db-shm', 'cidermill.db-journal', 'secret.key'];
  symlinkSync(join(h.data, 'cidermill.db'), join(h.data, 'link'));
  const before = statSync(join(h.data, 'cidermill.db')).ino;
  const names = [...files, 'link', 'service.lock', join('none', 'copy'), '.', join('cidermill.db', 'copy')];
  for (const name of names) {
    t.equal(await backup(h, join(h.data, name)), 65, name);
  }
  t.equal(statSync(join(h.data, 'cidermill.db')).ino, before);
  t.same(
    (await entriesOf(h)).map(({ action, result }) => `${action} ${result}`),
    names.map(() => 'database.backup invalid_request'),
  );
  t.equal(await backup(h, join(h.data, 'copy')), 0);
  t.match((await entriesOf(h)).at(-1), { action: 'database.backup', result: 'ok' });
  t.same(
    readdirSync(h.data).filter((name) => name.endsWith('.partial')),
    [],
  );
});
