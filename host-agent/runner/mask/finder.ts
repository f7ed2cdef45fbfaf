// Finds needles in a byte stream, however it is divided. Independent of secrets and of marks.
import { Automaton } from './automaton.js';
import type { OnNeedle, Report } from './matcher.js';
import type { NeedleSet } from './needle-text.js';
import { createStartFilter, LOOK_AHEAD, type StartFilter } from './start-filter.js';
import { StreamViews } from './stream-views.js';

/** A set of needles, compiled once and shared by any number of streams. */
export interface CompiledNeedles {
  readonly automaton: Automaton;
  readonly filter: StartFilter;
}

export interface Finder {
  /** Reads the next chunk of the stream. Ranges are reported in the order of their ends. */
  scan(chunk: Uint8Array): void;
  /** Returns the position before which no later range begins. */
  settled(): number;
}

/** Compiles needles for finders and replacers. */
export function compile(needles: NeedleSet): CompiledNeedles {
  const automaton = new Automaton(needles);
  return { automaton, filter: createStartFilter(automaton) };
}

/**
 * Creates a finder for one stream. The filter skips bytes where no needle can begin. From where one can, the views
 * read byte by byte until the match in progress is so short that the filter can continue. stream-views.ts defines
 * what counts as an occurrence.
 */
export function createFinder({ automaton, filter }: CompiledNeedles, report: Report, onRange: OnNeedle): Finder {
  let position = 0;
  // Bytes read since the filter stopped; 0 while it skips.
  let stepped = 0;
  // Ranges that end before this position are reported: the last bytes may be read again after the filter.
  let reported = 0;
  const views = new StreamViews(automaton, report, (start, end, needle, symbols) => {
    if (end > reported) onRange(start, end, needle, symbols);
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
        reported = position + at;
        at -= tail;
        stepped = 0;
      }
      position += chunk.length;
    },
  };
}
