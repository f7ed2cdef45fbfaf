// Commands that send one request and print its answer.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';

t.test('the other commands, for people and as JSON', async (t) => {
  const { service, place } = await setUp(t);
  service.onSubmit = () => undefined;
  await runCli(place, ['build', '--detach', '--script', 'x']);
  const table: [string[], RegExp, object][] = [
    [
      ['status'],
      /Acme \(active\), 0 active Macs[\s\S]*0 running, 1 waiting[\s\S]*rb_000001[\s\S]*\nstorage: uploads 1.2 MB of 50.0 GB, artifacts 0 B of 50.0 GB, logs 950 B of 20.0 GB\n$/,
      { account: { name: 'Acme' } },
    ],
    [['queue'], /POS +BUILD[\s\S]*1 +rb_000001 +queued +app +the Macs are busy, at most 0s/, { queued_count: 1 }],
    [['builds', '--status', 'active', '--limit', '5'], /rb_000001 +queued/, { builds: [{ id: 'rb_000001' }] }],
    [['catalog'], /TIER +PRICE/, { tiers: [] }],
    [['errors', '--kind', 'api', '--self'], /no errors/, { errors: [] }],
    [['priority', 'rb_000001', '1'], /rb_000001 priority 1, position 1/, { priority: 1 }],
    [['cancel', 'rb_000001'], /rb_000001 cancelled/, { status: 'cancelled' }],
    [['secrets', 'set', 'TOKEN', 'v'], /TOKEN stored/, { name: 'TOKEN' }],
    [['secrets', 'list'], /TOKEN +2026-01-01/, { secrets: [{ name: 'TOKEN' }] }],
    [['artifacts', 'rb_000001'], /no artifacts/, { artifacts: [] }],
  ];
  for (const [args, text, json] of table) {
    t.match(await runCli(place, args), { code: 0, stdout: text, stderr: '' }, args.join(' '));
    t.match(JSON.parse((await runCli(place, [...args, '--json'])).stdout), json);
  }
  t.match(service.seen('GET /builds').at(-1)?.path, /\?status=active&limit=5$/);
  t.match(service.seen('GET /errors').at(-1)?.path, /kind=api&key=self$/);

  const again = await runCli(place, ['rerun', 'rb_000001']);
  t.match(again, { code: 0, stdout: /^rb_\d{6}\n$/, stderr: /follow it with: cidermill logs -f rb_/ });
  const { rerun_of: of } = JSON.parse((await runCli(place, ['rerun', 'rb_000001', '--json'])).stdout);
  t.equal(of, 'rb_000001');

  for (const [status, text] of [
    ['running', 'rb_1 is being canceled\n'],
    ['failed', 'rb_1 had already ended: failed\n'],
  ]) {
    const answer = { status: 200, text: JSON.stringify({ id: 'rb_1', status }) };
    service.instead('POST /builds/*/cancel', answer);
    t.match(await runCli(place, ['cancel', 'rb_1']), { code: 0, stdout: text });
  }

  await runCli(place, ['secrets', 'set', 'PIPED'], { input: 'from a pipe\n' });
  t.equal(service.secrets.get('PIPED'), 'from a pipe', 'the line break of echo is not part of it');
  writeFileSync(join(place.project, 'key.pem'), 'line\nline\n');
  await runCli(place, ['secrets', 'set', 'FILE', '--file', 'key.pem']);
  t.equal(service.secrets.get('FILE'), 'line\nline\n', 'a file is taken byte for byte');
  t.match(await runCli(place, ['secrets', 'set', 'X', 'v', '--file', 'key.pem']), { code: 64 });
  t.match(await runCli(place, ['secrets', 'set', 'X', '--file', 'nowhere']), { code: 64 });
  t.match(await runCli(place, ['secrets', 'rm', 'FILE']), { code: 0, stdout: 'FILE deleted\n' });
  t.match(await runCli(place, ['secrets', 'rm', 'FILE']), { code: 64, stderr: /secret_not_found/ });
  const bytes = Buffer.from([0x61, 0x00, 0xff, 0x0a]);
  writeFileSync(join(place.project, 'cert.p12'), bytes);
  service.secretBodies.length = 0;
  await runCli(place, ['secrets', 'set', 'CERT', '--file', 'cert.p12']);
  await runCli(place, ['secrets', 'set', 'CERT'], { input: bytes });
  const unaltered = { value_base64: bytes.toString('base64') };
  t.same(service.secretBodies, [unaltered, unaltered], 'bytes that are not text are sent as they are');
  const garbled = await runCli(place, ['secrets', 'set', 'X', 'a\ufffdb']);
  t.match(garbled, {
    code: 64,
    stderr: /the value is not UTF-8, or holds the character U\+FFFD: use --file/,
  });
  t.equal(service.secretBodies.length, 2, 'nothing is sent of it');
  const short = JSON.stringify({ name: 'S', masked: false, created_at: '', updated_at: '' });
  service.instead('PUT /secrets/S', { status: 200, text: short });
  t.match(await runCli(place, ['secrets', 'set', 'S', 'ab']), {
    stderr: /warning: .*too short to be masked/,
  });
});
