// The systemd unit of docs/deploy: what systemd says of it, and the real service under its filter of system calls and
// address families, loaded with the library that systemd uses (libseccomp). Its other settings need a running systemd.
// Requires: python3, systemd-analyze
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { knownVariables, readConfig } from '../../control-plane/config.js';
import { EXIT_CANNOT_START } from '../../control-plane/start-error.js';

const folder = new URL('../../../docs/deploy/', import.meta.url).pathname;
const main = new URL('../../control-plane/main.js', import.meta.url).pathname;
const unit = readFileSync(join(folder, 'cidermill.service'), 'utf8');

/** All values of a setting in the unit. */
const valuesOf = (name: string) =>
  unit.split('\n').flatMap((line) => (line.startsWith(`${name}=`) ? line.slice(name.length + 1).split(' ') : []));

const analyze = (...args: string[]) =>
  new Promise<{ code: number; output: string }>((done) => {
    execFile('systemd-analyze', ['--no-pager', ...args], (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` }),
    );
  });

function tempFolder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'cidermill-unit-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The unit with paths of this machine. @param change a further change */
function localUnit(t: Test, change: (text: string) => string = (same) => same): string {
  const file = join(tempFolder(t), 'cidermill.service');
  const [node = '', program = ''] = valuesOf('ExecStart');
  const here = unit.replace(`ExecStart=${node} ${program}`, `ExecStart=${process.execPath} ${main}`);
  if (here === unit) throw new Error('the unit starts something else');
  writeFileSync(file, change(here));
  return file;
}

t.test('systemd accepts the unit and finds it hardened', async (t) => {
  t.same(await analyze('verify', localUnit(t)), { code: 0, output: '' });
  const misspelled = await analyze(
    'verify',
    localUnit(t, (text) => text.replace('UMask=', 'Umaks=')),
  );
  t.match(misspelled.output, /Unknown key (?:name )?'Umaks'/);
  // Ten times the level: 20 is 2.0 of 10.
  const graded = await analyze('security', '--offline=true', '--threshold=20', localUnit(t));
  t.equal(graded.code, 0, graded.output);
  const open = localUnit(t, (text) => text.replace(/^(?:Protect|Private|Restrict|System|Cap).*\n/gm, ''));
  t.not((await analyze('security', '--offline=true', '--threshold=20', open)).code, 0);
  t.same(valuesOf('RestartPreventExitStatus'), [String(EXIT_CANNOT_START)]);
  t.same(valuesOf('LimitCORE'), ['0'], 'the keys in its memory are in no core file');
});

t.test('the unit for several processes is the same, with a port and a data folder for each', async (t) => {
  const template = readFileSync(join(folder, 'cidermill@.service'), 'utf8');
  const linesOf = (text: string) => text.split('\n').filter((line) => !line.startsWith('#'));
  t.same(
    linesOf(template).filter((line) => !linesOf(unit).includes(line)),
    [
      'Description=Cidermill control plane on port %i',
      `ExecStart=/usr/bin/env CIDERMILL_PORT=%i CIDERMILL_DATA=/var/lib/cidermill-%i CIDERMILL_STOP_NOTICE_MS=5000 ${valuesOf('ExecStart').join(' ')}`,
      'StateDirectory=cidermill-%i',
    ],
  );
  t.equal(linesOf(template).length, linesOf(unit).length, 'nothing is missing');
  const instance = join(tempFolder(t), 'cidermill@8461.service');
  const [node = '', program = ''] = valuesOf('ExecStart');
  writeFileSync(instance, template.replace(`${node} ${program}`, `${process.execPath} ${main}`));
  t.same(await analyze('verify', instance), { code: 0, output: '' });
});

t.test('the settings of the sample are settings of the service', async (t) => {
  const lines = readFileSync(join(folder, 'cidermill.env'), 'utf8').split('\n');
  const pairs = lines.filter((line) => /^[^#]/.test(line)).map((line) => /^([A-Z_0-9]+)=(\S+)$/.exec(line));
  const settings = Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
  const known = new Set([...knownVariables(), 'UV_THREADPOOL_SIZE']);
  for (const name of Object.keys(settings)) t.ok(known.has(name), name);
  const config = readConfig(settings);
  t.equal(config.http.host, '127.0.0.1', 'only the proxy reaches it');
  t.ok(config.http.trustedProxies.length > 0);
  t.equal(`/var/lib/${valuesOf('StateDirectory')[0]}`, config.data);
});

/** Names of system calls; sets of systemd are unfolded. */
function systemCalls(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    if (!name.startsWith('@')) return [name];
    const listed = execFileSync('systemd-analyze', ['--no-pager', 'syscall-filter', name], {
      encoding: 'utf8',
    });
    const inner = listed
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
    return systemCalls(inner.filter((line) => line !== '' && !line.startsWith('#')));
  });
}

const FAMILIES: Readonly<Record<string, number>> = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10, AF_NETLINK: 16 };

/** Allows the system calls, and sockets of these families; all else fails with EPERM. Then becomes the command. */
const CONFINED = `
import ctypes, os, sys
calls, families, command = sys.argv[1].split(), [int(n) for n in sys.argv[2].split()], sys.argv[3:]
lib = ctypes.CDLL('libseccomp.so.2')
lib.seccomp_init.restype = ctypes.c_void_p
class Compare(ctypes.Structure):
    _fields_ = [('arg', ctypes.c_uint), ('op', ctypes.c_int), ('a', ctypes.c_uint64), ('b', ctypes.c_uint64)]
lib.seccomp_rule_add_array.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(Compare)]
lib.seccomp_load.argtypes = [ctypes.c_void_p]
ALLOW, EQUAL = 0x7fff0000, 4
context = lib.seccomp_init(0x00050000 | ${constants.errno.EPERM})
added = 0
for name in set(calls):
    number = lib.seccomp_syscall_resolve_name(name.encode())
    if number < 0: continue
    rules = [Compare(0, EQUAL, family, 0) for family in families] if name == 'socket' else [None]
    for rule in rules:
        assert lib.seccomp_rule_add_array(context, ALLOW, number, 0 if rule is None else 1, rule) == 0
        added += 1
assert added > 100 and lib.seccomp_load(context) == 0
os.execvp(command[0], command)
`;

const confined = (families: readonly string[], env: NodeJS.ProcessEnv, ...args: string[]): ChildProcess => {
  const numbers = families.map((name) => FAMILIES[name] ?? 0);
  const calls = systemCalls(valuesOf('SystemCallFilter'));
  return spawn('python3', ['-c', CONFINED, calls.join(' '), numbers.join(' '), process.execPath, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};

async function exitOf(child: ChildProcess): Promise<number | null> {
  child.stdout?.resume();
  child.stderr?.resume();
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

t.test('the service works with the system calls and address families of the unit', async (t) => {
  const families = valuesOf('RestrictAddressFamilies');
  const addresses = 'require("node:os").networkInterfaces()';
  t.equal(await exitOf(confined(families, {}, '-e', addresses)), 0, 'Node can list the addresses of the machine');
  const fewer = families.filter((name) => name !== 'AF_NETLINK');
  t.equal(await exitOf(confined(fewer, {}, '-e', addresses)), 1, 'the filter is in force');
  const forbidden = 'require("node:child_process").execFileSync("chroot", ["/", "true"])';
  t.equal(await exitOf(confined(families, {}, '-e', forbidden)), 1, 'and that of system calls');

  const env = {
    CIDERMILL_DATA: join(tempFolder(t), 'data'),
    CIDERMILL_PORT: '0',
    CIDERMILL_HOST: '127.0.0.1',
  };
  const service = confined(families, env, main);
  t.teardown(() => service.kill('SIGKILL'));
  if (!service.stdout || !service.stderr) throw new Error('no output');
  service.stdout.resume();
  const siteUrl = await new Promise<string>((resolve, reject) => {
    const said: string[] = [];
    service.once('exit', (code) => reject(new Error(`it ended with ${code}: ${said.join('\n')}`)));
    createInterface(service.stderr as NodeJS.ReadableStream).on('line', (line) => {
      said.push(line);
      const found = /"siteUrl":"([^"]+)"/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const signIn = { method: 'POST', body: '{"email":"a@b.example","password":"x"}' };
  const headers = { 'content-type': 'application/json' };
  t.equal((await fetch(`${siteUrl}/readyz`)).status, 200);
  t.equal((await fetch(`${siteUrl}/metrics`)).status, 200);
  t.equal((await fetch(`${siteUrl}/api/runner/v1/session`, { ...signIn, headers })).status, 401, 'Argon2 runs');
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  t.same(await ended, [0, null], 'it stops in order');
});
