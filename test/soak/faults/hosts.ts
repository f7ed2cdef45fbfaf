// Scripted hosts that stay connected as a host agent does: they connect again, and give up a connection that is silent.
import type { Test } from 'tap';
import { systemClock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import { createFakeHost, type FakeBuild } from '../../hosts/fake-host.js';

const SILENT_MS = 5_000;

export function keepHost(
  t: Test,
  options: { siteUrl: string; credential: string; run: (build: FakeBuild) => Promise<void> },
): void {
  const host = createFakeHost({ ...options, lostAfterMs: SILENT_MS });
  let over = false;
  const keep = async () => {
    while (!over) {
      // Not welcomed: it tries again, whatever the reason.
      await host.connect().then(
        () => host.closed(),
        () => undefined,
      );
      if (!over) await pause(systemClock, 200 * Math.random());
    }
  };
  const kept = keep();
  t.teardown(async () => {
    over = true;
    host.drop();
    await kept;
  });
}
