// The example of docs/libraries.md, run unchanged (except where the package is imported from).
// Runs in: soak
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import t from 'tap';
import { createControlPlane } from '../../control-plane/index.js';
import { adminIn } from '../harness/admin.js';

const root = new URL('../../../', import.meta.url).pathname;

t.test('both halves run in one program, as the documentation shows', async (t) => {
  const text = readFileSync(join(root, 'docs/libraries.md'), 'utf8');
  const example = /<!-- example -->\n```ts\n([\s\S]*?)```/.exec(text)?.[1];
  if (!example) throw new Error('docs/libraries.md has no example');
  const dir = mkdtempSync(join(tmpdir(), 'cidermill-library-'));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  const env = { ...process.env, CIDERMILL_LOG_LEVEL: 'silent' };
  const admin = adminIn(join(dir, 'data'));
  const first = await createControlPlane({
    env: { CIDERMILL_DATA: join(dir, 'data'), CIDERMILL_PORT: '0' },
    log: pino({ level: 'silent' }),
  });
  await first.stop();
  await admin('tier', 'add', '--tier', 'local', '--name', 'Local', '--price-won', '10000');
  const { token } = await admin('host', 'enroll', '--tier', 'local', '--slots', '2');
  const program = example.replaceAll(/'cidermill\/([a-z-]+)'/g, `'${join(root, 'dist')}/$1/index.js'`);
  writeFileSync(join(dir, 'example.mjs'), program);
  const ran = await new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const child = spawn(process.execPath, ['example.mjs'], {
      cwd: dir,
      env: { ...env, CIDERMILL_ENROLMENT_TOKEN: token },
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.on('close', (code) => resolve({ code, out, err }));
  });
  t.equal(ran.code, 0, ran.err);
  t.match(ran.out, /^http:\/\/127\.0\.0\.1:\d+\/api\/v1 \{ hostId: 'host_/);
  const hosts = await admin('host', 'list');
  t.equal(JSON.stringify(hosts).includes('host_'), true, 'the host is known');
});
