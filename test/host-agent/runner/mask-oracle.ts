// The masking rules over the whole text at once: the oracle for the streaming code.
import { compile } from '../../../host-agent/runner/mask/finder.js';
import { HELD_AT_BREAK } from '../../../host-agent/runner/mask/matcher.js';
import type { NeedleSet } from '../../../host-agent/runner/mask/needle-text.js';
import { createReplacer, type Replacer } from '../../../host-agent/runner/mask/replacer.js';
import { SHORTEST_JOINED } from '../../../host-agent/runner/mask/stream-views.js';
import { toSymbols } from '../../../host-agent/runner/mask/symbols.js';

/** The needles as given, except for whitespace. */
export function needleSet(...needles: (string | Buffer)[]): NeedleSet {
  const symbols = needles.map((needle) => toSymbols(Buffer.from(needle)));
  return { count: needles.length, prefix: (needle, limit) => symbols[needle]!.subarray(0, limit) };
}

export const replacerOf = (...needles: string[]): Replacer => createReplacer(compile(needleSet(...needles)));

/** Returns the output for an input written in these chunks. */
export function masked(replacer: Replacer, pieces: readonly (string | Buffer)[]): string {
  // Copied, because the result is valid until the next write.
  const output = pieces.map((piece) => Buffer.from(replacer.write(Buffer.from(piece))));
  return Buffer.concat([...output, replacer.end()]).toString('latin1');
}

/** Divides a text at these positions. */
export function cut(text: Buffer, at: readonly number[]): Buffer[] {
  const bounds = [0, ...[...at].sort((a, b) => a - b), text.length];
  return bounds.slice(1).map((end, i) => text.subarray(bounds[i]!, end));
}

interface Symbol {
  readonly value: string;
  readonly at: number;
  /** A line break was left out before this symbol. */
  readonly afterBreak: boolean;
}

const SEQUENCE =
  /\x1b(?:\[[ -?]*(?:[@-~\x18\x1a]|(?=\x1b))|[PX\]^_][^\x07\x18\x1a\x1b\r\n]*(?:[\x07\x18\x1a]|(?=\x1b))|[ -/]+(?:[0-~\x18\x1a]|(?=\x1b))|[0-OQ-WYZ\\`-~\x18\x1a]|(?=\x1b))/g;

function read(text: string, visible: boolean, joined: boolean): Symbol[] {
  const hidden = new Set<number>();
  if (visible) {
    for (const match of text.matchAll(SEQUENCE)) {
      for (let i = 0; i < match[0].length; i++) hidden.add(match.index + i);
    }
  }
  const symbols: Symbol[] = [];
  let spaced = false;
  let afterBreak = false;
  let broken = false;
  for (let at = 0; at < text.length; at++) {
    if (hidden.has(at)) continue;
    const space = /[\t-\r ]/.test(text[at]!);
    afterBreak = joined && (/[\r\n]/.test(text[at]!) || (afterBreak && space));
    broken ||= afterBreak;
    if (afterBreak || (space && spaced)) continue;
    symbols.push({ value: space ? ' ' : text[at]!, at, afterBreak: broken });
    spaced = space;
    broken = false;
  }
  return symbols;
}

/** Returns the masked output for a whole input, all in Latin-1. */
export function maskedPlainly(needles: readonly string[], text: string): string {
  const covered = new Set<number>();
  const forms = needles.map((needle) => Buffer.from(toSymbols(Buffer.from(needle, 'latin1'))).toString('latin1'));
  for (const [visible, joined] of [
    [false, false],
    [true, false],
    [true, true],
  ] as const) {
    const symbols = read(text, visible, joined);
    const values = symbols.map((symbol) => symbol.value).join('');
    for (const form of forms) {
      if (joined && form.length < SHORTEST_JOINED) continue;
      for (let i = values.indexOf(form); i !== -1; i = values.indexOf(form, i + 1)) {
        let start = symbols[i]!.at;
        for (let k = i + 1; k < i + Math.min(form.length, HELD_AT_BREAK); k++) {
          if (symbols[k]!.afterBreak) start = symbols[k]!.at;
        }
        for (let at = start; at <= symbols[i + form.length - 1]!.at; at++) covered.add(at);
      }
    }
  }
  let output = '';
  for (let at = 0; at < text.length; at++) {
    if (!covered.has(at)) output += text[at];
    else if (!covered.has(at - 1)) output += '***';
  }
  return output;
}
