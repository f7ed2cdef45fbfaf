// lume as a tool for virtual machines: what it prints, and the tool against the stand-in.
// Runs in: soak
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { lumeError } from '../../../host-agent/driver/lume/errors.js';
import { createLume } from '../../../host-agent/driver/lume/lume.js';
import { parseLume, parseLumePercent } from '../../../host-agent/driver/lume/output.js';
import { parseMachines } from '../../../host-agent/driver/lume/processes.js';
import { parseRef } from '../../../host-agent/driver/lume/refs.js';
import type { VmTool } from '../../../host-agent/driver/vm/tool.js';
import { defaultVmLimits } from '../../../host-agent/limits.js';
import { until } from '../../harness/until.js';
import { type LumeHost, openLumeHost } from '../../harness/vm/lume-host.js';

t.test('errors are recognized by the text that lume prints, in both forms', async (t) => {
  const table: [string, string][] = [
    ['Error: notFound("a")', 'not_found'],
    ['Error: Virtual machine not found: a', 'not_found'],
    ['Error: notInitialized("a")', 'not_found'],
    ['Error: notRunning("a")', 'not_running'],
    ['Error: alreadyRunning("a")', 'already_running'],
    ['Error: Cannot modify a: the VM is running. Stop it first.', 'already_running'],
    ['Error: alreadyExists("a")', 'exists'],
    ['Error: directoryAlreadyExists(path: "/x/a")', 'exists'],
    [
      'Error: The number of virtual machines exceeds the limit. The maximum supported number of active virtual machines has been reached.',
      'limit_reached',
    ],
    ['Error: Internal Virtualization error. The virtual machine failed to start.', 'keychain_locked'],
    ['Error: You can’t save the file “disk.img” because the volume “Macintosh HD” is out of space.', 'disk_full'],
    ['Error: insufficientHostSpace(needed: 5, available: 1)', 'disk_full'],
    ['Error: manifestFetchFailed', 'image_not_found'],
    ['Error: authenticationFailed', 'unauthorized'],
    ['Error: The network connection was lost.', 'failed'],
  ];
  for (const [stderr, code] of table) {
    t.equal(lumeError('clone', { code: 1, stdout: '', stderr }).code, code, stderr);
  }
  t.equal(lumeError('run', { code: 64, stdout: '', stderr: "Error: Unknown option '--vnc'" }).code, 'incompatible');
  t.equal(
    lumeError('stop', { code: 1, stdout: '[2026-01-01T00:00:00Z] ERROR: Failed', stderr: '' }).message,
    'lume stop: [2026-01-01T00:00:00Z] ERROR: Failed',
  );
});

t.test('the list is found after lines of the log, and invalid fields are ignored', async (t) => {
  const vm = {
    name: 'a',
    status: 'running',
    diskSize: { allocated: 1, total: 2 },
    ipAddress: '192.168.64.2',
  };
  const log = '[2026-01-01T00:00:00Z] INFO: Cleaned up stale session file name=a\n';
  t.same(parseLume('ls', `${log}${JSON.stringify([vm], null, 2)}\n`), [vm]);
  t.same(parseLume('ls', `${log}[\n\n]\n`), []);
  t.same(parseLume('ls', '[]'), []);
  const odd = [{ name: 'b', diskSize: 'x', ipAddress: 5, more: 1 }];
  t.same(parseLume('ls', JSON.stringify(odd, null, 2)), [
    { name: 'b', status: '', diskSize: { allocated: null, total: null }, ipAddress: null },
  ]);
  for (const wrong of ['', 'No virtual machines found', '{}', '[\n{"name": 5}\n]']) {
    t.throws(() => parseLume('ls', wrong), { code: 'incompatible' }, wrong);
  }
  t.equal(parseLumePercent('[█████░░] 57% | Current: 88 MB/s'), 57);
  t.equal(parseLumePercent('57% done'), null);
});

t.test('names of images are split as the command line needs them', async (t) => {
  const { repository, ...parts } = parseRef('localhost:5000/acme/mac/os:26.1');
  t.same(parts, { registry: 'localhost:5000', organization: 'acme/mac', name: 'os', tag: '26.1' });
  t.equal(repository, 'localhost:5000/acme/mac/os');
  t.equal(parseRef('ghcr.io/acme/macos').tag, 'latest');
  for (const wrong of ['macos', 'macos:26', 'ghcr.io/macos:26', 'ghcr.io/acme/macos@sha256:00', 'a/b/c:d:e', '']) {
    t.throws(() => parseRef(wrong), { code: 'image_not_found' }, wrong);
  }
});

