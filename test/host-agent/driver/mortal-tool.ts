// The tool of an agent that is killed at a step: from then on, neither commands nor timers return.
import { PassThrough } from 'node:stream';
import type { VmTool } from '../../../host-agent/driver/vm/tool.js';
import type { GuestConnection } from '../../../host-agent/guest/transport.js';
import { type Clock, systemClock, type Timer } from '../../../shared/clock.js';

/** When the agent is killed at a step: before the command, while it runs, or when it ends. */
export type Moment = 'before' | 'during' | 'after';

export interface MortalTool {
  readonly tool: VmTool;
  readonly clock: Clock;
  /** Resolves with the name of the step at which the agent was killed. */
  readonly died: Promise<string>;
}

/** The methods that change something: each call is a step. So is each command in the guest. */
const STEPS = new Set<PropertyKey>(['pull', 'clone', 'configure', 'start', 'stop', 'delete']);

const never = <T>() => new Promise<T>(() => {});
const deaf = (): GuestConnection => ({
  stdin: new PassThrough().resume(),
  stdout: new PassThrough(),
  closed: never<{ code: null; stderr: string }>(),
  destroy: () => {},
});

/** @param step counted from 1 */
export function mortalTool(real: VmTool, step: number, moment: Moment): MortalTool {
  let left = step;
  let dead = false;
  let tell: (name: string) => void = () => {};
  const died = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const timers = new Set<Timer>();
  const die = (name: string) => {
    dead = true;
    // A pending one would keep the process of the tests alive.
    for (const timer of timers) timer.cancel();
    tell(name);
  };

  const command = (name: string, run: () => Promise<unknown>) => async () => {
    if (dead) return never();
    if (--left > 0) return run();
    if (moment === 'before') {
      die(name);
      return never();
    }
    const done = run();
    if (moment === 'during') die(name);
    // The result is lost.
    await done.catch(() => undefined);
    if (moment === 'after') die(name);
    return never();
  };

  const transport = (name: string) => {
    const found = real.execTransport(name);
    return (
      found && {
        ...found,
        open(argv: readonly string[]) {
          if (!dead && --left === 0) die('exec');
          return dead ? deaf() : found.open(argv);
        },
      }
    );
  };

  const tool = new Proxy(real, {
    get(target, key) {
      const method = Reflect.get(target, key) as unknown;
      if (key === 'execTransport') return transport;
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        const run = () => Promise.resolve(Reflect.apply(method, target, args));
        if (STEPS.has(key)) return command(String(key), run)();
        return dead ? never() : run().then((result) => (dead ? never() : result));
      };
    },
  });
  const clock: Clock = {
    ...systemClock,
    setTimeout(fn, ms) {
      if (dead) return { cancel: () => {} };
      const timer = systemClock.setTimeout(() => {
        timers.delete(timer);
        fn();
      }, ms);
      timers.add(timer);
      return timer;
    },
  };
  return { tool, clock, died };
}
