// Creates, boots, shuts down and removes the virtual machines of this agent, one at a time where the tool or the system
// demands it.

import { pause } from '../../../shared/pause.js';
import { runInGuest } from '../../guest/run.js';
import { GuestError, GuestUnreachableError } from '../../guest/transport.js';
import { serial } from '../../system/serial.js';
import { NewMacNeededError } from '../driver.js';
import type { VmContext } from './context.js';
import { type Vm, type VmToolCode, VmToolError } from './tool.js';
import { makeGuestReady, transportOf } from './vm-guest.js';
import { isOwnName } from './vm-names.js';
import type { VmFile } from './vm-store.js';

/** Limit of the kernel and of Apple's license, including virtual machines of other programs. */
export const MOST_RUNNING = 2;

export type Machines = ReturnType<typeof createMachines>;

/** @param makeWay switches off a spare, so that another can run; returns false when there is none */
export function createMachines(context: VmContext, makeWay: () => Promise<boolean>) {
  const { tool, store, blocks, limits } = context;
  const starting = serial();
  const boots = new Map<string, Promise<void>>();
  const list = createList(context);

  const isRunning = async (name: string) => (await list()).some((vm) => vm.name === name && vm.state === 'running');

  const start = async (name: string) => {
    if (await isRunning(name)) return;
    await requirePlace(context, list, name, makeWay);
    try {
      await tool.start(name);
    } catch (error) {
      if (!(error instanceof VmToolError && error.code === 'already_running')) throw error;
    }
  };

  const boot = async (name: string) => {
    const vm = store.read(name);
    if (vm === null) throw new VmToolError('not_found', `${name} is not recorded on this host`);
    if (vm.prepared && !vm.booting && (await isRunning(name))) return;
    const begun = store.update(name, { booting: true }) ?? vm;
    try {
      await starting(() => start(name));
      if (begun.prepared) await waitForUsedGuest(context, begun);
      else await makeGuestReady(context, begun);
      blocks.lift('start');
    } catch (error) {
      throw explainBoot(context, error);
    }
  };

  return {
    /** Lists all virtual machines of the host. Calls that wait at the same time share one answer. */
    list,
    /** Clones the recorded image and sets the size. */
    async make(name: string) {
      const vm = store.read(name);
      if (vm === null) throw new VmToolError('not_found', `${name} is not recorded on this host`);
      if ((await tool.list()).some((other) => other.name === name)) {
        throw new VmToolError('exists', `a virtual machine named ${name} exists already`);
      }
      try {
        await tool.clone({ ref: vm.image, digest: vm.digest }, name);
        await tool.configure(name, vm.size);
      } catch (error) {
        if (error instanceof VmToolError) blocks.report(error, await context.freeBytes());
        throw error;
      }
    },
    /** Starts it, unless it runs, and waits until its guest can be used. Calls for one share one boot. */
    boot(name: string) {
      const going = boots.get(name);
      if (going) return going;
      const mine = boot(name).finally(() => boots.delete(name));
      boots.set(name, mine);
      return mine;
    },
    /** Shuts the guest down, and switches it off if that takes too long. */
    async shutDown(name: string) {
      if (!(await isRunning(name))) return;
      await askToShutDown(context, name);
      const deadline = context.clock.monotonic() + limits.shutdownMs;
      while ((await isRunning(name)) && context.clock.monotonic() < deadline)
        await pause(context.clock, limits.bootPollMs, context.closing);
      await tool.stop(name, limits.stopS);
    },
    /** Switches it off and deletes it with everything that this host keeps of it. Idempotent. */
    async destroy(name: string) {
      // Not shut down: nothing in it is kept, and a guest may ignore a shutdown.
      await tool.stop(name, limits.stopS);
      await tool.delete(name);
      await store.remove(name);
    },
    /** Number of virtual machines that are being booted. */
    booting: () => boots.size,
  };
}

