// Completion of the shells.
// Requires: fish, zsh
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';

t.test('completion scripts are valid and complete what they should', async (t) => {
  const { place } = await setUp(t);
  const { stdout: script } = await runCli(place, ['completion', 'bash']);
  execFileSync('bash', ['-n'], { input: script });
  const complete = (...words: string[]) => {
    const array = words.map((word) => `'${word}'`).join(' ');
    const run = `${script}\nCOMP_WORDS=(${array}); COMP_CWORD=${words.length - 1}; _cidermill; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', run]).toString().trim().split('\n');
  };
  t.same(complete('cidermill', 'bu'), ['build', 'builds']);
  t.same(complete('cidermill', 'secrets', ''), [
    'set',
    'list',
    'rm',
    '--url',
    '--key',
    '--json',
    '-V',
    '--version',
    '-h',
    '--help',
  ]);
  t.same(complete('cidermill', 'build', '--sc'), ['--script', '--script-file']);
  t.same(complete('cidermill', 'builds', '--status', 'q'), ['queued']);
  t.same(complete('cidermill', '--json', 'completion', ''), [
    'bash',
    'zsh',
    'fish',
    '--url',
    '--key',
    '--json',
    '-V',
    '--version',
    '-h',
    '--help',
  ]);
  t.same(complete('cidermill', 'secrets', 'set', '--fi'), ['--file']);
  t.same(complete('cidermill', 'webhooks', 're'), ['redeliver']);
  t.same(complete('cidermill', 'webhooks', 'edit', '--status', 'd'), ['disabled']);
  const zsh = (await runCli(place, ['completion', 'zsh'])).stdout;
  t.match(zsh, /^#compdef cidermill\n/);
  const fish = (await runCli(place, ['completion', 'fish'])).stdout;
  for (const [shell, text] of [
    ['zsh', zsh],
    ['fish', fish],
  ] as const) {
    const file = join(place.root, shell);
    writeFileSync(file, text);
    // Without the shell there is nothing to ask.
    const { error, status, stderr } = spawnSync(shell, ['-n', file], { env: place.env, encoding: 'utf8' });
    if (error === undefined) t.same({ status, stderr }, { status: 0, stderr: '' }, `${shell} can read it`);
  }
  const ask = `source ${join(place.root, 'fish')}; complete -C 'cidermill builds --status q'`;
  const asked = spawnSync('fish', ['-c', ask], { env: place.env, encoding: 'utf8' });
  if (asked.error === undefined) t.match(asked.stdout, /^queued\t/);
  const commands = [
    'login',
    'status',
    'catalog',
    'build',
    'builds',
    'logs',
    'failure',
    'cancel',
    'priority',
    'artifacts',
    'secrets',
    'rent',
    'orders',
    'pay-status',
    'macs',
    'rename',
    'extend',
    'reset',
    'xcode',
    'setup',
    'jobs',
    'waitlist',
    'webhooks',
    'queue',
    'errors',
    'upload',
    'completion',
  ];
  const all = complete('cidermill', '');
  for (const name of commands) {
    t.ok(all.includes(name), name);
    t.match(zsh, new RegExp(`_cidermill_${name.replaceAll('-', '_')}\\(\\)`));
    t.match(fish, new RegExp(`-a ${name} `));
  }
  t.match(await runCli(place, ['completion', 'tcsh']), { code: 64 });
});
