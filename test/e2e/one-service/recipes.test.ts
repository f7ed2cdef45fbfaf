// The recipes: their commands and options exist in the command line, and the action's script runs as on a runner.
// Runs in: soak
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { z } from 'zod';
import { bin } from '../../../bench/service.js';
import { loadAll } from '../../../client/cli/commands.js';
import { createProgram } from '../../../client/cli/program.js';
import { sharedService } from './shared-service.js';

const recipes = new URL('../../../../docs/recipes/', import.meta.url).pathname;
const read = (name: string) => readFileSync(join(recipes, name), 'utf8');

const step = z.object({
  uses: z.string().optional(),
  if: z.string().optional(),
  shell: z.string().optional(),
  id: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).default({}),
  env: z.record(z.string(), z.string()).default({}),
});
const action = z.object({
  inputs: z.record(z.string(), z.object({ required: z.boolean().optional(), default: z.string().optional() })),
  outputs: z.record(z.string(), z.object({ value: z.string() })),
  runs: z.object({ using: z.literal('composite'), steps: z.array(step) }),
});
const workflow = z.object({ jobs: z.record(z.string(), z.object({ steps: z.array(step) })) });

t.test('commands and options of the recipes exist', async (t) => {
  const global = createProgram(process).options.map(({ long }) => long);
  const known = new Map(
    (await loadAll()).map((command) => [command.name(), [...global, ...command.options.map(({ long }) => long)]]),
  );
  for (const [file, name] of [
    ['github-action/action.yml', 'build'],
    ['fastlane/Fastfile', 'build'],
  ] as const) {
    const text = read(file).replace(/^ *#.*$|npm install.*$/gm, '');
    const used = [...new Set([...text.matchAll(/(?<=[\s("])--[a-z][a-z-]*/g)].map(([option]) => option))];
    t.ok(used.length >= 5, `${file} uses ${used}`);
    for (const option of used) t.ok(known.get(name)?.includes(option), `cidermill ${name} ${option}`);
  }
  for (const [, name = ''] of read('fastlane/Fastfile').matchAll(/"cidermill", "([a-z-]+)"/g)) {
    t.ok(known.has(name), `cidermill ${name}`);
  }
});

t.test('the workflow sets the inputs of the action', async (t) => {
  const { inputs, outputs, runs } = action.parse(parse(read('github-action/action.yml')));
  const { jobs } = workflow.parse(parse(read('github-workflow.yml')));
  const use = Object.values(jobs).flatMap(({ steps }) => steps.filter(({ uses }) => uses?.endsWith('/cidermill')));
  t.equal(use.length, 1);
  for (const name of Object.keys(use[0]?.with ?? {})) t.ok(inputs[name], `input ${name}`);
  for (const [name, { required }] of Object.entries(inputs)) {
    if (required) t.ok(use[0]?.with[name], `${name} is given`);
  }
  for (const one of runs.steps) {
    t.equal(one.run === undefined, one.shell === undefined, 'a script of a composite action names its shell');
    t.notMatch(one.run ?? '', /\$\{\{/, 'no value is pasted into a script');
    for (const [, name = ''] of Object.values(one.env)
      .join(' ')
      .matchAll(/inputs\.([a-z-]+)/g))
      t.ok(inputs[name], name);
  }
  for (const { value } of Object.values(outputs)) t.match(value, /steps\.build\.outputs\./);
});

t.test('the action’s script exits as the build does', async (t) => {
  const service = await sharedService();
  const root = mkdtempSync(join(tmpdir(), 'cidermill-recipe-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ['bin', 'work', 'temp']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'bin/cidermill'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  chmodSync(join(root, 'bin/cidermill'), 0o755);
  writeFileSync(join(root, 'work/hello.txt'), 'hello\n');
  const { runs } = action.parse(parse(read('github-action/action.yml')));
  const build = runs.steps.find(({ id }) => id === 'build');
  const run = (values: Record<string, string>) =>
    new Promise<{ code: number | null; outputs: string; log: string }>((resolve) => {
      const output = join(root, 'output');
      writeFileSync(output, '');
      const given = Object.keys(build?.env ?? {}).map((name) => [name, values[name] ?? '']);
      const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', build?.run ?? ''], {
        cwd: join(root, 'work'),
        env: {
          ...Object.fromEntries(given),
          PATH: `${join(root, 'bin')}:${process.env.PATH}`,
          HOME: root,
          GITHUB_OUTPUT: output,
          GITHUB_REF: 'refs/heads/main',
          GITHUB_REPOSITORY: 'acme/app',
          RUNNER_TEMP: join(root, 'temp'),
          CIDERMILL_URL: service.base_url,
          CIDERMILL_API_KEY: service.api_key,
        },
      });
      let log = '';
      child.stderr.on('data', (chunk) => {
        log += chunk;
      });
      child.on('close', (code) => resolve({ code, outputs: readFileSync(output, 'utf8'), log }));
    });
  const common = { SOURCE: 'folder', TIMEOUT: '5', COMMIT: 'a'.repeat(40), PULL_REQUEST: '7' };
  const good = await run({
    ...common,
    SCRIPT: 'cat hello.txt; cp hello.txt "$CIDERMILL_ARTIFACTS/"; echo "PR $CIDERMILL_PR"',
    ARTIFACTS: 'out',
  });
  t.equal(good.code, 0, good.log);
  t.match(good.outputs, /^build-id=rb_\w+\nstatus=succeeded\n$/);
  t.match(good.log, /hello\s[\s\S]*PR 7/);
  t.equal(readFileSync(join(root, 'work/out/hello.txt'), 'utf8'), 'hello\n');
  const bad = await run({ ...common, SCRIPT: "echo 'it''s $(broken)'; exit 3" });
  t.equal(bad.code, 3, bad.log);
  t.match(bad.outputs, /status=failed/);
});
