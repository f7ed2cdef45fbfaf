// Reaches the guest of a virtual machine, and prepares it once for its tenant.
import path from 'node:path';
import { secureGuest } from '../../guest/secure-guest.js';
import { captureBaseline } from '../../guest/software/baseline.js';
import { inspectGuest, UnusableImageError } from '../../guest/software/inspect.js';
import { setUpSsh } from '../../guest/ssh-setup.js';
import { type SshGuest, sshTransport } from '../../guest/ssh-transport.js';
import type { GuestTransport } from '../../guest/transport.js';
import type { VmContext } from './context.js';
import { setGuestClock } from './guest-clock.js';
import { waitForGuest } from './guest-ready.js';
import { VmToolError } from './tool.js';
import type { VmFile } from './vm-store.js';

/** @param vm of a guest whose kind is known */
export function transportOf(context: VmContext, vm: Pick<VmFile, 'name' | 'guest'>): GuestTransport {
  if (vm.guest === 'ssh') return sshTransport(sshGuestOf(context, vm.name));
  const exec = context.tool.execTransport(vm.name);
  if (exec === null) throw new VmToolError('incompatible', `${context.tool.kind} reaches guests by ssh only`);
  return exec;
}

function sshGuestOf({ tool, settings, store, limits }: VmContext, name: string): SshGuest {
  return {
    user: settings.user,
    folder: path.join(store.folderOf(name), 'ssh'),
    connectS: limits.sshConnectS,
    aliveS: limits.sshAliveS,
    address: () => tool.address(name),
  };
}

/**
 * Waits until the guest of a started virtual machine can be used. The first time it also closes the guest to everyone except
 * this host, and reads what its image offers unless that is known.
 */
export async function makeGuestReady(context: VmContext, vm: VmFile): Promise<void> {
  const { settings, store, knowledge, limits, clock } = context;
  const known = vm.guest ?? knowledge.guestOf(vm.digest)?.guest ?? null;
  const guest = await waitForGuest(context, vm.name, settings.guest === 'auto' ? known : settings.guest);
  const transport = transportOf(context, { name: vm.name, guest });
  const call = { timeoutMs: limits.bootMs, clock };
  if (!vm.prepared) {
    const { password } = context;
    if (password === null) throw new Error('this process does not create Macs');
    if (guest === 'ssh') await setUpSsh(sshGuestOf(context, vm.name), password, call);
    else await secureGuest(transport, { password, ssh: null }, call);
  } else if (guest === 'ssh') await waitForLogin(context, vm.name);
  await setGuestClock(context, transport);
  // Only of a guest that nobody has used: a tenant could make this one say anything about the image.
  if ((!vm.prepared || vm.purpose === 'spare') && knowledge.guestOf(vm.digest) === null) {
    try {
      const { offers, user, home } = await inspectGuest(transport, context.software);
      knowledge.learn(vm.digest, { guest, user, home, offers });
    } catch (error) {
      if (error instanceof UnusableImageError) knowledge.markUnusable(vm.digest, error.said);
      throw error;
    }
  }
  if (!vm.prepared && knowledge.baseline(vm.digest) === null) await learnHome(context, vm, transport);
  store.update(vm.name, { guest, prepared: true, booting: false, failedBoots: 0 });
}

/** Without it, a reset that keeps caches creates a new Mac, so an error here is only logged. */
async function learnHome(context: VmContext, { name, digest }: VmFile, transport: GuestTransport): Promise<void> {
  const { knowledge, log, software } = context;
  try {
    knowledge.saveBaseline(digest, await captureBaseline(transport, software));
  } catch (error) {
    log.warn({ err: error, vm: name, digest }, 'the home folder of an image cannot be recorded');
  }
}

/** Its sshd listens, but its user database may come later. */
async function waitForLogin(context: VmContext, name: string): Promise<void> {
  const { password, limits, clock } = context;
  if (password === null) return;
  await setUpSsh(sshGuestOf(context, name), password, { timeoutMs: limits.bootMs, clock });
}
