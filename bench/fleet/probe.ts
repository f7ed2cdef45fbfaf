// Loaded into the processes of the control plane (`--import`): measures them from within, on request of the bench.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { serve } from './child.js';

const RESOLUTION_MS = 5;
const COLLECTIONS = 4;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let session: Session | null = null;

export interface Memory {
  readonly rss: number;
  /** In the heap and outside of it, what is referenced. */
  readonly used: number;
}

export interface Lag {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Memory after a full collection. */
async function memory(): Promise<Memory> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let i = 0; i < COLLECTIONS; i++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, used: heapUsed + external };
}

/** How much later than planned timers were. */
function lag(): Lag {
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  return { p50: late(delay.percentile(50)), p99: late(delay.percentile(99)), max: late(delay.max) };
}

serve({
  memory,
  lag,
  restart() {
    delay.reset();
    delay.enable();
  },
  async profile() {
    session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
  },
  async profiled(file: string) {
    if (session === null) return;
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(file, JSON.stringify(profile));
    session.disconnect();
    session = null;
  },
});
