// Output of a script in a guest, through its supervisor and one connection, against the same script on a pty of this host.
// The "guest" is this machine, without a virtual machine: the benchmark measures the cost of the supervisor.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGuestScript } from '../host-agent/guest/script.js';
import { execTransport } from '../host-agent/guest/transport.js';
import { openTerminal } from '../host-agent/runner/terminal.js';
import { wrapperCommand } from '../host-agent/runner/wrapper.js';
import { median, print, ratio } from './report.js';

const rounds = 5;
const home = mkdtempSync(join(tmpdir(), 'cm-guest-output-'));
const env = { PATH: '/usr/bin:/bin', HOME: home };
const transport = execTransport(([file = '', ...args]) => ({ file, args, env }));
const [columns, rows] = [200, 50];

interface Run {
  firstMs: number;
  allMs: number;
  bytes: number;
}

async function measure(
  start: (onOutput: (bytes: Buffer) => void) => { begin(): void; ended: Promise<unknown> },
): Promise<Run> {
  const started = performance.now();
  const run: Run = { firstMs: 0, allMs: 0, bytes: 0 };
  const script = start((piece) => {
    run.firstMs ||= performance.now() - started;
    run.bytes += piece.length;
  });
  script.begin();
  await script.ended;
  return { ...run, allMs: performance.now() - started };
}

let builds = 0;
async function inGuest(script: string): Promise<Run> {
  builds += 1;
  const close: (() => Promise<void>)[] = [];
  const run = await measure((onOutput) => {
    const opened = openGuestScript(transport, {
      script,
      file: join(home, 'guest-script'),
      env: {},
      variables: {},
      files: {},
      secrets: join(home, 'secrets'),
      cwd: home,
      shell: '/bin/bash',
      columns,
      rows,
      mark: `CIDERMILL_BENCH=${process.pid}-${builds}`,
      onOutput,
    });
    close.push(opened.close);
    return opened;
  });
  for (const end of close) await end();
  return run;
}

async function onHost(script: string): Promise<Run> {
  const file = join(home, 'host-script');
  writeFileSync(file, script);
  const [shell = '', ...args] = wrapperCommand(file, script, 60);
  const release: (() => void)[] = [];
  const run = await measure((onOutput) => {
    const opened = openTerminal({ file: shell, args, env, cwd: home }, { columns, rows, onOutput });
    release.push(opened.release);
    return opened;
  });
  for (const end of release) end();
  return run;
}

const long = 'CompileSwift normal arm64 Sources/Module/File.swift (in target App from project App)';
const cases: [name: string, script: string][] = [
  ['200 MB of long lines', `yes '${long}' | head -c 200000000`],
  ['500,000 short lines, one write each', `perl -e '$| = 1; print "line $_\\n" for 1 .. 500_000'`],
];
const rate = (runs: readonly Run[]) => median(runs.map(({ bytes, allMs }) => bytes / 1000 / allMs));
try {
  for (const [name, script] of cases) {
    const [host, guest]: [Run[], Run[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      host.push(await onHost(script));
      guest.push(await inGuest(script));
    }
    print(name, [
      { name: 'pty of this host', value: rate(host), unit: 'MB/s', ratio: 1 },
      { name: 'guest', value: rate(guest), unit: 'MB/s', ratio: ratio(rate(guest), rate(host)) },
    ]);
  }
  const [host, guest]: [Run[], Run[]] = [[], []];
  for (let round = 0; round < 15; round++) {
    host.push(await onHost('echo'));
    guest.push(await inGuest('echo'));
  }
  const first = (runs: readonly Run[]) => median(runs.map(({ firstMs }) => firstMs));
  print('first byte', [
    { name: 'pty of this host', value: first(host), unit: 'ms', ratio: 1 },
    { name: 'guest', value: first(guest), unit: 'ms', ratio: ratio(first(guest), first(host)) },
  ]);
} finally {
  rmSync(home, { recursive: true, force: true });
}