t.test('running virtual machines are found by their processes, in this folder only', async (t) => {
  const ps = [
    '    1 /sbin/launchd',
    '  812 /opt/homebrew/bin/lume run cm-1 --no-display --vnc disabled --storage /data/my vms',
    '  813 /opt/homebrew/bin/lume run cm-2 --no-display --storage /data/other',
    '  814 vi run cm-3 --no-display --vnc disabled --storage /data/my vms.txt',
    '  815 (lume)',
    '  816 /opt/homebrew/bin/lume run cm-4 --no-display --storage /data/my vms  ',
  ].join('\n');
  t.same(
    [...parseMachines(ps, '/data/my vms')],
    [
      ['cm-1', [812]],
      ['cm-4', [816]],
    ],
  );
});

const image = 'ghcr.io/acme/macos:26';
const signal = new AbortController().signal;
const size = { cpuCores: 6, memoryGb: 12, diskGb: 80 };

interface Set {
  host: LumeHost;
  tool: VmTool;
  digest: string;
  pull(ref?: string, digest?: string | null): Promise<{ digest: string }>;
  stateOf(name: string): Promise<string | undefined>;
}

async function open(t: Test, faults: Parameters<typeof openLumeHost>[1] = {}): Promise<Set> {
  const host = await openLumeHost(t, faults);
  const outputDir = path.join(host.home, 'output');
  const limits = () => ({ ...defaultVmLimits, commandMs: 20_000 });
  const tool = createLume({ path: 'lume', home: host.home, outputDir, limits, env: host.env });
  return {
    host,
    tool,
    digest: host.digests[image] ?? '',
    pull: (ref = image, digest = null) => tool.pull({ ref, digest }, { progress: () => undefined, signal }),
    stateOf: async (name) => (await tool.list()).find((vm) => vm.name === name)?.state,
  };
}

t.test('a virtual machine is cloned, run, stopped and deleted', async (t) => {
  const { host, tool, digest, stateOf } = await open(t);
  t.equal(await tool.version(), '0.5.3');
  const percents: number[] = [];
  t.same(await tool.pull({ ref: image, digest: null }, { progress: ({ percent }) => percents.push(percent), signal }), {
    digest,
  });
  t.same(percents.slice(0, 2), [0, 5]);
  t.match(await tool.images(), [{ ref: `ghcr.io/acme/macos@${digest}`, digest, bytes: 25e9, diskBytes: 50e9 }]);
  t.same(await tool.list(), [], 'an image is no machine');

  await tool.clone({ ref: image, digest }, 'cm-1');
  await tool.configure('cm-1', size);
  t.match(await tool.list(), [{ name: 'cm-1', state: 'stopped', diskBytes: 80e9 }]);
  t.equal(await tool.address('cm-1'), null);
  await tool.start('cm-1');
  t.equal(await stateOf('cm-1'), 'running');
  await until(async () => (await tool.address('cm-1')) !== null, 'an address');
  await t.rejects(tool.start('cm-1'), { code: 'already_running' });
  await t.rejects(tool.delete('cm-1'), { code: 'already_running' });
  await t.rejects(tool.clone({ ref: image, digest }, 'cm-1'), { code: 'exists' });
  await tool.stop('cm-1', 10);
  t.equal(await stateOf('cm-1'), 'stopped');
  t.equal(await tool.endReason('cm-1'), null);
  await tool.stop('cm-1', 10);
  await tool.stop('cm-none', 10);
  await tool.delete('cm-1');
  await tool.delete('cm-1');
  t.same(await tool.list(), []);
  t.same(readdirSync(path.join(host.home, 'vms')), [], 'nothing is left, no lock either');

  await tool.deleteImage(`ghcr.io/acme/macos@${digest}`);
  t.same(readdirSync(path.join(host.home, 'images')), []);
  t.equal(host.sentTelemetry(), false);
});

