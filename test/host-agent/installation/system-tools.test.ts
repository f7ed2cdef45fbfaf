// Paths of an installation, the runner of macOS's tools, and its stand-ins.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { installedHere, installPaths } from '../../../host-agent/installation/paths.js';
import { MISSING, TIMED_OUT, toolsBelow } from '../../../host-agent/installation/system-tools.js';
import { openMacTools } from '../../harness/macos/tools.js';

t.test('an installed program knows where it lies, also through links', async (t) => {
  const prefix = t.testdir();
  const paths = installPaths(prefix);
  t.equal(installPaths().current, '/usr/local/cidermill/current');
  t.equal(installPaths().data, '/usr/local/var/cidermill');
  t.equal(installPaths().agentPlist('/Users/build'), '/Users/build/Library/LaunchAgents/cidermill.host-agent.plist');
  const program = join(paths.versions, '1.2.0/lib/cidermill.mjs');
  mkdirSync(join(paths.versions, '1.2.0/lib'), { recursive: true });
  writeFileSync(program, '');
  symlinkSync('versions/1.2.0', paths.current);
  t.match(installedHere(join(paths.current, 'lib/cidermill.mjs')), {
    prefix,
    version: '1.2.0',
    root: paths.root,
  });
  t.match(installedHere('/usr/local/cidermill/versions/0.9/lib/cidermill.mjs'), {
    prefix: '',
    version: '0.9',
  });
  t.equal(installedHere('/home/me/cidermill/dist/programs/cli.js'), null);
});

t.test('a tool that is missing, hangs, fails or reads its input', async (t) => {
  const root = t.testdir();
  mkdirSync(join(root, 'bin'));
  const tool = (name: string, script: string) =>
    writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  tool('hang', 'exec sleep 60');
  tool('fail', 'echo out; echo bad >&2; exit 3');
  tool('cat', 'exec /bin/cat');
  const run = toolsBelow(root);
  t.match(await run('/bin/none', []), { code: MISSING, stderr: '/bin/none was not found' });
  t.match(await run('/bin/hang', [], { timeoutMs: 50 }), { code: TIMED_OUT, stderr: /did not end/ });
  const ending = new AbortController();
  const hanging = run('/bin/hang', [], { signal: ending.signal });
  ending.abort();
  t.match(await hanging, { code: 1, stderr: /aborted/ });
  t.same(await run('/bin/fail', []), { code: 3, stdout: 'out\n', stderr: 'bad\n' });
  t.match(await run('/bin/cat', [], { input: 'told' }), { code: 0, stdout: 'told' });
});

t.test('the stand-ins answer as macOS does, record, and fail on command', async (t) => {
  const mac = openMacTools(t, { accounts: [{ name: 'build', uid: 501, home: '/Users/build' }] });
  const { run } = mac;
  t.match(await run('/usr/bin/dscl', ['.', '-read', '/Users/build', 'UniqueID']), {
    code: 0,
    stdout: 'UniqueID: 501\n',
  });
  t.match(await run('/usr/bin/dscl', ['.', '-read', '/Users/_c', 'UniqueID']), {
    code: 56,
    stderr: /eDSRecordNotFound/,
  });
  const add = ['-addUser', '_c', '-UID', '300', '-GID', '20', '-roleAccount'];
  t.match(await run('/usr/sbin/sysadminctl', ['-addUser', 'c', '-roleAccount', '-UID', '300']), {
    code: 0,
    stderr: /must start with _/,
  });
  t.match(await run('/usr/sbin/sysadminctl', add), { code: 0 });
  t.match(await run('/usr/bin/dscl', ['.', '-list', '/Users', 'UniqueID']), { stdout: /^_c +300$/m });

  const launchctl = (...args: string[]) => run('/bin/launchctl', args);
  const plist = join(mac.root, 'a.plist');
  writeFileSync(
    plist,
    '<plist><dict><key>Label</key><string>a</string><key>ProgramArguments</key><array><string>/bin/a</string></array></dict></plist>',
    { mode: 0o644 },
  );
  t.match(await launchctl('print', 'system/a'), {
    code: 113,
    stderr: /Could not find service "a" in domain for system/,
  });
  t.match(await launchctl('bootstrap', 'gui/501', plist), { code: 125 });
  t.match(await launchctl('bootstrap', 'system', plist), { code: 0 });
  t.match(await launchctl('bootstrap', 'system', plist), {
    code: 5,
    stderr: /^Bootstrap failed: 5: Input\/output error/,
  });
  t.match(await launchctl('print', 'system/a'), { code: 0, stdout: /state = running[\s\S]*pid = \d+/ });
  mac.set('lingers', '1');
  t.match(await launchctl('bootout', 'system/a'), { code: 0 });
  t.match(await launchctl('bootstrap', 'system', plist), { code: 37 });
  await launchctl('print', 'system/a');
  t.match(await launchctl('print', 'system/a'), { code: 113 });
  t.match(await launchctl('bootout', 'system/a'), { code: 3 });
  mac.fail('launchctl', { argument: 'enable', code: 150, stderr: 'Not allowed', times: 1 });
  t.match(await launchctl('enable', 'system/a'), { code: 150, stderr: 'Not allowed' });
  t.match(await launchctl('enable', 'system/a'), { code: 0 });
  t.match(mac.calls('launchctl')[0], ['print', 'system/a']);
  t.match(mac.calls()[0], ['dscl', '.', '-read', '/Users/build', 'UniqueID']);
});
