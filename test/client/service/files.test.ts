// `cidermill files` and `logs -f --tail`, against the service itself.
// Runs in: soak
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { submit, withMacs } from '../../harness/submitting.js';
import { runCli, startCli } from '../run-cli.js';
import { placeAt } from './place-at.js';

t.test('uploads and artifacts are listed and deleted; a file in use cannot be deleted', async (t) => {
  const { h } = await withMacs(t, 1);
  const place = await placeAt(t, h, h.keys.all);
  t.equal((await runCli(place, ['files'])).stdout, 'no files\n');
  writeFileSync(join(place.project, 'a.txt'), 'one');
  const first = JSON.parse((await runCli(place, ['upload', '--project', 'one', '--json'])).stdout);
  await h.clock.advance(1000);
  writeFileSync(join(place.project, 'a.txt'), 'another');
  const second = JSON.parse((await runCli(place, ['upload', '--project', 'two', '--json'])).stdout);
  const built = await h.call('POST', '/builds', { body: { script: 'make', upload_id: second.id } });
  t.equal(built.statusCode, 201, built.body);

  const listed = JSON.parse((await runCli(place, ['files', '--json'])).stdout);
  t.same(
    listed.files.map(({ kind, in_use }: { kind: string; in_use: boolean }) => [kind, in_use]),
    [
      ['upload', true],
      ['upload', false],
    ],
  );
  t.match((await runCli(place, ['files', '--uploads'])).stdout, /two\n.*one\n10 B in the workspace\n/s);
  t.equal((await runCli(place, ['files', 'list', '--artifacts'])).stdout, 'no files\n');
  t.match(await runCli(place, ['files', '--uploads', '--artifacts']), { code: 64, stderr: /give one of/ });

  const [used, free] = listed.files.map(({ id }: { id: string }) => id);
  const removed = await runCli(place, ['files', 'rm', used, 'f_none', free]);
  t.match(removed, { code: 70, stdout: `${free} deleted\n`, stderr: /was not deleted/ });
  t.match(removed.stderr, new RegExp(`${used} was not deleted: .*\n.*f_none was not deleted`));
  t.equal(JSON.parse((await runCli(place, ['files', '--json'])).stdout).files.length, 1);
  t.ok(first.id);
});

t.test('a log is followed from its last lines on', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  await host.start();
  await host.output(id, 'one\ntwo\nthree\n');
  const place = await placeAt(t, h, h.keys.read);
  const following = startCli(place, ['logs', '-f', '--tail', '2', id]);
  await following.until('stdout', 'three\n');
  await host.output(id, 'four\n');
  await following.until('stdout', 'four\n');
  await host.finish(id);
  t.match(await following.done, { code: 0, stdout: /^two\nthree\nfour\n/ });
  t.match((await runCli(place, ['logs', '-f', '--tail', '0', id])).stdout, /^$/);
  t.match((await runCli(place, ['logs', '-f', '--tail', '9', id])).stdout, /^one\ntwo\n/);
});

t.test('names that are not UTF-8 are left out with a warning, folders and files', async (t) => {
  const { h } = await withMacs(t, 1);
  const place = await placeAt(t, h, h.keys.all);
  const bad = (name: string) => Buffer.concat([Buffer.from(`${place.project}/${name}`), Buffer.from([0xff])]);
  mkdirSync(bad('folder'));
  writeFileSync(Buffer.concat([bad('folder'), Buffer.from('/inner.txt')]), 'x');
  writeFileSync(bad('file'), 'x');
  writeFileSync(join(place.project, 'good.txt'), 'x');
  writeFileSync(join(place.project, 'real\ufffd.txt'), 'x');
  const { code, stderr } = await runCli(place, ['upload', '--project', 'p', '--json']);
  t.equal(code, 0, stderr);
  t.match(stderr, /folder\ufffd is skipped: its name is not UTF-8/);
  t.match(stderr, /file\ufffd is skipped: its name is not UTF-8/);
  t.notMatch(stderr, /real.*is skipped/);
});
