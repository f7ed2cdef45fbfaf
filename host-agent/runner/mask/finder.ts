// Finds needles in a byte stream, whatever pieces it comes in. Knows nothing of secrets or of marks.

import type { OnNeedle, Report } from './matcher.js';
import { buildPrefixTrie, type NeedleSet, type PrefixTrie } from './prefix-trie.js';
import { createStartFilter, LOOK_AHEAD, type StartFilter } from './start-filter.js';
import { StreamViews } from './stream-views.js';

/** What is compiled once for a set of needles and shared by any number of streams. */
export interface Automaton {
  readonly needles: NeedleSet;
  readonly trie: PrefixTrie;
  readonly filter: StartFilter;
}

export interface Finder {
  /** Reads the next piece of the stream. Ranges are told of in the order of their ends. */
  scan(chunk: Uint8Array): void;
  /** No range told of later begins before this position of the stream. */
  settled(): number;
}

/** Compiles needles for finders and replacers. Tables are bounded, see prefix-trie.ts. */
export function compile(needles: NeedleSet): Automaton {
  const trie = buildPrefixTrie(needles);
  return { needles, trie, filter: createStartFilter(trie) };
}

/**
 * A finder for one stream. The filter skips where no needle can begin; from where one can, the views go byte by
 * byte until the little that is still possible stands as it is before the current byte, for the filter to look at.
 * What counts as an occurrence of a needle is said in stream-views.ts.
 */
export function createFinder(
  { needles, trie, filter }: Automaton,
  report: Report,
  onRange: OnNeedle,
): Finder {
  let position = 0;
  // Bytes read since the filter stopped; 0 while it skips.
  let stepped = 0;
  // What ends before here is told of: the last bytes may be read again after the filter has looked at them.
  let told = 0;
  const views = new StreamViews(needles, trie, report, (start, end, needle, symbols) => {
    if (end > told) onRange(start, end, needle, symbols);
  });

  return {
    settled: () => views.settled(position),
    scan(chunk) {
      let at = 0;
      while (at < chunk.length) {
        if (stepped === 0) at = filter.skip(chunk, at, chunk.length);
        if (at === chunk.length) break;
        views.step(chunk[at]!, position + at);
        at += 1;
        stepped += 1;
        if (stepped < LOOK_AHEAD) continue;
        const tail = views.plainTail(position + at);
        if (tail === -1 || tail >= LOOK_AHEAD || tail > at) continue;
        views.clear();
        told = position + at;
        at -= tail;
        stepped = 0;
      }
      position += chunk.length;
    },
  };
}
