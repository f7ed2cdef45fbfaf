// Every check of the doctor, with the tools of macOS 14, 15 and 26: prepared machines, unprepared ones, and answers that
// nobody expects.
// Runs in: soak
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Status } from '../../../host-agent/doctor/check.js';
import { checks } from '../../../host-agent/doctor/checks/table.js';
import { healthOf } from '../../../host-agent/doctor/health.js';
import { runChecks } from '../../../host-agent/doctor/run-checks.js';
import { createSlotMarks } from '../../../host-agent/driver/slot-marks.js';
import { VmToolError } from '../../../host-agent/driver/vm/tool.js';
import { findings } from '../../../shared/messages/findings.js';
import { sentenceOf, uncoded } from '../../../shared/messages/message.js';
import { healthFinding, MOST_FINDINGS } from '../../../shared/protocol/index.js';
import { tempFolder } from '../runner/rig.js';
import { answer, type CheckedMac, GB, image, openMac, setDefault, statuses, sums, tool, vm } from './rig.js';

t.test('a prepared host has no findings', async (t) => {
  for (const version of ['14.7.2', '15.7.1', '26.1']) {
    const host = openMac(t, version);
    const machine = host.host();
    const found = await runChecks(machine, checks);
    const notOk = Object.entries(statuses(found)).filter(([, status]) => status !== 'ok');
    const expected = ['xcode', 'runtimes', ...(version === '14.7.2' ? ['local_network'] : [])];
    t.same(
      notOk.map(([name]) => name),
      found.map(({ check }) => check).filter((name) => expected.includes(name)),
      version,
    );
    t.ok(notOk.every(([, status]) => status === 'not_applicable'));
    const health = await healthOf(machine);
    t.equal(health.length, found.length - expected.length, 'only what applies is reported');
    for (const finding of health) t.same(healthFinding.parse(finding), finding, finding.check ?? '');
  }
  t.ok(checks.length <= MOST_FINDINGS);
  t.equal(new Set(checks.map(({ check }) => check)).size, checks.length);
});

const LOGIN = '/Library/Preferences/com.apple.loginwindow';
const UPDATE = '/Library/Preferences/com.apple.SoftwareUpdate';
const SHARING = '/Library/Preferences/SystemConfiguration/com.apple.InternetSharing.default';
const withTool = (more: object) => (host: CheckedMac) => {
  host.given = { ...host.given, tool: { ...tool, ...more } };
};
const give = (more: CheckedMac['given']) => (host: CheckedMac) => {
  host.given = { ...host.given, ...more };
};
const fails = (code: VmToolError['code'], message: string) => () => Promise.reject(new VmToolError(code, message));
const inMacs =
  (...names: string[]) =>
  (host: CheckedMac) => {
    const dataDir = tempFolder(t);
    for (const name of names) mkdirSync(join(dataDir, 'macs', name), { recursive: true });
    // The agent has marked one.
    createSlotMarks(join(dataDir, 'macs')).write('slot_1');
    host.given = { ...host.given, dataDir };
  };
const lease = (n: number, end: number) =>
  `{\n\tname=vm\n\tip_address=192.168.64.${n + 2}\n\thw_address=1,5a:94:ef:e4:c:ee\n\tlease=0x${end.toString(16)}\n}\n`;
const leases = (count: number, old = 0) =>
  Array.from({ length: count + old }, (_, n) => lease(n, n < count ? 0x7f_00_00_00 : 0x60_00_00_00)).join('');

type Row = readonly [
  check: string,
  change: (host: CheckedMac) => void,
  status: Status,
  found: RegExp,
  fix?: RegExp | null,
];

