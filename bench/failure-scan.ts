// The search for a failure's cause in 100 MB of log, against one RegExp of all words on the same chunks; and in worst-case
// lines. Megabytes per second of CPU time, so that other load on the machine matters little.
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFailureScan } from '../control-plane/builds/domain/failure-scan.js';
import { failureTable } from '../control-plane/builds/domain/failure-table.js';
import { hostileLines } from './hostile-lines.js';
import { median, print, ratio } from './report.js';

const rounds = 3;
const megabytes = 100;
const piece = Buffer.alloc(256 * 1024);

const compileLine = (i: number) =>
  `SwiftCompile normal arm64 /Users/ci/work/Sources/Module${i % 97}/File${i}.swift (in target 'App' from project 'App') -Xcc -Werror=return-type\n`;
const warning = (i: number) =>
  `/Users/ci/work/Sources/Module${i % 97}/File${i}.swift:${i % 300}:9: warning: variable 'result' was never used\n    let result = cart.total()\n        ^~~~~~\n`;
const green = Buffer.from(Array.from({ length: 8192 }, (_, i) => (i % 7 === 0 ? warning(i) : compileLine(i))).join(''));
const red = Buffer.from(Array.from({ length: 8192 }, (_, i) => warning(i).replace('warning', 'error')).join(''));

const ordinary = Buffer.from(Array.from({ length: 8192 }, (_, i) => compileLine(i).replace(/ -Xcc .*/, '\r')).join(''));
const tested = Buffer.from(
  Array.from({ length: 8192 }, (_, i) =>
    ['started.', 'passed (0.003 seconds).']
      .map((end) => `Test Case '-[AppTests.CartTests test${i}]' ${end}\n`)
      .join(''),
  ).join(''),
);
const complaints = Buffer.from(Array.from({ length: 8192 }, (_, i) => `Error: thing ${i} does not work\n`).join(''));

const hostile = hostileLines();

const root = mkdtempSync(join(tmpdir(), 'cm-scan-'));
/** Returns the MB per second of CPU time for a file that repeats one block. */
function speed(block: Buffer, size: number, use: () => (bytes: Buffer) => void): number {
  const path = join(root, 'log');
  const file = openSync(path, 'w+');
  try {
    let bytes = 0;
    while (bytes < size * 1e6) bytes += writeSync(file, block);
    const runs = Array.from({ length: rounds }, () => {
      const take = use();
      const started = process.cpuUsage();
      for (let at = 0; at < bytes; ) {
        const read = readSync(file, piece, 0, piece.length, at);
        take(piece.subarray(0, read));
        at += read;
      }
      const { user, system } = process.cpuUsage(started);
      return bytes / (user + system);
    });
    return median(runs);
  } finally {
    closeSync(file);
  }
}
const scanning = () => {
  const scan = createFailureScan();
  return (bytes: Buffer) => scan.read(bytes);
};

/** Returns the MB/s of the slowest pattern on one of the hostile lines. */
function slowestPattern(): { example: string; value: number } {
  let slowest = { example: '', value: Number.POSITIVE_INFINITY };
  for (const { pattern, example } of failureTable) {
    for (const line of hostile) {
      const value = Math.max(...Array.from({ length: rounds }, () => patternSpeed(pattern, line)));
      if (value < slowest.value) slowest = { example, value };
    }
  }
  return slowest;
}
function patternSpeed(pattern: RegExp, line: string): number {
  const started = process.hrtime.bigint();
  pattern.test(line);
  return line.length / 1e6 / (Number(process.hrtime.bigint() - started) / 1e9);
}

try {
  const lines = Buffer.from(hostile.map((line) => `${line}\n`).join(''));
  // Only words that select rows, and no line that matches a row.
  const words = [...new Set(failureTable.flatMap((row) => row.words))];
  const short = Buffer.from(words.map((word) => `${word}\u0001\n`).join(''));
  const pattern = new RegExp(words.map((word) => word.replace(/[^\w ]/g, '\\$&')).join('|'), 'gi');
  const peer = speed(ordinary, megabytes / 10, () => (bytes) => {
    for (const _ of bytes.toString('latin1').matchAll(pattern));
  });
  const worst = slowestPattern();
  const figures = [
    { name: 'one RegExp of all words, ordinary lines', value: peer },
    { name: 'scan, ordinary lines', value: speed(ordinary, megabytes, scanning) },
    { name: 'scan, warnings and flags like -Werror', value: speed(green, megabytes, scanning) },
    { name: 'scan, tests that pass', value: speed(tested, megabytes, scanning) },
    { name: 'scan, every third line an error', value: speed(red, megabytes, scanning) },
    { name: 'scan, every line a complaint', value: speed(complaints, megabytes / 10, scanning) },
    { name: 'scan, hostile lines of every row', value: speed(lines, lines.length / 1e6, scanning) },
    { name: 'scan, lines of one word each', value: speed(Buffer.alloc(1 << 20, short), 4, scanning) },
    { name: `slowest pattern on its worst line (${worst.example.slice(0, 40)})`, value: worst.value },
  ];
  print(
    `failure scan, ${megabytes} MB, ${failureTable.length} rows`,
    figures.map((figure) => ({ ...figure, unit: 'MB/s', ratio: ratio(figure.value, peer) })),
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
