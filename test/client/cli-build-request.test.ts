// The arguments of `cidermill build`, and the requests that they make.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';

t.test('the request has the values of the flags', async (t) => {
  const { service, place } = await setUp(t, { 'run.sh': 'echo from a file\n' });
  const bodyOf = async (args: string[], input?: string) => {
    const { code, stderr } = await runCli(place, ['build', '--detach', ...args], input === undefined ? {} : { input });
    t.equal(code, 0, stderr);
    return JSON.parse(String(service.seen('POST /builds').at(-1)?.body));
  };
  service.onSubmit = () => undefined;
  t.same(await bodyOf(['--', 'make', '-j4', 'a b', "it's", '$HOME']), {
    script: `make -j4 'a b' 'it'\\''s' '$HOME'`,
    upload_id: 'up_1',
  });
  t.match(await bodyOf(['--script-file', 'run.sh']), { script: 'echo from a file\n' });
  const sent = service.seen('POST /builds').length;
  for (const bytes of [Buffer.from('echo caf\xe9\n', 'latin1'), Buffer.from('echo caf\xc3\n', 'latin1')]) {
    writeFileSync(join(place.project, 'latin1.sh'), bytes);
    const [at, value] = ['offset 8', bytes.subarray(8, 9).toString('hex')];
    for (const [file, what] of [
      ['latin1.sh', 'latin1.sh'],
      ['-', 'on standard input'],
    ] as const) {
      const refused = await runCli(place, ['build', '--repo', 'o/r', '--script-file', file], {
        input: bytes,
      });
      t.match(refused, {
        code: 64,
        stderr: new RegExp(`the script ${what} is not UTF-8: .*${at} \\(0x${value}\\)`),
      });
    }
  }
  t.match(await runCli(place, ['build', '--repo', 'o/r', '--script', 'a\ufffd']), {
    code: 64,
    stderr: /use --script-file/,
  });
  t.equal(service.seen('POST /builds').length, sent, 'nothing was sent');
  t.match(await bodyOf(['--script-file', '-'], 'echo from a pipe'), { script: 'echo from a pipe' });
  const uploads = service.seen('POST /uploads').length;
  const everything =
    '--script x --repo acme/app --ref main --commit 0123abc --pr 7 --xcode 16.2 --rental rt_1 --timeout 5 --priority 1 --clean --queue-until-rental --notify-url https://h/n';
  t.same(await bodyOf(everything.split(' ')), {
    script: 'x',
    repo: 'acme/app',
    ref: 'main',
    commit: '0123abc',
    pr: 7,
    xcode: '16.2',
    rental_id: 'rt_1',
    timeout_min: 5,
    priority: 1,
    clean_tree: true,
    queue_until_rental: true,
    notify_url: 'https://h/n',
  });
  t.equal(service.seen('POST /uploads').length, uploads, 'a repository needs no upload');
  const notified = await runCli(place, [
    'build',
    '--detach',
    '--script',
    'x',
    '--repo-url',
    'https://h/r',
    '--notify-url',
    'https://h',
  ]);
  t.match(notified.stderr, /signed with whsec_x/, 'the signing secret is shown once');
});