const rows: readonly Row[] = [
  ['disk', (h) => (h.inventory = { disk_free_bytes: GB }), 'failed', /^1\.0 GB free$/, /^Free 1\.0 GB: with less/],
  ['disk', (h) => (h.inventory = { disk_free_bytes: 20 * GB }), 'warning', /^20\.0 GB/, /an image with Xcode/],
  ['vm_tool', withTool({ version: fails('missing', 'no tart') }), 'failed', /^no tart$/, /Install the program/],
  ['vm_tool', withTool({ version: async () => '2.32.1' }), 'ok', /Fair Source 0\.9, free for up to 100/],
  ['vm_tool', withTool({ version: async () => '2.9.9' }), 'warning', /^2\.9\.9/, /tart 2\.30\.0 or newer/],
  ['vm_tool', withTool({ version: async () => 'nightly' }), 'ok', /docs\/drivers\.md/],
  ['vm_tool', withTool({ kind: 'lume', version: async () => '0.4.1' }), 'warning', /MIT/, /lume 0\.5\.0/],
  ['virtual_machines', withTool({ list: fails('missing', 'no tart') }), 'not_applicable', /tart is missing/],
  [
    'virtual_machines',
    withTool({ list: fails('keychain_locked', 'SecKeyCreateRandomKey_ios failed') }),
    'failed',
    /SecKey/,
    /unlock-keychain/,
  ] as unknown as Row,
  ['virtual_machines', withTool({ list: fails('failed', 'odd') }), 'failed', /^odd$/, /by hand/],
  ['virtual_machines', withTool({ list: async () => [vm('a'), vm('b')] }), 'warning', /2 belong/, /Stop/],
  [
    'virtual_machines',
    (h) => h.mac.set('processes', '/x/com.apple.Virtualization.VirtualMachine\n'.repeat(3)),
    ...(['warning', /2 belong to other programs/, /Stop/] as const),
  ],
  ['images', withTool({ images: async () => [] }), 'warning', /^none$/, /admin image pull/],
  ['images', withTool({ images: async () => [image('a'), image('a'), image('b')] }), 'ok', /^a, b$/],
  ['images', withTool({ images: fails('failed', 'no') }), 'failed', /^no$/, /by hand/],
  [
    'blocked',
    (h) => (h.inventory = { blocked: { code: 'vm_limit_leaked', message: 'still counted' } }),
    ...(['failed', /^vm_limit_leaked: still counted/, /shutdown -r now/] as const),
  ],
  [
    'blocked',
    (h) => (h.inventory = { blocked: { code: 'disk_full', message: 'full' } }),
    ...(['failed', /disk_full/, /continues by itself/] as const),
  ],
  ['blocked', give({ isDaemon: false }), 'not_applicable', /running agent/],
  ['macos', (h) => h.mac.set('macos', '12.7.6'), 'failed', /12\.7\.6/, /macOS 14/],
  ['macos', (h) => h.mac.set('macos', '13.6'), 'warning', /tart exec/, /macOS 14/],
  [
    'chip',
    (h) => h.mac.set('sysctl', 'machdep.cpu.brand_string: Intel(R) Core(TM) i7\nkern.hv_support: 1\n'),
    'failed',
    /Intel/,
    /Apple silicon/,
  ],
  [
    'chip',
    (h) =>
      h.mac.set('sysctl', 'machdep.cpu.brand_string: Apple M1 (Virtual)\nhw.optional.arm64: 1\nkern.hv_support: 0\n'),
    'failed',
    /without virtualization/,
    /driver local/,
  ],
  [
    'chip',
    (h) => h.mac.set('sysctl', 'machdep.cpu.brand_string: Apple M4\nhw.optional.arm64: 1\nsysctl.proc_translated: 1\n'),
    'warning',
    /Rosetta/,
    /darwin-arm64/,
  ],
  ['user', give({ user: { uid: 0, name: 'root', home: '/var/root' } }), 'failed', /macOS 15/, /--user USER/],
  [
    'user',
    give({ user: { uid: 0, name: 'root', home: '/var/root' }, tool: null }),
    'warning',
    /root too/,
    /--user USER/,
  ],
  [
    'user',
    give({ user: { uid: 0, name: 'root', home: '/var/root' }, isDaemon: false }),
    'warning',
    /left out/,
    /sudo -u ('#\d+'|USER) cidermill/,
  ],
  ['data_folder', give({ dataDir: '/none/here' }), 'not_applicable', /not enrolled/],
  ['macs_folder', give({ dataDir: '/none/here' }), 'ok', /only folders of Macs/],
  ['macs_folder', inMacs('slot_1', '.removed-slot_2', '.DS_Store'), 'ok', /only folders of Macs/],
  [
    'macs_folder',
    inMacs('slot_1', 'slot_1.bak', 'slot_1_old', 'a\x1b[2Jb'),
    'warning',
    /macs has entries that belong to no Mac: ab, slot_1\.bak, slot_1_old$/,
    /^Move these files elsewhere, or delete them\.$/,
  ],
  [
    'macs_folder',
    inMacs(...Array.from({ length: 7 }, (_, n) => `x.${n}`)),
    'warning',
    /: x\.0, x\.1, x\.2, x\.3, x\.4 and 2 more$/,
  ],
  ['data_folder', give({ dataDir: '/etc/hostname' }), 'failed', /not a folder/, /--data/],
  [
    'data_folder',
    give({ user: { uid: 502, name: 'other', home: '/' }, dataDir: '/etc' }),
    'failed',
    /belongs to the user 0/,
    /chown -R 502/,
  ],
  [
    'open_files',
    (h) => h.mac.set('limit-maxfiles', '256 1024'),
    'warning',
    /launchd allows 1024/,
    /^sudo launchctl limit maxfiles 65536 524288$/,
  ],
  ['open_files', give({ openFiles: async () => 256 }), 'warning', /^256 for/, /host-agent install/],
  ['open_files', give({ openFiles: async () => null }), 'ok', /not limited/],
  [
    'sleep',
    (h) => h.mac.unset('pmset'),
    'failed',
    /after 1 min/,
    /^sudo pmset -a sleep 0 disksleep 0 displaysleep 0 powernap 0$/,
  ],
  [
    'sleep',
    (h) => h.mac.set('pmset', 'sleep 0\npowernap 1\nhibernatemode 3\n'),
    'warning',
    /hibernatemode 3, powernap 1/,
    /^sudo pmset -a hibernatemode 0 powernap 0$/,
  ],
  [
    'power_failure',
    (h) => h.mac.set('pmset', 'sleep 0\nautorestart 0\nwomp 0\n'),
    'warning',
    /stays off/,
    /^sudo pmset -a autorestart 1 womp 1$/,
  ],
  [
    'power_failure',
    (h) => h.mac.set('pmset', 'sleep 0\nautorestart 1\nwomp 0\n'),
    'warning',
    /network/,
    /^sudo pmset -a womp 1$/,
  ],
  ['power_failure', (h) => h.mac.set('pmset', 'sleep 0\nhibernatemode 3\n'), 'not_applicable', /this model/],
  [
    'session',
    (h) => h.mac.unset(`session-${h.host().user.uid}`),
    'warning',
    /cidermill is not logged in/,
    /Log in as cidermill/,
  ],
  ['auto_login', (h) => setDefault(h.mac, LOGIN, 'autoLoginUser', null), 'warning', /nobody/, /agent’s user cidermill/],
  ['auto_login', (h) => setDefault(h.mac, LOGIN, 'autoLoginUser', 'ann'), 'warning', /^ann is .* runs as cidermill/],
  ['auto_login', give({ file: () => '/none' }), 'warning', /kcpassword/],
  [
    'filevault',
    (h) => h.mac.set('filevault', 'FileVault is On.'),
    'warning',
    /automatic login of cidermill has no effect/,
    /fdesetup authrestart/,
  ],
  [
    'filevault',
    (h) => h.mac.set('filevault', 'FileVault is Off, but will be enabled after the next restart.'),
    'warning',
    /^will be on/,
  ],
  ['filevault', (h) => h.mac.set('filevault', 'Encryption in progress: Percent completed = 41'), 'warning', /^on:/],
  [
    'keychain',
    (h) => h.mac.set('keychain', 'locked'),
    'failed',
    /locked/,
    /security unlock-keychain \/Users\/cidermill/,
  ],
  ['keychain', (h) => h.mac.set('keychain', 'missing'), 'failed', /does not exist/, /Log in once/],
  [
    'keychain',
    (h) => h.mac.set('keychain', 'timeout=300s'),
    'warning',
    /after 300 s/,
    /^security set-keychain-settings \//,
  ],
  ['keychain', (h) => h.mac.set('keychain', 'lock-on-sleep no-timeout'), 'warning', /sleeps/],
  [
    'screen_lock',
    (h) => h.mac.set('screen-lock', 'screenLock delay is immediate'),
    'warning',
    /immediate/,
    /-screenLock off/,
  ],
  ['screen_lock', (h) => h.mac.set('screen-lock', 'screenLock delay is 300 seconds'), 'warning', /300 seconds/],
  [
    'app_nap',
    (h) => setDefault(h.mac, 'NSGlobalDomain', 'NSAppSleepDisabled', null),
    'warning',
    /^on$/,
    /^defaults write NSGlobalDomain/,
  ],
  [
    'automatic_updates',
    (h) => setDefault(h.mac, UPDATE, 'AutomaticDownload', null),
    'warning',
    /^on: AutomaticDownload$/,
    /^sudo defaults write \S+ AutomaticDownload -bool false$/,
  ],
  [
    'automatic_updates',
    (h) => h.mac.set('defaults', ''),
    'warning',
    /MacOSUpdates, AutomaticDownload$/,
    / && sudo defaults/,
  ],
  [
    'automatic_updates',
    (h) => setDefault(h.mac, '/Library/Managed Preferences/com.apple.SoftwareUpdate', 'AutomaticDownload', '1'),
    'warning',
    /profile/,
    /device management/,
  ],
  [
    'dhcp_lease_time',
    (h) => setDefault(h.mac, SHARING, 'bootpd.DHCPLeaseTimeSecs', null),
    'warning',
    /86400 s, the default/,
    /-dict-add DHCPLeaseTimeSecs -int 600$/,
  ],
  ['dhcp_lease_time', (h) => setDefault(h.mac, SHARING, 'bootpd.DHCPLeaseTimeSecs', '3600'), 'warning', /^3600 s$/],
  ['dhcp_leases', (h) => h.file('var/db/dhcpd_leases', leases(199, 50)), 'ok', /^199 of 253$/],
  [
    'dhcp_leases',
    (h) => h.file('var/db/dhcpd_leases', leases(200)),
    'warning',
    /^200 of 253$/,
    /sudo rm \/var\/db\/dhcpd_leases/,
  ],
  ['dhcp_leases', (h) => h.file('var/db/dhcpd_leases', leases(253)), 'failed', /^253 of 253$/],
  [
    'local_network',
    give({ connect: async () => ({ result: 'unreachable', ms: 2 }) }),
    'warning',
    /refuses connections to 192\.168\.64\.5; images/,
    /System Settings/,
  ],
  ['local_network', give({ connect: async () => ({ result: 'unreachable', ms: 1_800 }) }), 'ok', /did not answer/],
  ['local_network', give({ connect: async () => ({ result: 'no_answer', ms: 2_000 }) }), 'ok', /did not answer/],
  ['local_network', withTool({ list: async () => [] }), 'not_applicable', /no virtual machine runs/],
  ['local_network', withTool({ list: fails('missing', 'no tart') }), 'not_applicable', /no virtual machine runs/],
  ['service', give({ enrolled: false }), 'not_applicable', /not enrolled/],
  ['service', give({ ask: async () => answer({ body: 'degraded: host_blocked: x\n' }) }), 'ok', /answers/],
  [
    'service',
    give({ ask: async () => answer({ status: 503, body: 'failed: disk\n' }) }),
    'failed',
    /503: failed: disk/,
    /log of the control plane/,
  ],
  [
    'service',
    give({ ask: async () => answer({ body: '<html>Sign in to the guest network' }) }),
    'failed',
    /is not Cidermill/,
    /proxy/,
  ],
  [
    'certificate',
    give({ ask: async () => answer({ certificate: { validTo: Date.parse('2026-12-01'), issuer: 'CA' } }) }),
    'warning',
    /8 more days, issued by CA/,
    /Renew/,
  ],
  ['certificate', (h) => (h.config = { control_plane: 'http://macs.example' }), 'warning', /not encrypted/, /https/],
  ['certificate', (h) => (h.config = { control_plane: 'http://127.0.0.1:8460' }), 'not_applicable', /on this machine/],
  ['clock', (h) => h.mac.set('sntp', '+12.5'), 'warning', /behind by 13 s/, /sntp -sS/],
  ['clock', (h) => h.mac.set('sntp', '-3600.250000'), 'failed', /ahead by 3600 s/, /usingnetworktime/],
  ['clock', (h) => h.mac.set('sntp', ''), 'ok', /differs by 0\.0 s/],
  ['version', give({ version: '1.1.9' }), 'warning', /1\.1\.9; the service has 1\.2\.0/, /admin host upgrade/],
  ['version', give({ version: '1.10.0' }), 'warning', /newer than the service’s 1\.2\.0/, /Upgrade the control plane/],
  ['version', give({ ask: async () => answer({ status: 404, body: '' }) }), 'ok', /^1\.2\.0$/],
  ['version', give({ ask: async () => answer({ body: sums('1.0.0', '1.2.0', '1.1.0') }) }), 'ok', /as the service/],
];

