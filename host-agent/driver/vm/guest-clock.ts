// The clock of a guest, which stands still while its host sleeps.
import { runInGuest } from '../../guest/run.js';
import type { GuestTransport } from '../../guest/transport.js';
import type { VmContext } from './context.js';

/**
 * Sets the guest's clock to this host's if it is wrong by more than `clockSkewMs`. A failure is only logged: the guest's
 * builds run with a wrong clock too.
 */
export async function setGuestClock(
  { clock, limits, log }: Pick<VmContext, 'clock' | 'limits' | 'log'>,
  transport: GuestTransport,
): Promise<void> {
  const call = { timeoutMs: limits.bootAttemptMs, clock };
  const { stdout } = await runInGuest(transport, ['/bin/date', '+%s'], { ...call, maxBytes: 100 });
  const skewMs = Number(stdout.toString('latin1').trim()) * 1000 - clock.now();
  // True for NaN too.
  if (Math.abs(skewMs) <= limits.clockSkewMs + 1000) return;
  const seconds = String(Math.round(clock.now() / 1000));
  const { status, stderr } = await runInGuest(
    transport,
    // With a format, because that is how the date of BSD sets the clock, and of no other.
    ['sudo', '-n', 'date', '-u', '-f', '%s', seconds],
    call,
  );
  if (status !== 0)
    log.warn({ skew_ms: skewMs, status, stderr: stderr.slice(0, 300) }, 'cannot set the clock of a guest');
}
