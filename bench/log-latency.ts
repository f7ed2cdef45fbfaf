// How long after it is printed a follower reads a line, while 50 builds print a line every 200 ms and each is followed: from
// the clock of the build to the reader of the API's text stream. Against the same programs on bare node-ptys in one process.
// First argument the builds, second the milliseconds between the lines of a build. With `--postgres N` the service is N programs
// on one database of PostgreSQL: the host is connected to the first one, and followers read from the others.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { spawn as spawnPty } from 'node-pty';
import { print, ratio } from './report.js';
import { bin, startService } from './service.js';
import { startSeveral } from './several.js';

const words = process.argv.slice(2).filter((word) => word !== '--json');
const option = words.indexOf('--postgres');
const [, processes = null] = option < 0 ? [] : words.splice(option, 2).map(Number);
const [builds = 50, everyMs = 200] = words.map(Number);
const MEASURED_MS = 10_000;
const STARTED_WITHIN_MS = 120_000;

const root = mkdtempSync(join(tmpdir(), 'cm-latency-'));
const empty = join(root, 'app');
mkdirSync(empty);
writeFileSync(join(empty, 'README'), 'empty\n');
const program = join(root, 'lines.pl');
// Prints until it is killed.
writeFileSync(
  program,
  `use Time::HiRes qw(time sleep); $| = 1; while (1) { printf "line at %.3f\\n", 1000 * time; sleep ${everyMs / 1000}; }\n`,
);

/** Collects the ages, in ms, of the lines that one build prints. */
class Ages {
  seen = 0;
  counted: number[] = [];
  #rest = '';
  add(text: string): void {
    const now = performance.timeOrigin + performance.now();
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, at] = /^line at ([\d.]+)/.exec(line) ?? [];
      if (at === undefined) continue;
      this.seen++;
      this.counted.push(now - Number(at));
    }
  }
}

/** Returns the ages of all lines of a while in which all of them print, ascending. */
async function measure(all: readonly Ages[]): Promise<number[]> {
  const deadline = performance.now() + STARTED_WITHIN_MS;
  while (all.some(({ seen }) => seen === 0)) {
    if (performance.now() > deadline) throw new Error('not every build has printed a line in time');
    await pause(100);
  }
  await pause(2_000);
  for (const ages of all) ages.counted = [];
  await pause(MEASURED_MS);
  return all.flatMap(({ counted }) => counted).sort((a, b) => a - b);
}

async function ours(): Promise<number[]> {
  const limits = { CIDERMILL_CONCURRENT_BUILDS: String(builds), CIDERMILL_QUEUED_BUILDS: String(builds) };
  const service =
    processes === null
      ? await startService(limits, ['--macs', String(builds), '--free', '0'])
      : await startSeveral(processes, limits, builds);
  /** Where the build of this number is followed. */
  const followedAt = (n: number) =>
    'others' in service ? (service.others[n % service.others.length] ?? service.base_url) : service.base_url;
  const headers = { authorization: `Bearer ${service.api_key}`, 'content-type': 'application/json' };
  const script = `exec perl ${program}`;
  const ids: string[] = [];
  const followed: Promise<void>[] = [];
  try {
    const words = ['build', '--dir', empty, '--detach', '--json', '--script', 'true'];
    const first = execFileSync(process.execPath, [bin, ...words], { env: service.env, encoding: 'utf8' });
    const { upload_id } = JSON.parse(first) as { upload_id: string };
    const all: Ages[] = [];
    for (let n = 0; n < builds; n++) {
      const body = JSON.stringify({ script, upload_id });
      const answer = await fetch(`${service.base_url}/builds`, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(await answer.text());
      const { id } = (await answer.json()) as { id: string };
      const ages = new Ages();
      ids.push(id);
      all.push(ages);
      followed.push(follow(`${followedAt(n)}/builds/${id}/log?format=text&wait=3600`, headers, ages));
    }
    return await Promise.race([measure(all), Promise.all(followed).then(() => Promise.reject(new Error('all ended')))]);
  } finally {
    for (const id of ids)
      await fetch(`${service.base_url}/builds/${id}/cancel`, { method: 'POST', headers, body: '{}' });
    // A log ends with its build.
    await Promise.allSettled(followed);
    await pause(1_000);
    await service.stop();
  }
}

async function follow(url: string, headers: Record<string, string>, ages: Ages): Promise<void> {
  const { ok, body } = await fetch(url, { headers });
  if (!ok || body === null) throw new Error(`${url} cannot be followed`);
  const decoder = new TextDecoder();
  for await (const chunk of body) ages.add(decoder.decode(chunk, { stream: true }));
}

async function bare(): Promise<number[]> {
  const all = Array.from({ length: builds }, () => new Ages());
  const ptys = all.map((ages) => {
    const pty = spawnPty('perl', [program], {});
    pty.onData((text) => ages.add(text.replaceAll('\r', '')));
    return pty;
  });
  try {
    return await measure(all);
  } finally {
    for (const pty of ptys) pty.kill();
  }
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
try {
  const theirs = await bare();
  const own = await ours();
  const row = (name: string, share: number) => {
    const [value, base] = [at(own, share), at(theirs, share)];
    return [
      { name: `follower of the log: ${name}`, value, unit: 'ms', ratio: ratio(value, base) },
      { name: `bare node-pty: ${name}`, value: base, unit: 'ms', ratio: 1 },
    ];
  };
  const where = processes === null ? '' : `, ${processes} processes on PostgreSQL`;
  print(`age of a line${where}, ${builds} builds, a line every ${everyMs} ms, ${own.length} lines`, [
    ...row('median', 0.5),
    ...row('99th percentile', 0.99),
  ]);
} finally {
  rmSync(root, { recursive: true, force: true });
}