t.test('what each check finds, and what it says to do', async (t) => {
  const host = openMac(t);
  const same = new Set<string>();
  for (const [check, change, status, found, fix] of rows) {
    host.reset();
    change(host);
    const finding = await host.one(check);
    const title = `${check}: ${found.source}`;
    t.equal(finding.status, status, `${title}: ${finding.found}`);
    t.match(finding.found, found, title);
    if (status === 'ok' || status === 'not_applicable') t.equal(finding.fix, null, title);
    else t.match(finding.fix ?? '', fix ?? /./, title);
    t.equal(finding.ok, status !== 'failed');
    if (status === 'not_applicable') continue;
    const message = finding.messages?.found ?? uncoded('');
    t.equal(message.text, finding.found, title);
    if (sentenceOf(findings, 'ko', message) === null) same.add(finding.found);
  }
  t.same(
    [...same].filter((text) => /\b[a-z]{3,}/.test(text)),
    ['no tart', 'SecKeyCreateRandomKey_ios failed', 'odd', 'vm_limit_leaked: still counted', 'disk_full: full'],
    'the rest are sentences with a code; these are messages of tools',
  );
  // Findings that only the tests of real connections and of the local driver can make.
  const seen = new Set([...rows.map(([check]) => check), 'driver', 'xcode', 'runtimes']);
  t.same(
    checks.map(({ check }) => check).filter((check) => !seen.has(check)),
    [],
    'every check has a row',
  );
});

