// Masking a build log: the streaming masker against one RegExp alternation of the same needles on the same text, in
// the same run. The RegExp does less: it scans each 64 KiB chunk alone (and misses a secret across two), and handles
// neither escape sequences nor other whitespace.
import { createHash } from 'node:crypto';
import { compileNeedles, createMasker } from '../host-agent/runner/mask/masker.js';
import type { Secret } from '../host-agent/runner/mask/needles.js';
import { MARK } from '../host-agent/runner/mask/replacer.js';
import { median, print, ratio } from './report.js';

const rounds = 5;
const textBytes = 16 << 20;
const pieceBytes = 64 << 10;

// Pseudo-random, with the same seed in every run.
const hash = (name: string): Buffer => createHash('sha256').update(name).digest();
let drawn = 0;
const draw = (below: number): number => hash(`draw ${drawn++}`).readUInt32LE() % below;

const tokens = (count: number): Secret[] =>
  Array.from({ length: count }, (_, i) => {
    const bytes = hash(`secret ${i}`);
    const values = [
      bytes.toString('hex'),
      `ghp_${bytes.toString('base64url').slice(0, 36)}`,
      `Pa'ss "${i}" <${bytes.toString('base64').slice(0, 12)}>`,
      bytes.toString('base64'),
    ];
    return { name: `SECRET_${i}`, value: values[i % values.length]! };
  });

const pem = (name: string): string => {
  const body = Array.from({ length: 38 }, (_, i) => hash(`${name} ${i}`).toString('base64')).join('');
  return `-----BEGIN PRIVATE KEY-----\n${body.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
};
const keys = (count: number): Secret[] =>
  Array.from({ length: count }, (_, i) => ({ name: `KEY_${i}`, value: pem(`key ${i}`) }));

const WORDS =
  `CompileSwift normal arm64 /Users/ci/work/App/Sources/Feature/ViewController.swift (in target 'App' from project ` +
  `'App') clang -x objective-c -target arm64-apple-ios17.0 -fmessage-length=0 -fdiagnostics-show-note-include-stack ` +
  `note: warning: unused variable 'result' [-Wunused-variable] Touch Ld builtin-copy cd export LANG=en_US.US-ASCII`;

function log(secrets: readonly Secret[], colored: boolean): Buffer {
  const words = WORDS.split(' ');
  const lines = Array.from({ length: 4096 }, (_, i) => {
    const parts = Array.from({ length: 4 + draw(14) }, () => words[draw(words.length)]!);
    if (i % 1024 === 0) parts.push(String(secrets[draw(secrets.length)]!.value));
    const line = parts.join(' ');
    return colored && i % 4 === 0 ? `\x1b[1m${line}\x1b[0m\r\n` : `${line}\r\n`;
  });
  const once = Buffer.from(lines.join(''));
  return Buffer.alloc(textBytes, once);
}

const pieces = (text: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(text.length / pieceBytes) }, (_, i) =>
    text.subarray(i * pieceBytes, (i + 1) * pieceBytes),
  );

/** Returns the throughput of `work`, which returns the number of bytes that it processed. */
const megabytesPerSecond = (work: () => number): number => {
  const started = process.hrtime.bigint();
  const bytes = work();
  return bytes / 1e6 / (Number(process.hrtime.bigint() - started) / 1e9);
};

function compare(name: string, secrets: readonly Secret[], text: Buffer) {
  const compiled = compileNeedles(secrets);
  const { needles } = compiled;
  const written = Array.from({ length: needles.count }, (_, needle) =>
    Buffer.from(needles.prefix(needle, 1 << 20)).toString(),
  );
  const escaped = [...new Set(written)]
    .sort((a, b) => b.length - a.length)
    .map((needle) => needle.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  const alternation = new RegExp(escaped.join('|'), 'g');
  // With many needles the RegExp is so slow that only a part of the text is measured.
  const strings = pieces(text.subarray(0, textBytes >> (needles.count > 1000 ? 5 : 1))).map(String);

  const withMasker = (): number => {
    const masker = createMasker(compiled);
    for (const piece of pieces(text)) masker.write(piece);
    masker.end();
    return text.length;
  };
  const withRegExp = (): number => {
    let length = 0;
    for (const piece of strings) {
      piece.replace(alternation, MARK);
      length += piece.length;
    }
    return length;
  };

  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = -2; round < rounds; round++) {
    const rates = [megabytesPerSecond(withMasker), megabytesPerSecond(withRegExp)] as const;
    if (round < 0) continue;
    ours.push(rates[0]);
    theirs.push(rates[1]);
  }
  const [masker, regExp] = [median(ours), median(theirs)];
  const label = `${name}, ${needles.count} needles`;
  return [
    { name: `${label}: masker`, value: masker, unit: 'MB/s', ratio: ratio(masker, regExp) },
    { name: `${label}: one RegExp alternation`, value: regExp, unit: 'MB/s', ratio: 1 },
  ];
}

/** Secrets with a common prefix, in a text that repeats the prefix: all of them are partial matches all the time. */
const alike = (count: number, bytes: number): Secret[] =>
  Array.from({ length: count }, (_, i) => ({ name: `ALIKE_${i}`, value: `${'a'.repeat(bytes - i)}b` }));
const flood = Buffer.alloc(textBytes, `${'a'.repeat(4095)}\n`);

const some = tokens(20);
const many = tokens(100);
const pems = keys(20);
print('masker', [
  ...compare('20 tokens', some, log(some, false)),
  ...compare('20 tokens, colored log', some, log(some, true)),
  ...compare('20 private keys', pems, log(pems, false)),
  ...compare('100 tokens', many, log(many, false)),
  ...compare('1 secret like aaa…b, flood of a', alike(1, 1000), flood),
  ...compare('25 secrets like aaa…b, flood of a', alike(25, 1000), flood),
  ...compare('100 secrets like aaa…b, flood of a', alike(100, 1000), flood),
]);