t.test('a tag that has moved is refused, because lume fetches by tag only', async (t) => {
  const { host, tool, digest, pull } = await open(t);
  await pull();
  const second = host.addImage(image, { tools: ['other'] });
  t.same(await pull(image, digest), { digest }, 'an image that is here is not fetched again');
  t.same(await pull(), { digest: second });
  t.same((await tool.images()).map((one) => one.digest).sort(), [digest, second].sort());
  const wanted = `sha256:${'0'.repeat(64)}`;
  await t.rejects(pull(image, wanted), {
    code: 'image_not_found',
    message: /cannot fetch an image by its digest/,
  });
  t.equal((await tool.images()).length, 2);
  await tool.deleteImage(`ghcr.io/acme/macos@${digest}`);
  t.same(
    (await tool.images()).map((one) => one.digest),
    [second],
  );
  await t.rejects(tool.clone({ ref: image, digest }, 'cm-1'), { code: 'image_not_found' });
});

t.test('leftovers of interrupted commands are found and deleted', async (t) => {
  const { host, tool, digest, pull } = await open(t, { faults: { 'pull-breaks': '50' } });
  await t.rejects(pull(), { code: 'failed', message: /network connection was lost/ });
  host.mend('pull-breaks');
  for (const left of ['images/pulling', `images/${digest.replace(':', '-')}`, 'tmp/lume_vm_1']) {
    mkdirSync(path.join(host.home, left), { recursive: true });
    writeFileSync(path.join(host.home, left, 'disk.img'), '');
  }
  t.same(await pull(), { digest });
  t.same(readdirSync(path.join(host.home, 'tmp')), []);
  t.notOk(existsSync(path.join(host.home, 'images/pulling')));

  for (const fault of ['clone-fails', 'clone-disk-full'] as const) {
    host.fault(fault, '', 1);
    await t.rejects(tool.clone({ ref: image, digest }, 'cm-1'), {
      code: fault === 'clone-fails' ? 'failed' : 'disk_full',
    });
    t.match(await tool.list(), [{ name: 'cm-1', state: 'stopped' }], 'half a clone is listed');
    await tool.delete('cm-1');
    t.same(await tool.list(), []);
  }
});

t.test('a running virtual machine that lume reports as stopped is not started again', async (t) => {
  const { host, tool, digest, pull, stateOf } = await open(t);
  await pull();
  await tool.clone({ ref: image, digest }, 'cm-1');
  await tool.start('cm-1');
  host.fault('liveness-unknown');
  t.equal(await stateOf('cm-1'), 'running');
  await t.rejects(tool.start('cm-1'), { code: 'already_running' });
  t.equal(host.ranTwice(), null);
  t.equal(host.hadVnc(), null);
  await tool.stop('cm-1', 10);
  host.fault('stop-ignored');
  host.mend('liveness-unknown');
  await tool.start('cm-1');
  await tool.stop('cm-1', 0);
  t.equal(await stateOf('cm-1'), 'stopped', 'one that ignores the first signal is killed');
});

t.test('a version that cannot run without a VNC server runs with one', async (t) => {
  const { host, tool, digest, pull, stateOf } = await open(t, { faults: { 'vnc-always': '' } });
  await pull();
  await tool.clone({ ref: image, digest }, 'cm-1');
  await tool.start('cm-1');
  t.equal(await stateOf('cm-1'), 'running');
  t.equal(host.hadVnc(), 'cm-1');
});

t.test('the reason why a virtual machine ended is reported', async (t) => {
  const { host, tool, digest, pull, stateOf } = await open(t);
  await pull();
  await tool.clone({ ref: image, digest }, 'cm-1');
  for (const [fault, value, code] of [
    ['leaked-slots', '2', 'limit_reached'],
    ['keychain-locked', '', 'keychain_locked'],
  ] as const) {
    host.fault(fault, value);
    // lume reports it as running before it runs.
    const started = await tool.start('cm-1').catch((error: unknown) => error);
    if (started !== undefined) t.match(started, { code });
    await until(async () => (await stateOf('cm-1')) === 'stopped', 'it has ended');
    t.match(await tool.endReason('cm-1'), { code });
    host.mend(fault);
  }
  const limits = () => defaultVmLimits;
  const nowhere = { path: '/nowhere/lume', home: host.home, outputDir: host.home, limits, env: host.env };
  await t.rejects(createLume(nowhere).list(), { code: 'missing' });
});

t.test('virtual machines of others are listed and otherwise not touched', async (t) => {
  const { host, tool, digest } = await open(t);
  t.match(await host.lume('pull', 'macos:26', 'theirs', '--organization', 'acme'), { code: 0 });
  t.match(await tool.list(), [{ name: 'theirs', state: 'stopped' }]);
  await tool.delete('theirs');
  t.match(await tool.list(), [{ name: 'theirs' }]);
  t.same(await tool.images(), []);
  t.ok(digest);
});