t.test('a clock that is right, and a service whose clock is wrong', async (t) => {
  const host = openMac(t);
  const { now } = host.host().clock;
  const at = (offset: number) => ({ theirs: now() + offset, sent: now(), answered: now() + 20 });
  host.given = { ...host.given, ask: async () => answer({ date: at(120_000) }) };
  t.match(await host.one('clock'), { status: 'warning', found: /clock of the service differs by 120 s/ });
  host.mac.set('sntp', '');
  t.match(await host.one('clock'), { status: 'failed', found: /behind by 120 s/ });
  host.given = { ...host.given, ask: async () => answer({ date: at(-9_500) }) };
  t.match(await host.one('clock'), { status: 'warning', found: /ahead by 9 s/ });
  host.given = { ...host.given, ask: () => Promise.reject(new Error('down')) };
  t.match(await host.one('clock'), { status: 'not_applicable' });
  host.given = { ...host.given, enrolled: false };
  t.match(await host.one('clock'), { status: 'not_applicable', found: /not enrolled/ });
});

t.test('guests that are reached by ssh need the permission for the local network', async (t) => {
  const host = openMac(t);
  host.given = { ...host.given, connect: async () => ({ result: 'unreachable', ms: 1 }) };
  host.config = { tart: { guest: 'ssh' } };
  t.match(await host.one('local_network'), { status: 'failed', ok: false });
  host.config = { driver: 'lume' };
  host.given = {
    ...host.given,
    tool: { ...tool, kind: 'lume' },
    driver: { ...host.host().driver, kind: 'lume' },
  };
  t.match(await host.one('local_network'), { status: 'failed' });
});

