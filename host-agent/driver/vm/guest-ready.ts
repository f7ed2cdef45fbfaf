// Waits until commands run in a started virtual machine, and determines how they do: by the tool itself, or by ssh.
import { connect } from 'node:net';
import type { Clock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import type { GuestTransport } from '../../guest/transport.js';
import type { VmContext } from './context.js';
import { VmToolError } from './tool.js';

const SSH_PORT = 22;
const CONNECT_MS = 2_000;

/**
 * @param known how the image's guests are reached; null: not known yet
 * @throws VmToolError when it ends (with the reason), or takes longer than `bootMs`
 */
export async function waitForGuest(
  context: VmContext,
  name: string,
  known: 'exec' | 'ssh' | null,
): Promise<'exec' | 'ssh'> {
  const { tool, clock, limits } = context;
  const exec = known === 'ssh' ? null : tool.execTransport(name);
  const deadline = clock.monotonic() + limits.bootMs;
  let address: string | null = null;
  for (let sshSince: number | null = null; ; ) {
    if (exec !== null && (await runsCommands(exec, clock, limits.bootAttemptMs))) return 'exec';
    await requireRunning(context, name);
    if (known !== 'exec') {
      address = await addressOf(context, name);
      if (address !== null && (await listens(address))) {
        sshSince ??= clock.monotonic();
        if (exec === null || clock.monotonic() - sshSince >= limits.guestAgentMs) return 'ssh';
      }
    }
    if (clock.monotonic() >= deadline) throw lateError(name, known === 'exec' || address !== null, limits.bootMs);
    await pause(clock, limits.bootPollMs, context.closing);
  }
}

function lateError(name: string, hasAddress: boolean, ms: number): VmToolError {
  const late = `${name} did not boot within ${ms / 1000} s`;
  if (hasAddress) return new VmToolError('failed', late);
  return new VmToolError(
    'no_address',
    `${late}: it has no address. The DHCP server of this host may have none left: its leases last a day unless ` +
      'that is changed (com.apple.InternetSharing.default).',
  );
}

async function addressOf({ tool }: VmContext, name: string): Promise<string | null> {
  try {
    return await tool.address(name);
  } catch (error) {
    // The guest is not ready yet. The loop has just checked that it still runs.
    if (error instanceof VmToolError) return null;
    throw error;
  }
}

/** @throws the reason why the virtual machine has ended */
async function requireRunning({ tool }: VmContext, name: string): Promise<void> {
  const vm = (await tool.list()).find((one) => one.name === name);
  if (vm?.state === 'running' || vm?.state === 'unknown') return;
  throw (
    (await tool.endReason(name)) ??
    new VmToolError(vm ? 'not_running' : 'not_found', `${name} ended while it was booting`)
  );
}

/** Returns whether a command ends with success in the guest within `ms`. */
export async function runsCommands(transport: GuestTransport, clock: Clock, ms: number): Promise<boolean> {
  const connection = transport.open(['/usr/bin/true']);
  const timer = clock.setTimeout(() => connection.destroy(), ms);
  connection.stdin.on('error', () => undefined).end();
  connection.stdout.on('error', () => undefined).resume();
  try {
    return (await connection.closed).code === 0;
  } finally {
    timer.cancel();
    connection.destroy();
  }
}

function listens(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: SSH_PORT, timeout: CONNECT_MS });
    const end = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}
