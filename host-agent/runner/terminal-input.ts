// Ends waiting for keys. The terminal of a build has no input: reads of it return its end at once, until a program asks the
// terminal for keys itself (`vi`, `less`) and waits for them.
import { spawn } from 'node:child_process';
import type { Clock, Timer } from '../../shared/clock.js';

/** The time doubles while nothing is printed, up to this. */
const LONGEST_MS = 60_000;
/** `time` of the wrapper's own wait after the script: other programs that wait for keys use 0. */
export const LEADER_TIME = 7;
/** A program that goes on asking is left to the limits of the build. */
const MOST = 20;

export interface TerminalInput {
  /** There was output. Cheap: called for every chunk. */
  heard(): void;
  stop(): void;
}

/**
 * Looks at the terminal's settings when the script has printed nothing for a while. If a program waits for keys there, the
 * input ends again, and a key is sent to wake the program up, which then reads the end.
 *
 * @param options.terminal an open file descriptor of the script's end
 * @param options.send writes to the other end
 * @param options.onEnded called each time that a program was woken up
 */
export function endTerminalInput(options: {
  terminal: number;
  send: (text: string) => void;
  clock: Clock;
  quietMs: number;
  onEnded: () => void;
}): TerminalInput {
  const { terminal, send, clock, quietMs, onEnded } = options;
  let heardAt = clock.monotonic();
  let wait = quietMs;
  let left = MOST;
  let stopped = false;
  let timer: Timer | null = null;

  const schedule = (ms: number) => {
    if (!stopped && left > 0) timer = clock.setTimeout(() => void check(), ms);
  };
  const check = async () => {
    const quiet = clock.monotonic() - heardAt;
    if (quiet < quietMs) {
      wait = quietMs;
      return schedule(quietMs - quiet);
    }
    if (waitsForKeys(await stty(terminal, ['-a'])) && !stopped) {
      left -= 1;
      await stty(terminal, ['-icanon', 'min', '0', 'time', '0']);
      if (stopped) return;
      send(END_OF_TRANSMISSION);
      onEnded();
    }
    wait = Math.min(wait * 2, LONGEST_MS);
    schedule(wait);
  };
  schedule(quietMs);

  return {
    heard() {
      heardAt = clock.monotonic();
    },
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}

/** ^D: the end of the input to a program that reads lines, and harmless to editors and pagers. */
const END_OF_TRANSMISSION = '\x04';

/**
 * Returns whether a program's read of the terminal waits, from what `stty -a` prints on Linux or macOS.
 *
 * @example waitsForKeys('lflags: -icanon isig\ncchars: min = 0; time = 0;') // false
 */
export function waitsForKeys(settings: string): boolean {
  const isCanonical = /(?:^|[\s:])icanon\b/m.test(settings);
  const numberOf = (name: string) => Number(new RegExp(`\\b${name} = (\\d+);`).exec(settings)?.[1] ?? 0);
  return isCanonical || (numberOf('min') > 0 && numberOf('time') !== LEADER_TIME);
}

/** Returns what it prints; '' when it fails, because the terminal is closed. */
function stty(terminal: number, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn('/bin/stty', args, { env: {}, stdio: [terminal, 'pipe', 'ignore'] });
    let printed = '';
    child.stdout?.on('data', (data) => {
      printed += String(data);
    });
    child.on('error', () => resolve(''));
    child.on('close', (code) => resolve(code === 0 ? printed : ''));
  });
}
