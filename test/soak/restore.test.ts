// Backup and restore as in docs/operating.md, while the service runs; and a restore without the files.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { startService } from '../../bench/service.js';
import { createClient } from '../../client/index.js';
import { createControlPlane } from '../../control-plane/index.js';
import { cidermill, ownLines } from '../harness/cli.js';

const GREETING = 'good morning\n';

t.test('a service is restored from its backup', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-restore-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const app = join(root, 'app');
  mkdirSync(app);
  writeFileSync(join(app, 'greeting.txt'), GREETING);
  const service = await startService();
  t.teardown(() => service.stop());
  const script = 'cat greeting.txt; cp greeting.txt "$CIDERMILL_ARTIFACTS"';
  const ran = await cidermill(service.env, app, 'build', '--json', '--script', script);
  t.equal(ran.code, 0, ran.stderr);
  const { id } = JSON.parse(ran.stdout);
  const backup = join(root, 'backup');
  mkdirSync(backup);
  const saved = await cidermill(
    ...([service.env, root, 'admin', 'backup', join(backup, 'cidermill.db')] as const),
    ...(['--data', service.data, '--json'] as const),
  );
  t.equal(saved.code, 0, saved.stderr);
  for (const name of ['secret.key', 'logs', 'contents']) {
    cpSync(join(service.data, name), join(backup, name), { recursive: true });
  }
  await service.stop();

  const manifest = {
    project: 'app',
    files: [
      {
        path: 'greeting.txt',
        sha256: createHash('sha256').update(GREETING).digest('hex'),
        size: GREETING.length,
        mode: 0o644 as const,
      },
    ],
  };
  const restore = async (t: Test, without: string | null) => {
    const data = mkdtempSync(join(root, 'restored-'));
    cpSync(backup, data, { recursive: true });
    if (without) rmSync(join(data, without), { recursive: true });
    const env = { CIDERMILL_DATA: data, CIDERMILL_PORT: '0' };
    const restored = await createControlPlane({ env, log: pino({ level: 'silent' }) });
    t.teardown(() => restored.stop());
    return { url: restored.baseUrl, client: createClient({ url: restored.baseUrl, key: service.api_key }) };
  };

  await t.test('with builds, logs, artifacts and uploads', async (t) => {
    const { url, client } = await restore(t, null);
    t.match(await client.builds.get(id), { id, status: 'succeeded', exit_code: 0 });
    t.equal(ownLines(await client.builds.log.text(id)), GREETING);
    const env = { ...service.env, CIDERMILL_URL: url };
    const kept = await cidermill(env, root, 'artifacts', id, '--output', join(root, 'kept'));
    t.equal(kept.code, 0, kept.stderr);
    t.equal(readFileSync(join(root, 'kept', 'greeting.txt'), 'utf8'), GREETING);
    t.same((await client.uploads.create(manifest)).missing, []);
  });

  await t.test('contents that are missing in the backup are requested again', async (t) => {
    const { client } = await restore(t, 'contents');
    const deadline = Date.now() + 30_000;
    let missing: string[] = [];
    while (missing.length === 0 && Date.now() < deadline) {
      ({ missing } = await client.uploads.create(manifest));
    }
    t.same(
      missing,
      manifest.files.map(({ sha256 }) => sha256),
    );
    t.match(await client.builds.get(id), { status: 'succeeded' });
  });
});
