// The network of virtual machines: their addresses, and whether the agent may reach them.

import { readFile } from 'node:fs/promises';
import { isVirtual } from '../../../shared/drivers.js';
import { isErrno } from '../../../shared/errno.js';
import { findingFix } from '../../../shared/messages/finding-fixes.js';
import { finding } from '../../../shared/messages/findings.js';
import type { AgentConfig } from '../../daemon/agent-config.js';
import { vmToolOf } from '../../driver/vm-tools.js';
import { asRoot, type Check, type CheckedHost, failed, notApplicable, ok, warning } from '../check.js';
import { macosOf } from './machine.js';
import { numberIn, preference } from './preferences.js';
import { isMissing } from './vm-tool.js';

const SHARING = '/Library/Preferences/SystemConfiguration/com.apple.InternetSharing.default';
const LONGEST_LEASE_S = 600;
/** What macOS gives when nothing is set. */
const DEFAULT_LEASE_S = 86_400;

const leaseTime: Check = {
  check: 'dhcp_lease_time',
  needs: 'macos',
  drivers: 'vm',
  name: () => 'DHCP lease time',
  why: 'Every new virtual machine takes one of 253 addresses, for a day unless the lease time is shorter.',
  help: `\`sudo defaults write ${SHARING} bootpd -dict-add DHCPLeaseTimeSecs -int ${LONGEST_LEASE_S}\``,
  async look(host) {
    const seconds = numberIn((await preference(host, SHARING, 'bootpd')) ?? '', 'DHCPLeaseTimeSecs');
    if (seconds !== null && seconds <= LONGEST_LEASE_S) return ok(finding('lease_time', { seconds }));
    const repair = ['write', SHARING, 'bootpd', '-dict-add', 'DHCPLeaseTimeSecs', '-int', String(LONGEST_LEASE_S)];
    const found =
      seconds === null
        ? finding('lease_time_default', { seconds: DEFAULT_LEASE_S })
        : finding('lease_time', { seconds });
    return warning(found, [asRoot('/usr/bin/defaults', ...repair)]);
  },
};

const LEASES = '/var/db/dhcpd_leases';
const ADDRESSES = 253;
const MANY = 200;

const leases: Check = {
  check: 'dhcp_leases',
  needs: 'macos',
  drivers: 'vm',
  name: () => 'DHCP leases',
  why: 'When all 253 addresses are taken, a new virtual machine gets none.',
  help: `while no virtual machine runs: \`sudo rm ${LEASES}\``,
  async look({ file, clock }) {
    let text: string;
    try {
      text = await readFile(file(LEASES), 'utf8');
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error;
      return ok(finding('none'));
    }
    const now = clock.now() / 1000;
    const ends = [...text.matchAll(/^\s*lease=0x([0-9a-f]{1,12})\s*$/gim)];
    const taken = ends.filter(([, hex = '']) => Number.parseInt(hex, 16) > now).length;
    const found = finding('leases_taken', { taken, all: ADDRESSES });
    if (taken < MANY) return ok(found);
    const fix = findingFix('remove_leases', { command: `sudo rm ${LEASES}` });
    return taken >= ADDRESSES - 3 ? failed(found, fix) : warning(found, fix);
  },
};

/** A refusal by macOS comes at once; a guest that is not there is noticed after seconds. */
const AT_ONCE_MS = 500;

const localNetwork: Check = {
  check: 'local_network',
  needs: 'macos',
  drivers: 'vm',
  name: () => 'Local Network',
  why: 'Since macOS 15 a program needs permission to reach addresses of the local network, where guests are. Without it ssh fails at once with "no route to host".',
  help: 'System Settings > Privacy & Security > Local Network; images with tart’s guest agent need no network; a launchd daemon needs no permission, but guests need a login keychain, which it lacks',
  async look(host) {
    const { major } = await macosOf(host);
    if (major < 15) return notApplicable(`macOS ${major} asks for no permission`);
    const address = await guestAddress(host);
    if (address === null) return notApplicable('no virtual machine runs; checked while one does');
    const { result, ms } = await host.connect(address, 22);
    if (result !== 'unreachable' || ms > AT_ONCE_MS) {
      return ok(
        result === 'no_answer' || result === 'unreachable'
          ? finding('guest_did_not_answer', { address })
          : finding('guest_reached', { address }),
      );
    }
    const fix = findingFix('allow_local_network');
    const needed = reachesBySsh(host.config);
    return needed
      ? failed(finding('macos_refuses', { address }), fix)
      : warning(finding('macos_refuses_some', { address }), fix);
  },
};

async function guestAddress({ tool }: CheckedHost): Promise<string | null> {
  if (tool === null) return null;
  const vms = await tool.list().catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  for (const { name, state } of vms) {
    const address = state === 'running' ? await tool.address(name) : null;
    if (address !== null) return address;
  }
  return null;
}

export const guestNetworkChecks = [leaseTime, leases, localNetwork] as const;

/** Whether guests are reached by ssh alone, so that nothing works without the local network. */
const reachesBySsh = ({ driver, ...config }: AgentConfig) =>
  isVirtual(driver) && vmToolOf(driver).settings(config[driver], {}).guest === 'ssh';