t.test('with the driver local, and on a system without launchd', async (t) => {
  const host = openMac(t);
  const driver = { kind: 'local' as const, inventory: host.host().driver.inventory };
  host.config = { driver: 'local' };
  host.given = { ...host.given, tool: null, driver };
  const found = statuses(await host.look());
  for (const check of checks) {
    t.equal(found[check.check] === 'not_applicable', check.drivers === 'vm', check.check);
  }
  host.inventory = { xcodes: [{ version: '26.1', build: null, developer_dir: '/x' }] };
  t.match(await host.one('xcode'), { status: 'ok', name: 'Xcode', found: '26.1' });
  host.given = { ...host.given, isMac: false };
  const calls = host.mac.calls().length;
  const elsewhere = statuses(await host.look());
  for (const check of checks) {
    const expected = check.drivers === 'vm' || check.needs === 'macos';
    t.equal(elsewhere[check.check] === 'not_applicable', expected, check.check);
  }
  t.equal(host.mac.calls().length, calls, 'no tool of macOS is called');
  host.mac.set('sntp', '+500.5');
  t.match(await host.one('clock'), { status: 'ok' });
});

t.test('as root, what belongs to the agent’s user is left out', async (t) => {
  const host = openMac(t);
  host.given = { user: { uid: 0, name: 'root', home: '/var/root' }, isDaemon: false };
  const found = statuses(await host.look());
  for (const check of ['session', 'keychain', 'screen_lock', 'app_nap']) t.equal(found[check], 'not_applicable', check);
  t.same(host.mac.calls('security'), [], 'the keychain of root is not asked about');
  setDefault(host.mac, LOGIN, 'autoLoginUser', 'somebody');
  t.match(await host.one('auto_login'), { status: 'ok', found: 'somebody' });
});

