// The package of the command line: alone in a folder, it is the whole client.
// Runs in: soak
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { packageClient } from '../../../tools/package/client.js';
import { writeSums } from '../../../tools/package/sums.js';
import { root } from '../../harness/package-here.js';
import { tempFolder } from '../../host-agent/runner/rig.js';

t.test('the client alone', async (t) => {
  const out = tempFolder(t);
  const made = await packageClient({ root, out, version: '1.2.3' });
  t.equal(made.name, 'cidermill-cli-1.2.3.tgz');
  writeSums(out, [made]);
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out, stdio: 'pipe' });
  execFileSync('tar', ['-xzf', made.name], { cwd: out });
  const files = execFileSync('find', ['package', '-type', 'f'], { cwd: out, encoding: 'utf8' });
  const place = path.join(out, 'package');
  t.same(files.trimEnd().split('\n').sort(), [
    'package/LICENSE',
    'package/NOTICES',
    'package/dist/client/bin.cjs',
    'package/dist/client/cli/main.js',
    'package/dist/client/cli/start.cjs',
    'package/dist/client/files/hash-worker.js',
    'package/package.json',
  ]);
  const manifest = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8'));
  t.match(manifest, { name: 'cidermill-cli', version: '1.2.3', bin: { cidermill: 'dist/client/bin.cjs' } });
  for (const field of ['dependencies', 'scripts', 'devDependencies']) t.notOk(manifest[field], `no ${field}`);
  const main = readFileSync(path.join(place, 'dist/client/cli/main.js'), 'utf8');
  for (const absent of ['better-sqlite3', 'node-pty', 'fastify', 'argon2', 'nodemailer', 'host-agent/', root]) {
    t.notOk(main.includes(absent), `no ${absent}`);
  }

  const env = { PATH: process.env.PATH, HOME: out };
  const run = (args: readonly string[], input = '') =>
    spawnSync(path.join(place, 'dist/client/bin.cjs'), args, { encoding: 'utf8', cwd: '/', env, input });
  t.match(run(['--version']), { status: 0, stdout: '1.2.3\n' });
  t.match(run(['status']), { status: 64, stderr: /CIDERMILL_URL/ });
  const help = run(['--help']).stdout;
  t.match(help, / build .* logs .* mcp /s);
  t.match(help, /host-agent .*not in this package/);
  t.match(run(['dev']), { status: 64, stderr: /cidermill dev is part of cidermill-VERSION/ });
  t.match(run(['admin', 'host', 'list']), {
    status: 66,
    stderr: /name a service with CIDERMILL_OPERATOR_URL/,
  });
  t.match(run(['admin', '--help']).stdout, / tier .* host /s);
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const [answer = ''] = run(['mcp'], `${JSON.stringify(hello)}\n`).stdout.split('\n');
  t.match(JSON.parse(answer), { id: 1, result: { serverInfo: { name: 'cidermill', version: '1.2.3' } } });
});

t.test('what `npm start` packages leaves the published packages alone', async (t) => {
  t.match(readFileSync(path.join(root, 'tools/start.sh'), 'utf8'), 'package.js --client ');
  const published = path.join(root, 'dist/packages');
  const seen = () =>
    existsSync(published) &&
    readdirSync(published).map((name) => {
      const { mtimeMs, ino, size } = statSync(path.join(published, name));
      return { name, mtimeMs, ino, size };
    });
  const before = seen();
  execFileSync(process.execPath, [path.join(root, 'dist/tools/package/package.js'), '--client'], { stdio: 'pipe' });
  t.same(seen(), before);
  const own = path.join(root, 'dist/client-package');
  t.match(readdirSync(own).sort(), ['SHA256SUMS', /^cidermill-cli-.*\.tgz$/]);
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: own, stdio: 'pipe' });
});

t.test('SHA256SUMS keeps older packages that are still there', async (t) => {
  const folder = t.testdir({ 'cidermill-1.0.0.tgz': 'old', 'cidermill-1.1.0.tgz': 'new' });
  writeSums(folder, [{ name: 'cidermill-1.0.0.tgz', sha256: 'a'.repeat(64) }]);
  writeSums(folder, [{ name: 'cidermill-0.9.0.tgz', sha256: 'c'.repeat(64) }]);
  writeSums(folder, [{ name: 'cidermill-1.1.0.tgz', sha256: 'b'.repeat(64) }]);
  t.equal(
    readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8'),
    `${'a'.repeat(64)}  cidermill-1.0.0.tgz\n${'b'.repeat(64)}  cidermill-1.1.0.tgz\n`,
  );
});
