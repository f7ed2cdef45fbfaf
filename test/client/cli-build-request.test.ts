// What `cidermill build` understands and asks of the service.
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import fc from 'fast-check';
import t from 'tap';
import { buildOptions, readBuildArguments } from '../../client/cli/build-options.js';
import { buildCommand } from '../../client/cli/commands/build.js';
import { createProgram } from '../../client/cli/program.js';
import { runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';

t.test('what is asked of the service is what the flags say', async (t) => {
  const { service, place } = await setUp(t, { 'run.sh': 'echo from a file\n' });
  const bodyOf = async (args: string[], input?: string) => {
    const { code, stderr } = await runCli(
      place,
      ['build', '--detach', ...args],
      input === undefined ? {} : { input },
    );
    t.equal(code, 0, stderr);
    return JSON.parse(String(service.seen('POST /builds').at(-1)?.body));
  };
  service.onSubmit = () => undefined;
  t.same(await bodyOf(['--', 'make', '-j4', 'a b', "it's", '$HOME']), {
    script: `make -j4 'a b' 'it'\\''s' '$HOME'`,
    upload_id: 'up_1',
  });
  t.match(await bodyOf(['--script-file', 'run.sh']), { script: 'echo from a file\n' });
  t.match(await bodyOf(['--script-file', '-'], 'echo from a pipe'), { script: 'echo from a pipe' });
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
  t.equal(service.seen('POST /uploads').length, 3, 'a repository needs no upload');
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

t.test('the quick reading of a build command agrees with the thorough one', async (t) => {
  const texts = [
    '--',
    '-',
    '',
    'make',
    '-j4',
    '--json',
    '--url',
    '--nonsense',
    '--help',
    '-h',
    '--pr',
    '0',
    '7',
    '1',
    '--script=x',
  ];
  const words = fc.oneof(
    fc.constantFrom(...texts),
    fc.constantFrom(...buildOptions.map(({ name }) => `--${name}`)),
    fc.constantFrom('x', 'a b', '360', '361'),
  );
  let understood = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(words, { maxLength: 8 }), async (args) => {
      const quick = readBuildArguments(args);
      if (!quick) return true;
      understood++;
      let thorough: unknown = null;
      const command = buildCommand().action((words: string[], _options: unknown, self: Command) => {
        thorough = { options: self.optsWithGlobals(), words };
      });
      const program = createProgram();
      program.addCommand(command.copyInheritedSettings(program));
      await program.parseAsync(['build', ...args], { from: 'user' });
      return isDeepStrictEqual(thorough, { options: { ...quick.options }, words: quick.words });
    }),
    { numRuns: 600 },
  );
  t.ok(understood > 50);
});
