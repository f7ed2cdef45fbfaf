// All packages of two clean clones in different folders, umasks, time zones and languages are the same bytes. One of the
// folders has a name that breaks careless programs. (Without declarations, which need the type checker and minutes.)
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { root } from '../harness/package-here.js';
import { tempFolder } from '../host-agent/runner/rig.js';

/** A clone with its packages, but without anything that was built. On the disk of the sources, for hard links. */
function clone(t: Test, name: string): string {
  const cache = join(root, 'node_modules/.cache');
  const above = mkdtempSync(join(root, 'dist/clone-'));
  t.teardown(() => rmSync(above, { recursive: true, force: true }));
  const folder = join(above, name);
  const left = ['node_modules', 'dist', '.git', '.tap'];
  mkdirSync(folder);
  for (const entry of readdirSync(root)) {
    if (!left.includes(entry)) cpSync(join(root, entry), join(folder, entry), { recursive: true });
  }
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const entry of readdirSync(join(root, 'node_modules'))) {
    if (entry !== '.cache') execFileSync('cp', ['-al', join(root, 'node_modules', entry), modules]);
  }
  // The Node for Macs, which need not be downloaded twice.
  if (existsSync(join(cache, 'cidermill'))) {
    cpSync(join(cache, 'cidermill'), join(modules, '.cache/cidermill'), { recursive: true });
  }
  return folder;
}

/** Runs a command of the shell and returns its standard output. */
async function run(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('sh', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (piece) => (out += piece));
  child.stderr.on('data', (piece) => (err += piece));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${err}`);
  return out;
}

t.test('the same sources make the same packages anywhere', async (t) => {
  const home = tempFolder(t);
  const key = join(home, 'key.pem');
  const base = process.env;
  const made: string[] = [];
  for (const [name, umask, env] of [
    ['plain', '022', { TZ: 'UTC', LANG: 'C', LC_ALL: 'C' }],
    [`ä 말 'a #b%20 "q`, '077', { TZ: 'Asia/Seoul', LANG: 'ko_KR.UTF-8', LC_ALL: 'ko_KR.UTF-8' }],
  ] as const) {
    const folder = clone(t, name);
    const all = { ...base, ...env };
    await run(`umask ${umask}; npm run --silent compile`, folder, all);
    const out = tempFolder(t);
    const command = `umask ${umask}; node dist/tools/package/package.js --out '${out}' --signing-key '${key}'`;
    await run(command, folder, all);
    made.push(readFileSync(join(out, 'SHA256SUMS'), 'utf8'));
  }
  t.equal(made[0], made[1]);
  for (const name of [/ cidermill-\d/, / cidermill-cli-/, / cidermill-host-agent-/]) t.match(made[0], name);
});
