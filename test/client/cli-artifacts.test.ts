// Artifacts on their way down.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { safeParts } from '../../client/cli/save-artifacts.js';
import { runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';

t.test('artifacts come down safely', async (t) => {
  const { service, place } = await setUp(t);
  const outside = join(place.root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'victim'), 'untouched');
  const target = join(place.root, 'got');
  mkdirSync(target);
  symlinkSync(outside, join(target, 'link'));
  symlinkSync(join(outside, 'victim'), join(target, 'file-link'));
  mkdirSync(join(target, 'is-folder'));
  const names = [
    'app.ipa',
    'logs/deep/x.txt',
    '../evil',
    'a/../../evil',
    '/abs',
    'a//b',
    './a',
    'link/evil',
    'file-link',
    'is-folder',
    'APP.IPA',
    'nul\0',
    'a\\b',
    '',
    '.',
    'esc\u001b[2J',
    'n'.repeat(300),
  ];
  service.onSubmit = (build) => {
    for (const name of names) build.addArtifact(name, `content of ${name}`);
    build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  };
  const { code, stderr } = await runCli(place, ['build', '--script', 'x', '--artifacts', target]);
  t.equal(code, 70, 'a build whose artifacts could not all be saved is not a plain success');
  t.equal(readFileSync(join(target, 'app.ipa'), 'utf8'), 'content of app.ipa');
  t.equal(readFileSync(join(target, 'logs/deep/x.txt'), 'utf8'), 'content of logs/deep/x.txt');
  t.equal(
    readFileSync(join(target, 'file-link'), 'utf8'),
    'content of file-link',
    'a link is replaced, not followed',
  );
  t.equal(readFileSync(join(outside, 'victim'), 'utf8'), 'untouched');
  t.same(readdirSync(outside), ['victim']);
  t.same(readdirSync(target).sort(), ['app.ipa', 'file-link', 'is-folder', 'link', 'logs']);
  t.notOk(existsSync(join(place.root, 'evil')));
  t.equal([...stderr.matchAll(/was not saved/g)].length, names.length - 3);
  t.match(stderr, /3 artifacts in /);
  t.notMatch(stderr, /\u001b/);

  const listed = await runCli(place, ['artifacts', 'rb_000001', '--json']);
  t.equal(JSON.parse(listed.stdout).artifacts.length, names.length);
  t.match(
    (await runCli(place, ['artifacts', 'rb_000001'])).stdout,
    /FILE +SIZE +KEPT UNTIL +NAME\nf_1 .*app\.ipa/,
  );

  service.onSubmit = (build) => {
    build.addArtifact('one', '1');
    build.addArtifact('short', 'abc', { bytes: 5 });
    build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  };
  const short = await runCli(place, ['build', '--script', 'x', '--artifacts', join(place.root, 'two')]);
  t.match(short, { code: 69, stderr: /arrived with 3 of 5 bytes/ });
  t.same(readdirSync(join(place.root, 'two')), ['one'], 'a file is there whole or not at all');
  service.instead('GET /signed/*', { cut: true }, 2);
  t.match(await runCli(place, ['artifacts', 'rb_000002', '-o', join(place.root, 'three')]), { code: 69 });
  t.equal(readFileSync(join(place.root, 'three/one'), 'utf8'), '1', 'a lost connection is tried again');

  for (const good of ['a', 'a/b', '...', 'ü/ß', 'with space']) t.ok(safeParts(good), good);
  t.end();
});
