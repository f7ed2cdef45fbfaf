// SIGUSR1 opens no debugger in any program, and does not end it. Real processes.
// Runs in: soak
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { isErrno } from '../../shared/errno.js';
import { programs } from '../../tools/bundle/programs.js';

const compiled = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Returns how many ports the process listens on. */
function portsOf({ pid }: ChildProcess): number {
  const tables = ['tcp', 'tcp6'].map((table) => readFileSync(`/proc/${pid}/net/${table}`, 'utf8'));
  const rows = tables.flatMap((table) => table.trim().split('\n').slice(1));
  const fields = rows.map((row) => row.trim().split(/\s+/));
  const listening = new Set(fields.filter(([, , , state]) => state === '0A').map((row) => row[9]));
  const descriptors = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch (error) {
      // Closed meanwhile.
      if (isErrno(error, 'ENOENT')) return '';
      throw error;
    }
  });
  return descriptors.filter((name) => listening.has(/^socket:\[(\d+)\]$/.exec(name)?.[1] ?? '')).length;
}

interface Case {
  readonly args: readonly string[];
  readonly ports: number;
  /** Resolves when the program runs. */
  started(child: ChildProcess): Promise<unknown>;
  /** Asks the program for something and resolves with its answer. */
  ask(child: ChildProcess): Promise<unknown>;
  readonly env?: NodeJS.ProcessEnv;
}

async function start(t: Test, { args, env }: Case, options: readonly string[] = []) {
  const child = spawn(process.execPath, [...options, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', CIDERMILL_LOG_LEVEL: 'error', ...env },
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.on('data', (data: Buffer) => {
    stderr += data;
  });
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return { child, stderr: () => stderr };
}

function cases(t: Test): Record<string, Case> {
  const data = t.testdir({ 'early.cjs': "require('node:inspector').open(0, '127.0.0.1');" });
  let url = '';
  const mcp = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  return {
    'control plane': {
      args: [compiled('control-plane/main.js')],
      env: { CIDERMILL_DATA: join(data, 'service'), CIDERMILL_PORT: '0' },
      ports: 1,
      async started(child) {
        url = ((await once(child, 'message')) as [{ siteUrl: string }])[0].siteUrl;
      },
      ask: async () => (await fetch(`${url}/healthz`)).text(),
    },
    'command line': {
      args: [compiled('client/bin.cjs'), 'mcp'],
      env: { CIDERMILL_URL: 'http://127.0.0.1:1/api/v1', CIDERMILL_API_KEY: 'cm_none' },
      ports: 0,
      started: (child) => answer(child, mcp),
      ask: (child) => answer(child, mcp),
    },
  };
}

async function answer(child: ChildProcess, line: string): Promise<string> {
  const said = once(child.stdout!, 'data');
  child.stdin?.write(`${line}\n`);
  return String(await said);
}

t.test('SIGUSR1 opens no port and ends nothing', async (t) => {
  for (const [name, one] of Object.entries(cases(t))) {
    const { child, stderr } = await start(t, one);
    await one.started(child);
    for (let n = 0; n < 5; n++) {
      child.kill('SIGUSR1');
      t.ok(await one.ask(child), name);
    }
    t.equal(portsOf(child), one.ports, `${name}: ports`);
    t.equal(stderr(), '', name);
  }
});

t.test('a debugger that was opened before the program ran is closed', async (t) => {
  for (const [name, one] of Object.entries(cases(t))) {
    const { child, stderr } = await start(t, one, ['--require', join(t.testdirName, 'early.cjs')]);
    await one.started(child);
    await one.ask(child);
    t.match(stderr(), /Debugger listening/, name);
    t.equal(portsOf(child), one.ports, `${name}: ports`);
  }
});

t.test('a debugger that was asked for stays', async (t) => {
  const { 'command line': one } = cases(t);
  if (!one) return t.fail('no case');
  const { child } = await start(t, one, ['--inspect=127.0.0.1:0']);
  await one.started(child);
  t.equal(portsOf(child), 1);
});

t.test('the host agent and the process of a build have the listener too', async (t) => {
  const report = "process.on('exit', () => console.error('listeners:', process.listenerCount('SIGUSR1')));";
  const folder = t.testdir({ 'report.cjs': report });
  const programs = {
    'host-agent/main.js': '--help',
    'host-agent/runner/main.js': 'cidermill-build',
  };
  for (const [module, argument] of Object.entries(programs)) {
    const child = spawn(process.execPath, ['--require', join(folder, 'report.cjs'), compiled(module), argument], {
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr?.on('data', (data: Buffer) => {
      stderr += data;
    });
    // As when the daemon has ended.
    child.stdio[3]?.destroy();
    await once(child, 'close');
    t.match(stderr, /listeners: 1\n/, module);
  }
});

t.test('every program has it before anything else', async (t) => {
  const root = new URL('../../../', import.meta.url).pathname;
  const entries = Object.keys(programs.entries).filter((name) => name !== 'client/cli/main');
  // The programs of the packages, and the one that hands over to client/cli/main.
  for (const entry of [...entries, 'client/cli/start', 'tools/package/program']) {
    const [first] = readFileSync(join(root, `${entry}.ts`), 'utf8').match(/^import\b.*$/m) ?? [];
    t.match(first, /\/shared\/debug-signal\.js';$/, entry);
  }
});
