// A search in a log of 100 MB with its index, against a full scan, and against grep; and the cost of the index
// while the log grows.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogSearch } from '../control-plane/builds/domain/log-search.js';
import type { BuildLogs, LogRange } from '../control-plane/builds/logs/build-logs.js';
import { createFsBuildLogs } from '../control-plane/builds/logs/fs-build-logs.js';
import { type Figure, median, print, ratio } from './report.js';

const megabytes = 100;
const rounds = 5;
/** Bytes of one append, as hosts send them. */
const piece = 64 * 1024;
const id = 'rb_search';

const words =
  `swift compile module import public final class struct override guard return result target project
  normal arm64 Sources Build Intermediates Objects Debug iphoneos framework bundle warning deprecated initialized
  variable immutable consider changing parameter unused closure escaping protocol extension delegate`.split(
    /\s+/,
  );
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

async function search(logs: BuildLogs, text: string, ranges: readonly LogRange[]) {
  const found = createLogSearch({ text, from: 1, count: 1_000, lineChars: 16_384, pageChars: 4_194_304 });
  let bytes = 0;
  for (const range of ranges) {
    found.goTo(range.firstLine, range.start);
    for await (const read of logs.stream(id, range)) {
      bytes += read.length;
      found.read(read);
    }
  }
  return { total: found.end().total, bytes };
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
    const appended = async (filterBytes: number, round: number) => {
      const folder = join(root, `${colored}-${filterBytes}-${round}`);
      mkdirSync(folder);
      const logs = createFsBuildLogs({
        root: folder,
        maxOpen: 8,
        maxBytes: 1e9,
        filterBytes,
        now: () => 1,
        onAppend: () => {},
      });
      const took = await timed(async () => {
        for (let at = 0; at < log.length; at += piece)
          await logs.append(id, at, log.subarray(at, at + piece));
      });
      return { logs, folder, cpu: took.cpu / (log.length / 1e6), ms: took.ms / (log.length / 1e6) };
    };
    const costs = { with: [] as number[], without: [] as number[] };
    let last: Awaited<ReturnType<typeof appended>> | null = null;
    for (let round = 0; round < rounds; round++) {
      for (const filterBytes of [0, 8192]) {
        await last?.logs.close();
        if (last) rmSync(last.folder, { recursive: true });
        last = await appended(filterBytes, round);
        costs[filterBytes ? 'with' : 'without'].push(last.cpu);
      }
    }
    const { logs, folder } = last!;
    const base = join(folder, id.slice(-2), id);
    add(`append without index${kind}`, median(costs.without), 'ms CPU/MB');
    add(`append with index${kind}`, median(costs.with), 'ms CPU/MB', median(costs.without));
    add(`index on disk${kind}`, statSync(`${base}.search`).size / 1e6, 'MB', log.length / 1e6);
    for (const [name, text] of [
      ['absent word', 'notarytool'],
      ['rare word', 'riscv'],
      ['frequent word', 'deprecated'],
      ['two characters', 'xq'],
    ] as const) {
      const all = { start: 0, end: log.length, firstLine: 1 };
      const without: number[] = [];
      const withIndex: number[] = [];
      const grep: number[] = [];
      let bytes = 0;
      for (let round = 0; round < rounds; round++) {
        const full = await timed(() => search(logs, text, [all]));
        const indexed = await timed(async () => search(logs, text, await logs.rangesWith(id, text)));
        if (full.result.total !== indexed.result.total) throw new Error(`${text}: other lines were found`);
        bytes = indexed.result.bytes;
        without.push(full.ms);
        withIndex.push(indexed.ms);
        const grepped = await timed(async () => {
          try {
            execFileSync('grep', ['-aicF', text, `${base}.log`]);
          } catch {
            // No match: grep exits with 1.
          }
        });
        grep.push(grepped.ms);
      }
      add(`${name}${kind}: whole log read`, median(without), 'ms');
      add(`${name}${kind}: with index`, median(withIndex), 'ms', median(without));
      add(`${name}${kind}: grep -icF`, median(grep), 'ms', median(without));
      add(`${name}${kind}: bytes of the log read with index`, bytes / 1e6, 'MB', log.length / 1e6);
    }
    rmSync(`${base}.search`);
    await logs.close();
    const anew = createFsBuildLogs({
      root: folder,
      maxOpen: 8,
      maxBytes: 1e9,
      filterBytes: 8192,
      now: () => 1,
      onAppend: () => {},
    });
    await anew.size(id);
    const built = await timed(() => anew.rangesWith(id, 'notarytool'));
    add(`index made from the log${kind}`, built.ms, 'ms');
    await anew.close();
  }
  print(`log search, ${megabytes} MB`, figures);
} finally {
  rmSync(root, { recursive: true, force: true });
}
