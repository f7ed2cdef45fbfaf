// Groups of lines that can be folded: those of GitHub Actions and Azure Pipelines (`::group::`, `##[group]`), of
// Buildkite (`---`, `+++`, `~~~`), and the commands of xcodebuild with their indented lines.

type Kind = 'actions' | 'buildkite' | 'xcode';

const ACTIONS_START = /^(?:##\[group\]|::group::)/;
const ACTIONS_END = /^(?:##\[endgroup\]|::endgroup::)/;
const BUILDKITE = /^(?:---|\+\+\+|~~~) \S/;
/** Headers of a diff, and results of Go's tests, which look the same. */
const NOT_BUILDKITE = /^(?:---|\+\+\+) (?:"?[ab]\/|\/dev\/null|(?:PASS|FAIL|SKIP): )/;
const XCODE = /^[A-Z][A-Za-z]{2,}(?: .*)? \(in target '.+' from project '.+'\)$/;
const XCODE_REST = /^ {4}\S/;

/** Returns the kind of group that begins with a line, or null. @param text as it is shown */
export function groupAt(text: string): Kind | null {
  if (ACTIONS_START.test(text)) return 'actions';
  if (BUILDKITE.test(text) && !NOT_BUILDKITE.test(text)) return 'buildkite';
  return XCODE.test(text) ? 'xcode' : null;
}

export interface Lines {
  readonly total: number;
  /** The text of a line as it is shown; null if it is not loaded. */
  textOf(line: number): string | null;
}

/** How a search for the end of a group ended. */
export type GroupEnd =
  | { readonly found: true; readonly last: number }
  /** The line that has to be loaded before it is known. */
  | { readonly found: false; readonly missing: number };

/**
 * Returns the last line of the group that begins with a line; the line itself if nothing belongs to it. Groups of GitHub
 * Actions are nested once: one that begins in another belongs to it if both are ended, and ends it otherwise.
 */
export function groupEnd(lines: Lines, line: number): GroupEnd {
  const header = lines.textOf(line);
  const kind = header === null ? null : groupAt(header);
  if (kind === null) return { found: true, last: line };
  /** The first group within it, and whether one is open. */
  let inner = 0;
  let isOpen = false;
  for (let at = line + 1; at <= lines.total; at++) {
    const text = lines.textOf(at);
    if (text === null) return { found: false, missing: at };
    if (kind === 'actions') {
      if (ACTIONS_END.test(text)) {
        if (!isOpen) return { found: true, last: at };
        isOpen = false;
      } else if (ACTIONS_START.test(text)) {
        if (isOpen) return { found: true, last: inner - 1 };
        inner ||= at;
        isOpen = true;
      }
    } else if (kind === 'buildkite') {
      if (groupAt(text) === 'buildkite') return { found: true, last: at - 1 };
    } else if (!XCODE_REST.test(text)) return { found: true, last: at - 1 };
  }
  return { found: true, last: inner === 0 ? lines.total : inner - 1 };
}
