// A Mac for the doctor's checks: the tools of macOS are stand-ins, everything else can be given.
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import type { AgentConfigInput } from '../../../host-agent/daemon/agent-config.js';
import { parseConfig } from '../../../host-agent/daemon/config.js';
import type { CheckedHost, Status } from '../../../host-agent/doctor/check.js';
import { sharedRun } from '../../../host-agent/doctor/checked-host.js';
import { checks } from '../../../host-agent/doctor/checks/table.js';
import type { Finding } from '../../../host-agent/doctor/report.js';
import { runChecks } from '../../../host-agent/doctor/run-checks.js';
import { directly, openNetwork } from '../../../host-agent/system/network.js';
import { systemClock } from '../../../shared/clock.js';
import { findingFixes } from '../../../shared/messages/finding-fixes.js';
import { sentenceOf } from '../../../shared/messages/message.js';
import type { Inventory } from '../../../shared/protocol/index.js';
import { type MacTools, openMacTools } from '../../harness/macos/tools.js';
import { tempFolder } from '../runner/rig.js';

export const GB = 1e9;
const NOW = Date.parse('2026-11-22T10:00:00Z');

export interface CheckedMac {
  readonly mac: MacTools;
  /** Everything that checks see but the tools; changed by tests. */
  given: Partial<CheckedHost>;
  inventory: Partial<Inventory>;
  config: Partial<AgentConfigInput>;
  host(): CheckedHost;
  /** As it was when it was opened. */
  reset(): void;
  /** Makes a file of the system. */
  file(path: string, content: string): void;
  look(...names: string[]): Promise<Finding[]>;
  /** Returns the finding of one check. */
  one(name: string): Promise<Finding>;
}

export const inventory: Inventory = {
  hostname: 'mini-1',
  os: 'Darwin 25.1.0',
  arch: 'arm64',
  cpu_cores: 10,
  memory_bytes: 32 * GB,
  disk_free_bytes: 400 * GB,
  driver: 'tart',
  xcodes: [],
  blocked: null,
};

export const vm = (name: string, state: 'running' | 'stopped' = 'running') => ({
  name,
  state,
  diskBytes: null,
  usedBytes: null,
});
export const image = (ref: string) => ({ ref, digest: null, bytes: 1, diskBytes: null });

export const tool: NonNullable<CheckedHost['tool']> = {
  kind: 'tart',
  version: async () => '2.36.0',
  list: async () => [vm('cidermill-0123456789'), vm('notes', 'stopped')],
  images: async () => [image('ghcr.io/acme/macos:26')],
  address: async () => '192.168.64.5',
};

/** Opens a Mac that is prepared as docs/doctor.md says: every check is ok. */
export function openMac(t: Test, version = '15.7.1'): CheckedMac {
  const mac = openMacTools(t);
  const dataDir = tempFolder(t);
  // Root runs the tests of a user without privileges.
  const uid = process.getuid?.() || 501;
  chownSync(dataDir, uid, -1);
  prepare(mac, version, uid);
  const self: CheckedMac = {
    mac,
    given: {},
    inventory,
    config: {},
    host: () => ({
      config: parseConfig({ control_plane: 'https://macs.example', driver: 'tart', ...self.config }),
      dataDir,
      enrolled: true,
      isMac: true,
      tool,
      reserveBytes: 2 * GB,
      isDaemon: true,
      version: '1.2.0',
      user: { uid, name: 'cidermill', home: '/Users/cidermill' },
      driver: { kind: 'tart', inventory: async () => ({ ...inventory, ...self.inventory }) },
      run: sharedRun(mac.run),
      file: (path) => join(mac.root, path),
      connect: async () => ({ result: 'refused', ms: 1 }),
      ask: async (path) => (path === '/healthz' ? answer() : answer({ body: sums('1.2.0') })),
      network: openNetwork(directly),
      openFiles: async () => 65_536,
      clock: { ...systemClock, now: () => NOW },
      ...self.given,
    }),
    reset() {
      rmSync(join(mac.root, 'state'), { recursive: true });
      rmSync(join(mac.root, 'var'), { recursive: true, force: true });
      mkdirSync(join(mac.root, 'state'));
      prepare(mac, version, uid);
      Object.assign(self, { given: {}, inventory: {}, config: {} });
    },
    file(path, content) {
      mkdirSync(dirname(join(mac.root, path)), { recursive: true });
      writeFileSync(join(mac.root, path), content);
    },
    async look(...names) {
      const chosen = checks.filter(({ check }) => names.length === 0 || names.includes(check));
      const findings = await runChecks(self.host(), chosen);
      for (const finding of findings) isCommandOrMessage(t, finding);
      return findings;
    },
    async one(name) {
      const [finding] = await self.look(name);
      if (finding === undefined) throw new Error(`there is no check ${name}`);
      return finding;
    },
  };
  self.file('etc/kcpassword', 'x');
  return self;
}

function prepare(mac: MacTools, version: string, uid: number): void {
  mac.set('macos', version);
  mac.set(`session-${uid}`);
  mac.set('pmset', 'sleep 0\ndisksleep 0\ndisplaysleep 0\nhibernatemode 0\npowernap 0\nautorestart 1\nwomp 1\n');
  const update = '/Library/Preferences/com.apple.SoftwareUpdate';
  const sharing = '/Library/Preferences/SystemConfiguration/com.apple.InternetSharing.default';
  mac.set(
    'defaults',
    [
      '/Library/Preferences/com.apple.loginwindow|autoLoginUser|cidermill',
      ...['AutomaticallyInstallMacOSUpdates', 'AutomaticDownload'].map((key) => `${update}|${key}|0`),
      `${update}|AutomaticCheckEnabled|1`,
      `${sharing}|bootpd.DHCPLeaseTimeSecs|600`,
      'NSGlobalDomain|NSAppSleepDisabled|1',
      '',
    ].join('\n'),
  );
}

/** Sets one value that `defaults` reads; null: removes it. */
export function setDefault(mac: MacTools, domain: string, key: string, value: string | null): void {
  const others = (mac.read('defaults') ?? '').split('\n').filter((line) => !line.startsWith(`${domain}|${key}|`));
  mac.set('defaults', [...others, ...(value === null ? [] : [`${domain}|${key}|${value}`])].join('\n'));
}

export const answer = (given: object = {}) => ({
  status: 200,
  body: 'ok\n',
  date: { theirs: NOW, sent: NOW, answered: NOW + 20 },
  certificate: { validTo: NOW + 60 * 86_400_000, issuer: 'Example CA' },
  ...given,
});

export const sums = (...versions: string[]) =>
  versions.map((text) => `${'0'.repeat(64)}  cidermill-host-agent-${text}-darwin-arm64.tar.gz\n`).join('');

/** @example statuses(findings) // { sleep: 'ok', … } */
export const statuses = (findings: readonly Finding[]): Record<string, Status> =>
  Object.fromEntries(findings.map(({ check, status }) => [check, status]));

/** Commands stay as they are; sentences have a code, and are said in the language of the person. */
function isCommandOrMessage(t: Test, { fix, messages }: Finding): void {
  if (fix === null) return;
  t.equal(messages?.fix?.text, fix);
  if (messages?.fix?.code === null) t.match(fix, /^(?:sudo |security |defaults |\/?\S*chmod )/);
  else t.match(messages?.fix && sentenceOf(findingFixes, 'ko', messages.fix), /[가-힣]/u, fix);
}
