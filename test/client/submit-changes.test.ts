// After an edit, `cidermill build` sends the changed files with the build, in one request.
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { MOST_CHANGES } from '../../shared/manifest-base.js';
import { sha256 } from '../harness/sha256.js';
import { runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';
import { spawnCli } from './spawn-cli.js';

const FOLDER = { 'a.txt': 'hello', 'b/c.txt': 'world', 'b/run.sh': 'make\n' };

async function start(t: Test, files: Record<string, string | Buffer> = FOLDER) {
  const { service, place } = await setUp(t, files);
  service.onSubmit = () => undefined;
  const at = (name: string) => join(place.project, name);
  /** Submits a build of the folder; returns the requests, and the files that the service then builds. */
  const build = async (...more: string[]) => {
    // Files that were just written are read again the next time.
    await new Promise((resolve) => setTimeout(resolve, 40));
    service.requests.length = 0;
    const { code, stderr } = await runCli(place, ['build', '--detach', '--script', 'make', ...more]);
    t.equal(code, 0, stderr);
    const requests = service.requests.map(
      ({ method, path }) => `${method} ${path.replace('/api/v1', '').replace(/up_\d+/, '*')}`,
    );
    const body = JSON.parse(service.seen('POST /builds').at(-1)?.body.toString() ?? '{}');
    const id = [...service.builds.values()].at(-1)?.view.upload_id ?? '';
    const has = Object.fromEntries(service.uploads.get(id)?.files.map((file) => [file.path, file]) ?? []);
    return { requests, body, id, has };
  };
  return { service, place, at, build };
}

const WHOLE = ['POST /uploads', 'POST /uploads/*/blobs', 'POST /builds'];

t.test('one request, with the contents of the changed files', async (t) => {
  const { at, build } = await start(t);
  const first = await build();
  t.same(first.requests, WHOLE);
  const same = await build();
  t.same(same.requests, ['POST /builds'], 'nothing has changed');
  t.match(same.body, { upload_id: first.id, changes: undefined });

  appendFileSync(at('b/c.txt'), '!');
  const edited = await build();
  t.same(edited.requests, ['POST /builds']);
  t.match(edited.body, { upload_id: first.id, changes: [{ path: 'b/c.txt', mode: 420 }] });
  t.equal(edited.has['b/c.txt']?.sha256, sha256('world!'));
  t.same(Object.keys(edited.has).sort(), Object.keys(FOLDER).sort());

  chmodSync(at('b/run.sh'), 0o755);
  writeFileSync(at('a.txt'), Buffer.from([0, 0xff, 10]));
  const both = await build();
  t.same(both.requests, ['POST /builds']);
  t.equal(both.body.upload_id, edited.id, 'what was built last is the base');
  t.match(both.has, { 'b/run.sh': { mode: 493 }, 'a.txt': { sha256: sha256(Buffer.from([0, 0xff, 10])) } });
  t.equal(both.has['b/c.txt']?.sha256, sha256('world!'));
});

t.test('large, many and new files are uploaded first', async (t) => {
  const many = Object.fromEntries(Array.from({ length: MOST_CHANGES + 1 }, (_, n) => [`f${n}`, `${n}`]));
  const { at, build } = await start(t, { ...many, ...FOLDER });
  await build();
  writeFileSync(at('a.txt'), Buffer.alloc(256 * 1024 + 1));
  t.same((await build()).requests, WHOLE, 'a file of more than 256 KiB');
  for (const name of Object.keys(many)) appendFileSync(at(name), '!');
  t.same((await build()).requests, WHOLE, `more than ${MOST_CHANGES} files`);
  writeFileSync(at('new'), 'n');
  t.same((await build()).requests, WHOLE, 'a new file');
});

t.test('a service that cannot build from the changes gets the folder', async (t) => {
  const { service, at, build } = await start(t);
  await build();
  const refusals = [
    [404, 'upload_not_found'],
    [409, 'upload_incomplete'],
    // A service from before there were changes, and one with smaller limits.
    [400, 'invalid_build'],
    [413, 'payload_too_large'],
    [429, 'rate_limited'],
  ] as const;
  for (const [status, code] of refusals) {
    appendFileSync(at('a.txt'), '!');
    service.instead('POST /builds', { status, error: { code, retryable: status === 429 } });
    const { requests, has } = await build();
    t.same(requests, ['POST /builds', ...WHOLE], code);
    t.equal(has['a.txt']?.sha256, sha256(readFileSync(at('a.txt'))), code);
  }
  t.same((await build()).requests, ['POST /builds'], 'the new upload is the base');
});

t.test(
  'Ctrl-C while it is submitted is held, and stops an upload that follows; a second one stops at once',
  async (t) => {
    const { service, place, build } = await start(t);
    await build();
    service.instead('POST /builds', { silent: true });
    const held = spawnCli(place, ['build', '--script', 'make']);
    await service.untilSeen('POST /builds', 2);
    held.child.kill('SIGINT');
    await held.until('stderr', 'Ctrl-C again stops at once');
    held.child.kill('SIGINT');
    t.match(await held.done, { code: 130, stderr: /There may be a build: cidermill builds/ });

    await build();
    service.instead('POST /builds', { status: 404, error: { code: 'upload_not_found', retryable: false } });
    service.instead('POST /uploads', { silent: true });
    const uploading = spawnCli(place, ['build', '--script', 'make']);
    await service.untilSeen('POST /uploads', 1);
    uploading.child.kill('SIGINT');
    t.match(await uploading.done, { code: 130, stderr: /stopped/ });
  },
);
