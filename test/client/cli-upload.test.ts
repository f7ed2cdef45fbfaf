// Uploads of a folder by the command line.
// Runs in: soak
import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { sha256 } from '../harness/sha256.js';
import { runCli, startCli } from './run-cli.js';
import { setUp } from './scripted-place.js';

t.test('a folder goes up once, and then only what changed', async (t) => {
  const big = randomBytes(5 * 1024 * 1024);
  const { service, place } = await setUp(t, {
    'a.txt': 'hello',
    'copy.txt': 'hello',
    'sub/b.txt': 'world',
    'big.bin': big,
    '.gitignore': 'out/\n',
    'out/x': 'not this',
  });
  service.onSubmit = (build) => build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  const upload = async () => {
    service.requests.length = 0;
    const { code, stdout, stderr } = await runCli(place, ['upload']);
    t.equal(code, 0, stderr);
    return stdout.trim();
  };
  const first = await upload();
  t.match(service.uploads.get(first), { project: 'project' });
  t.same(
    service.uploads
      .get(first)
      ?.files.map(({ path }) => path)
      .sort(),
    ['.gitignore', 'a.txt', 'big.bin', 'copy.txt', 'sub/b.txt'],
  );
  t.equal(service.blobs.size, 4, 'equal contents are sent once');
  t.ok(service.blobs.get(sha256(big))?.equals(big));

  await upload();
  t.same(service.seen('POST /uploads/*/blobs').length, 0);
  appendFileSync(join(place.project, 'a.txt'), '!');
  await upload();
  const sent = service.seen('POST /uploads/*/blobs');
  t.equal(sent.length, 1);
  t.equal(gunzipSync(sent[0]!.body).toString(), `${sha256('hello!')} 6\nhello!`);

  await t.test('after a lost connection, only the missing contents are sent again', async (t) => {
    for (let n = 0; n < 8; n++) writeFileSync(join(place.project, `p${n}`), randomBytes(3 * 1024 * 1024));
    service.instead('POST /uploads/*/blobs', { cut: true }, 2);
    service.instead('POST /uploads/*/blobs', { status: 503, text: 'busy' }, 1);
    await upload();
    const bytes = service.seen('POST /uploads/*/blobs').reduce((sum, { body }) => sum + body.length, 0);
    t.equal(service.blobs.size, 13);
    t.ok(bytes < 8.5 * 3 * 1024 * 1024 + 3 * 4.5 * 1024 * 1024, `${bytes} bytes`);
    t.ok(service.seen('GET /uploads/*').length >= 2, 'it asked what is still missing');
  });

  await t.test('it says what it waits for when the service asks to wait', async (t) => {
    appendFileSync(join(place.project, 'a.txt'), '!');
    const message = 'The disk of the service is full.';
    const error = { code: 'uploads_unavailable', message, retryable: true, retry_after_s: 2 };
    service.instead('POST /uploads/*/blobs', { status: 503, error }, 1);
    const { code, stderr } = await runCli(place, ['upload']);
    t.equal(code, 0, stderr);
    t.equal(stderr, `waiting 2 s before trying again: ${message} (uploads_unavailable)\n`);
  });

  await t.test('it waits while other uploads use up the limit of the account', async (t) => {
    appendFileSync(join(place.project, 'a.txt'), '.');
    const error = { code: 'rate_limited', message: 'm', retryable: true, retry_after_s: 0 };
    service.instead('POST /uploads', { status: 429, error }, 8);
    service.instead('POST /uploads/*/blobs', { status: 429, error }, 8);
    const { code, stderr } = await runCli(place, ['upload']);
    t.equal(code, 0, stderr);
  });

  await t.test('a service that has lost an upload, or content, gets it again', async (t) => {
    appendFileSync(join(place.project, 'a.txt'), '?');
    service.instead('POST /uploads/*/blobs', {
      status: 404,
      error: { code: 'upload_not_found', retryable: false },
    });
    await upload();
    t.equal(service.seen('POST /uploads').length, 2);
    // First of the build that names the last upload, then of the one that follows a new upload.
    service.instead('POST /builds', { status: 409, error: { code: 'upload_incomplete', retryable: true } }, 2);
    service.requests.length = 0;
    const { code } = await runCli(place, ['build', '--script', 'make']);
    t.equal(code, 0);
    t.equal(service.seen('POST /builds').length, 3);
    t.equal(service.seen('POST /uploads').length, 2);
  });

  await t.test('a file that changes between hashing and sending is noticed', async (t) => {
    const file = join(place.project, 'growing.bin');
    writeFileSync(file, randomBytes(9 * 1024 * 1024));
    const announced = service.seen('POST /uploads').length;
    const asked = startCli(place, ['upload']);
    await service.untilSeen('POST /uploads', announced + 1);
    appendFileSync(file, 'more');
    const { code, stdout } = await asked.done;
    t.equal(code, 0);
    const entry = service.uploads.get(stdout.trim())?.files.find(({ path }) => path === 'growing.bin');
    t.equal(entry?.sha256, sha256(readFileSync(file)), 'what was announced last is what is there');
  });
});

t.test('a folder that cannot be sent says why', async (t) => {
  const { place } = await setUp(t, {});
  const empty = await runCli(place, ['build', '--script', 'x']);
  t.match(empty, { code: 64, stderr: /has no files to send/ });
  writeFileSync(join(place.project, 'Name'), '');
  writeFileSync(join(place.project, 'name'), '');
  symlinkSync('/etc/passwd', join(place.project, 'stolen'));
  t.match(await runCli(place, ['build', '--script', 'x']), {
    code: 64,
    stderr: /cannot tell these names apart: Name and name/,
  });
  writeFileSync(join(place.project, '.cidermillignore'), '/name\n');
  t.match(await runCli(place, ['upload']), { code: 0, stderr: /warning: stolen is a symbolic link/ });
});