function createList({ tool, blocks }: VmContext): () => Promise<Vm[]> {
  let asking: Promise<Vm[]> | null = null;
  let next: Promise<Vm[]> | null = null;
  const ask = async () => {
    try {
      const vms = await tool.list();
      blocks.lift('answer');
      return vms;
    } catch (error) {
      if (error instanceof VmToolError) blocks.report(error);
      throw error;
    }
  };
  const begin = () => {
    const mine = ask().finally(() => {
      if (asking === mine) asking = null;
    });
    asking = mine;
    return mine;
  };
  return () => {
    if (asking === null) return begin();
    // An earlier answer may not include the caller's last change.
    next ??= asking
      // Its own caller gets that error.
      .catch(() => undefined)
      .then(() => {
        next = null;
        return begin();
      });
    return next;
  };
}

/** @throws VmToolError `limit_reached` when as many run as may */
async function requirePlace(
  { settings, blocks }: VmContext,
  list: () => Promise<Vm[]>,
  name: string,
  makeWay: () => Promise<boolean>,
): Promise<void> {
  const others = async () => (await list()).filter((vm) => vm.state === 'running' && vm.name !== name);
  while ((await others()).length >= MOST_RUNNING) {
    if (await makeWay()) continue;
    // A spare may have ended by itself since.
    const running = await others();
    if (running.length < MOST_RUNNING) return;
    const names = running.map((vm) => vm.name).join(', ');
    const message = `${running.length} virtual machines run on this host already (${names}); macOS permits ${MOST_RUNNING}`;
    if (running.some((vm) => !isOwnName(settings.name_prefix, vm.name))) blocks.foreign(message);
    throw new VmToolError('failed', message);
  }
}

/** What a guest can cause by itself: the other codes come from the tool or the host. */
const OF_GUEST: readonly VmToolCode[] = ['failed', 'no_address', 'not_running'];

/**
 * Waits for a guest that was in use: what its tenant did to it may keep it from booting, and says nothing about the host.
 * It is switched off then, so that the next attempt boots it again.
 *
 * @throws NewMacNeededError after several such attempts: the tenant would wait for ever
 */
async function waitForUsedGuest(context: VmContext, vm: VmFile): Promise<void> {
  const { tool, store, limits } = context;
  try {
    await makeGuestReady(context, vm);
  } catch (error) {
    const ofGuest =
      error instanceof GuestError ||
      error instanceof GuestUnreachableError ||
      (error instanceof VmToolError && OF_GUEST.includes(error.code));
    if (!ofGuest) throw error;
    const failedBoots = vm.failedBoots + 1;
    store.update(vm.name, { failedBoots });
    await tool.stop(vm.name, limits.stopS);
    if (failedBoots < limits.bootAttempts) throw new VmToolError('failed', error.message, { cause: error });
    const message = `${vm.name} did not boot in ${failedBoots} attempts: ${error.message}`;
    throw new NewMacNeededError(message, { cause: error });
  }
}

/** Blocks the host if no virtual machine can be started now. Returns the error with advice for the operator. */
function explainBoot({ blocks }: VmContext, error: unknown): unknown {
  if (!(error instanceof VmToolError)) return error;
  const { code, message } = error;
  const more =
    code === 'limit_reached'
      ? '. This agent sees fewer than two: macOS counts one of another program, or one that has ended. In the second ' +
        'case, restart this host when it has no Macs'
      : code === 'keychain_locked'
        ? '. The login keychain of the user that runs the agent must be unlocked: log in at the screen, or let the user log in automatically'
        : '';
  const explained = new VmToolError(code, message + more, { cause: error });
  if (code === 'limit_reached' || code === 'keychain_locked' || code === 'no_address' || code === 'missing') {
    blocks.report(explained);
  }
  return explained;
}

async function askToShutDown(context: VmContext, name: string): Promise<void> {
  const { store, log, limits, clock } = context;
  const vm = store.read(name);
  if (vm === null || vm.guest === null) return;
  try {
    const argv = ['sudo', '-n', '/sbin/shutdown', '-h', 'now'];
    await runInGuest(transportOf(context, vm), argv, { timeoutMs: limits.bootAttemptMs, clock });
  } catch (error) {
    // A guest that shuts down ends the connection; one that cannot be reached is switched off.
    if (!(error instanceof GuestUnreachableError || error instanceof GuestError)) throw error;
    log.info({ err: error, vm: name }, 'the guest ended the connection while shutting down');
  }
}
