// The command on a real terminal.

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { onTerminal } from './on-terminal.js';
import { runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';
import { KEY } from './scripted-service.js';

const RED = '\u001b[31m';
const REWRITE = '\r\u001b[2K';

t.test('colors and the progress bar are for terminals only', async (t) => {
  const { service, place } = await setUp(t);
  for (let n = 0; n < 6; n++) writeFileSync(join(place.project, `f${n}`), randomBytes(3_000_000));
  service.onSubmit = (build) => {
    build.append('log\n');
    build.finish({ status: 'failed', exit_code: 1, end_reason: 'exit_nonzero', failure: null });
  };
  const first = await onTerminal(place, ['build', '--script', 'x']).ended();
  t.equal(first.code, 1);
  t.match(first.output, /\r\u001b\[2KUploading \[#*-*\] \d+% of 18\.0 MB/);
  t.match(first.output, /100% of 18\.0 MB\r\u001b\[2K/, 'the bar is taken away');
  t.ok(first.output.includes(`${RED}✗`));

  service.blobs.clear();
  const piped = await runCli(place, ['build', '--script', 'x']);
  t.notMatch(piped.stderr + piped.stdout, /Uploading|\u001b/);
  for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
    const plain = await runCli(place, ['build', '--script', 'x'], { env, terminal: true });
    t.match(plain.stderr, /✗/);
    t.notOk(plain.stderr.includes(RED), JSON.stringify(env));
  }
});

t.test('on a terminal the waiting line is rewritten, and gone when the log begins', async (t) => {
  const { service, place } = await setUp(t);
  service.onSubmit = (build) => build.set({ queue_position: 2, estimated_wait_s: 720 });
  const run = onTerminal(place, ['build', '--script', 'x']);
  await run.until(`${REWRITE}waiting, position 2: the Macs are busy, at most 12m00s`);
  service.builds.get('rb_000001')?.set({ queue_position: 1 });
  await run.until(`${REWRITE}waiting, position 1`);
  service.builds.get('rb_000001')?.append('log\n');
  await run.until(`${REWRITE}log\r\n`);
  service.builds.get('rb_000001')?.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  const { code, output } = await run.ended();
  t.equal(code, 0);
  t.notMatch(output, /waiting[^\r]*\r?\n/, 'no waiting line stays behind');
});

t.test('Ctrl-C is typed once, and twice', async (t) => {
  const { service, place } = await setUp(t);
  service.onSubmit = (build) => build.append('running\n');
  const once = onTerminal(place, ['build', '--script', 'x']);
  await once.until('running');
  once.type('\u0003');
  await once.until('Ctrl-C again leaves it running');
  t.equal((await once.ended()).code, 130);
  t.equal(service.builds.get('rb_000001')?.view.status, 'cancelled');

  const twice = onTerminal(place, ['build', '--script', 'x']);
  await twice.until('running');
  twice.type('\u0003');
  await twice.until('Ctrl-C again leaves it running');
  twice.type('\u0003');
  t.equal((await twice.ended()).code, 130);
  t.equal(service.builds.get('rb_000002')?.view.status, 'running');
});

t.test('keys and secrets are asked for without showing them', async (t) => {
  const { service, place } = await setUp(t);
  const bare = { ...place, env: { ...place.env, CIDERMILL_URL: '', CIDERMILL_API_KEY: '' } };
  const login = onTerminal(bare, ['login']);
  await login.until('Address of the service');
  login.type(`${service.url}\r`);
  await login.until('API key: ');
  login.type(`${KEY}x\u007f\r`);
  await login.until('logged in to');
  const { code, output } = await login.ended();
  t.equal(code, 0);
  t.notOk(output.includes(KEY));

  const set = onTerminal(bare, ['secrets', 'set', 'TOKEN']);
  await set.until('Value of TOKEN: ');
  set.type('hush hush\r');
  const stored = await set.ended();
  t.equal(stored.code, 0);
  t.notOk(stored.output.includes('hush'));
  t.equal(service.secrets.get('TOKEN'), 'hush hush');

  const garbled = onTerminal(bare, ['secrets', 'set', 'TOKEN']);
  await garbled.until('Value of TOKEN: ');
  garbled.type(Buffer.from('caf\xe9\r', 'latin1'));
  const refused = await garbled.ended();
  t.equal(refused.code, 64);
  t.match(refused.output, 'the value is not UTF-8, or holds the character U+FFFD: use --file');
  t.equal(service.secrets.get('TOKEN'), 'hush hush');

  const stopped = onTerminal(bare, ['secrets', 'set', 'TOKEN']);
  await stopped.until('Value of TOKEN: ');
  stopped.type('abc\u0003');
  t.equal((await stopped.ended()).code, 130);
  t.equal(service.secrets.get('TOKEN'), 'hush hush');
});