t.test('tools that print something else, fail, are missing or hang are warnings', async (t) => {
  const tools = ['sw_vers', 'sysctl', 'launchctl', 'pmset', 'defaults', 'fdesetup', 'security', 'sysadminctl'];
  const garbage = ['\x1b[31mnew\x1b[0m format\u202e of 2031', 'x'.repeat(100_000)];
  for (const text of garbage) {
    const host = openMac(t);
    for (const name of tools) host.mac.fail(name, { code: 0, stdout: text, stderr: text });
    const found = await host.look();
    for (const { check, status, found: said } of found) {
      t.ok(said.length <= 300, check);
      t.notMatch(said, /[\x00-\x1f\u202e]/, check);
      t.not(status, 'failed', `${check}: ${said}`);
    }
    const unread = found.filter(({ found: said }) => /cannot be read/.test(said)).map(({ check }) => check);
    t.strictSame(
      unread.filter((check) =>
        ['macos', 'chip', 'open_files', 'sleep', 'filevault', 'keychain', 'session'].includes(check),
      ),
      ['macos', 'chip', 'open_files', 'sleep', 'session', 'filevault', 'keychain'],
    );
  }
  const failing = openMac(t);
  for (const name of tools) failing.mac.fail(name, { code: 139, stderr: 'Segmentation fault' });
  t.match(await failing.one('automatic_updates'), {
    status: 'warning',
    found: /cannot be read: Segmentation fault/,
  });
  t.match(await failing.one('power_failure'), {
    status: 'warning',
    found: /cannot be read/,
    fix: /docs\/doctor\.md/,
  });
  failing.given = {
    ...failing.given,
    run: async () => ({ code: 124, stdout: '', stderr: 'did not end in 10 s' }),
  };
  t.match(await failing.one('keychain'), { status: 'failed', found: /locked/ }, 'a dialog waits for the password');
  t.match(await failing.one('sleep'), { status: 'warning', found: /did not end in 10 s/ });
  failing.given = {
    ...failing.given,
    run: async () => ({ code: 127, stdout: '', stderr: '/usr/bin/pmset was not found' }),
  };
  t.match(await failing.one('sleep'), { status: 'warning', found: /was not found/ });
});

t.test('simulator runtimes that the operator has fetched', async (t) => {
  const host = openMac(t);
  const folder = tempFolder(t);
  t.match(await host.one('runtimes'), { status: 'not_applicable' });
  host.config = { tart: { runtimes_dir: folder } };
  t.match(await host.one('runtimes'), { status: 'ok', found: `none in ${folder}` });
  for (const file of ['iphonesimulator_26.1_23B86.dmg', 'iOS_17.2_Simulator_Runtime.dmg', 'notes.txt']) {
    writeFileSync(join(folder, file), '');
  }
  t.match(await host.one('runtimes'), { ok: true, found: 'iOS 17.2, iOS 26.1 (23B86)', fix: null });
  writeFileSync(join(folder, 'simulator.dmg'), '');
  t.match(await host.one('runtimes'), { ok: false, fix: /: simulator\.dmg$/ });
  host.config = { tart: { runtimes_dir: join(folder, 'typo') } };
  t.match(await host.one('runtimes'), { ok: false, found: /ENOENT/, fix: /runtimes_dir/ });
});

t.test('a data folder that others can read', async (t) => {
  const host = openMac(t);
  const folder = tempFolder(t);
  chmodSync(folder, 0o755);
  const uid = process.getuid?.() ?? 0;
  host.given = { dataDir: folder, user: { uid, name: 'me', home: '/' } };
  t.match(await host.one('data_folder'), {
    status: 'warning',
    found: /mode 755/,
    fix: `chmod 700 ${folder}`,
    automatic: true,
  });
});
