// Runs test files in a child process and parses its report.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../shared/clock.js';
import { claim, claimedBy } from '../../test/setup/claim.js';
import { type Queue, startsProcesses } from './choose.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/**
 * tap stops a process that takes longer and reports what was running; a process that does not respond is killed. On two cores
 * the long forms of 48 files took nearly 600 s, and a process runs up to 144.
 */
const TIMEOUT_S = 2_700;
/** No test takes as long to say anything: one that does waits for what does not come. */
const SILENCE_MS = 600_000;
/** Between the signal upon which tap reports what was running and the one that nothing outlives, ms. */
const LAST_WORDS_MS = 10_000;
/**
 * Saves a tenth of the processor time: V8 starts with a small heap and collects garbage often until it has grown, on threads
 * that compete with the other processes of a run for the cores.
 */
const HEAP = ['--initial-old-space-size=400', '--single-threaded-gc'];
/** MB for new objects. Saves another tenth, but starting processes takes longer the more memory the parent has touched. */
const NEW_SPACE = { usual: 64, spawning: 16 };

export interface Ran {
  readonly ok: boolean;
  /** TAP; its top-level lines are the files. */
  readonly report: string;
}

/** Where processes that share queues note which files they have taken. */
export function createClaims(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-claims-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Runs queues, `jobs` processes at a time. What a process has not run when it dies, another one runs.
 *
 * @param waiting where the caller may take queues out: no more processes are started then
 * @param report called when a process has ended
 */
export async function runQueues(
  waiting: Queue[],
  options: Parameters<typeof runProcess>[1] & { jobs: number; report?(one: Ran): void },
): Promise<Ran[]> {
  const ran: Ran[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const one = await runProcess(next, options);
      if (one === null) continue;
      ran.push(one);
      options.report?.(one);
      // It took at least one file, so this ends: nothing is left for the last one.
      if (!one.ok && !options.signal?.aborted) waiting.push(next);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, options.jobs) }, work));
  return ran;
}

/**
 * Runs files that no process has taken yet, one after another.
 *
 * @param queue of compiled tests, relative to the project's root
 * @returns null: all are taken
 */
export async function runProcess(
  { files, most }: Queue,
  options: { claims: string; show: boolean; times?: boolean; signal?: AbortSignal; silenceMs?: number },
): Promise<Ran | null> {
  const name = randomUUID();
  const first = files.find((file) => claim(options.claims, file, name));
  if (first === undefined) return null;
  const setup = ['no-domains', 'late-optimizing'].map((name) => `--import=./dist/test/setup/${name}.js`);
  const semiSpace = files.some(startsProcesses) ? NEW_SPACE.spawning : NEW_SPACE.usual;
  const heap = [...HEAP, `--min-semi-space-size=${semiSpace}`, `--max-semi-space-size=${semiSpace}`];
  // Where this variable is set, every Node process reads a file of certificate authorities when it starts, which takes 40 ms.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const args = [...heap, '--enable-source-maps', ...setup, 'dist/test/setup/share-process.js'];
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...env,
      TAP_TIMEOUT: String(TIMEOUT_S),
      TEST_FILES: [first, ...files].join('\n'),
      TEST_MOST: String(most),
      TEST_CLAIMS: options.claims,
      TEST_PROCESS: name,
      ...(options.times ? { TEST_TIMES: '1' } : {}),
    },
    timeout: (TIMEOUT_S + 30) * 1_000,
    killSignal: 'SIGKILL',
  });
  const stop = () => child.kill('SIGTERM');
  options.signal?.addEventListener('abort', stop);
  const hung = whenSilent(options.silenceMs ?? SILENCE_MS, () => {
    stop();
    return () => child.kill('SIGKILL');
  });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => {
    hung.heard();
    pieces.push(piece);
    if (options.show) process.stdout.write(piece);
  });
  const [code, signal]: (number | string | null)[] = await once(child, 'close');
  options.signal?.removeEventListener('abort', stop);
  hung.end();
  const report = Buffer.concat(pieces).toString();
  const { total, fail } = countsIn(report);
  if (code === 0 && total !== undefined && fail === undefined) return { ok: true, report };
  // Output may be lost when a process dies: what it took and did not report is where it was.
  const reported = new Set([...report.matchAll(/^(?:not )?ok \d+ - (\S+)/gm)].map(([, file]) => file));
  const current = claimedBy(options.claims, name).find((file) => !reported.has(file)) ?? first;
  const ended = `not ok - ${current} # ended with ${code ?? signal}${hung.happened() ? ' after a long silence' : ''}\n`;
  if (options.show) process.stdout.write(ended);
  return { ok: false, report: report + ended };
}

/** Calls `stop` after `ms` without a word, and what it returns if that does not help within 10 s. */
function whenSilent(ms: number, stop: () => () => void) {
  let silent = false;
  const begin = () => {
    silent = true;
    timer = systemClock.setTimeout(stop(), LAST_WORDS_MS);
  };
  let timer = systemClock.setTimeout(begin, ms);
  return {
    happened: () => silent,
    end: () => timer.cancel(),
    heard() {
      if (silent) return;
      timer.cancel();
      timer = systemClock.setTimeout(begin, ms);
    },
  };
}

/** Returns the counts of the closing line, e.g. `# { total: 9, pass: 8, fail: 1 }`. */
function countsIn(report: string): Record<string, number> {
  const line = report.match(/^# \{ total: .*\}$/gm)?.at(-1) ?? '';
  return Object.fromEntries([...line.matchAll(/(\w+): (\d+)/g)].map(([, name = '', n]) => [name, Number(n)]));
}

/** Returns one closing line for all reports. A process that did not finish counts as one failure. */
export function closing(ran: readonly Ran[]): string {
  const sum: Record<string, number> = { total: 0, pass: 0 };
  for (const { ok, report } of ran) {
    const counts = countsIn(report);
    if (!ok && counts.fail === undefined) Object.assign(counts, { total: (counts.total ?? 0) + 1, fail: 1 });
    for (const [name, n] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + n;
  }
  const counted = Object.entries(sum).map(([name, n]) => `${name}: ${n}`);
  return `# { ${counted.join(', ')} }`;
}

/** Returns table lines with the processor seconds of each file, highest first. */
export function timesIn(ran: readonly Ran[]): string[] {
  const lines = ran.flatMap(({ report }) => [
    ...report.matchAll(/^ *# processor seconds: (?<seconds>[\d.]+) (?<file>\S+)$/gm),
  ]);
  const rows = lines.map(({ groups }) => ({ seconds: Number(groups?.seconds), file: groups?.file ?? '' }));
  const sum = { seconds: rows.reduce((all, { seconds }) => all + seconds, 0), file: 'all' };
  return [...rows.toSorted((a, b) => b.seconds - a.seconds), sum].map(
    ({ seconds, file }) => `# ${seconds.toFixed(2).padStart(8)} s ${file}`,
  );
}

export const passedFiles = (report: string) => (report.match(/^ok .*$/gm) ?? []).join('\n');

/** Returns the report without the passed tests. */
export const failuresIn = (report: string) =>
  report
    .split('\n')
    .filter((line) => !/^ *(ok \d|# Subtest: |1\.\.\d|$)/.test(line))
    .join('\n');
