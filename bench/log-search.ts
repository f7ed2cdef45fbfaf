// A search in a log of 64 MiB, the most that a build keeps by default, against grep; and what appending costs.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogSearch } from '../control-plane/builds/domain/log-search.js';
import type { BuildLogs } from '../control-plane/builds/logs/build-logs.js';
import { createFsBuildLogs } from '../control-plane/builds/logs/fs-build-logs.js';
import { type Figure, median, print, ratio } from './report.js';

const megabytes = 67;
const rounds = 5;
/** Bytes of one append, as hosts send them. */
const piece = 64 * 1024;
const id = 'rb_search';

const words = `swift compile module import public final class struct override guard return result target project
  normal arm64 Sources Build Intermediates Objects Debug iphoneos framework bundle warning deprecated initialized
  variable immutable consider changing parameter unused closure escaping protocol extension delegate`.split(/\s+/);
/** A pseudo-random generator with the same seed in every run. */
function createNumbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
function createLog(colored: boolean): Buffer {
  const number = createNumbers(7);
  const some = (count: number) => Array.from({ length: count }, () => words[number(words.length)]).join(' ');
  const lines: string[] = [];
  for (let size = 0; size < megabytes * 1e6; ) {
    const i = lines.length;
    const kind = number(20);
    let line = `SwiftCompile normal arm64 /Users/ci/work/Sources/Module${number(400)}/File${number(9000)}.swift (in target '${some(1)}' from project 'App')`;
    if (kind < 4)
      line = `/Users/ci/work/Sources/File${number(9000)}.swift:${number(900)}:${number(80)}: warning: ${some(7)}`;
    if (kind === 4)
      line = `    cd /Users/ci/work && ${number(2 ** 31).toString(16)}${number(2 ** 31).toString(36)} ${some(5)}`;
    if (i === 400_000) line = 'ld: symbol(s) not found for architecture riscv';
    lines.push(colored ? `\x1b[32m${line.slice(0, 12)}\x1b[0m${line.slice(12)}\n` : `${line}\n`);
    size += lines[i]!.length;
  }
  return Buffer.from(lines.join(''));
}

async function search(logs: BuildLogs, text: string): Promise<number> {
  const found = createLogSearch({ text, from: 1, count: 1_000, lineChars: 16_384, pageChars: 4_194_304 });
  for await (const read of logs.stream(id)) found.read(read);
  return found.end().total;
}
async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; cpu: number; result: T }> {
  const started = process.hrtime.bigint();
  const used = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(used);
  return { ms: Number(process.hrtime.bigint() - started) / 1e6, cpu: (user + system) / 1e3, result };
}

const root = mkdtempSync(join(tmpdir(), 'cm-search-'));
const figures: Figure[] = [];
const add = (name: string, value: number, unit: string, base: number | null = null) =>
  figures.push({ name, value, unit, ratio: base === null ? null : ratio(value, base) });
try {
  for (const colored of [false, true]) {
    const kind = colored ? ', colors' : '';
    const log = createLog(colored);
    const folder = join(root, `${colored}`);
    const logs = createFsBuildLogs({
      root: folder,
      maxOpen: 8,
      maxBytes: 1e9,
      now: () => 1,
      onAppend: () => {},
    });
    const appended = await timed(async () => {
      for (let at = 0; at < log.length; at += piece) await logs.append(id, at, log.subarray(at, at + piece));
    });
    add(`append${kind}`, appended.cpu / (log.length / 1e6), 'ms CPU/MB');
    const file = `${join(folder, id.slice(-2), id)}.log`;
    for (const [name, text] of [
      ['absent word', 'notarytool'],
      ['rare word', 'riscv'],
      ['frequent word', 'deprecated'],
      ['two characters', 'xq'],
    ] as const) {
      const searched: number[] = [];
      const grepped: number[] = [];
      for (let round = 0; round < rounds; round++) {
        searched.push((await timed(() => search(logs, text))).ms);
        grepped.push((await timed(async () => void spawnSync('grep', ['-aicF', text, file]))).ms);
      }
      add(`${name}${kind}: grep -icF`, median(grepped), 'ms');
      add(`${name}${kind}: search`, median(searched), 'ms', median(grepped));
    }
    await logs.close();
  }
  print(`log search, ${megabytes} MB`, figures);
} finally {
  rmSync(root, { recursive: true, force: true });
}
