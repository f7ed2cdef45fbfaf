// Which rows and milestones of the table a line calls for, by the words that stand in it.
import { isOfExitCode } from './failure-reasons.js';
import { rank } from './failure-row.js';
import { failureTable, type Milestone, milestones } from './failure-table.js';
import { compileWords } from './word-filter.js';

export interface Called {
  /** Places in the table, in its order. */
  readonly rows: readonly number[];
  /** For each of them the best rank of it and of those behind it: when that is not wanted any more, none of them is. */
  readonly bestFrom: readonly number[];
  readonly milestones: readonly Milestone[];
}
/** Of rows that an exit code may ask for: they are wanted whatever was found, unless nothing could work any more. */
const MEANT = rank.obstacle + 0.5;

// Where a word ends with a colon or a space, a tool may end a colour before it.
const spellings = (word: string): string[] => [word, word.replace(/(?:: ?| )$/, '\x1b')];

interface Callers {
  readonly rows: number[];
  readonly milestones: number[];
}
const callers = new Map<string, Callers>();
const call = (kind: keyof Callers) => (entry: { readonly words: readonly string[] }, place: number) => {
  for (const word of new Set(entry.words.flatMap(spellings))) {
    const called = callers.get(word) ?? { rows: [], milestones: [] };
    callers.set(word, called);
    called[kind].push(place);
  }
};
failureTable.forEach(call('rows'));
milestones.forEach(call('milestones'));

/** What logs mostly consist of. It makes the search faster, and changes nothing else. */
const ORDINARY = `
SwiftCompile normal arm64 /Users/runner/work/project/Sources/Modules/Feature/Views/UserFile.swift (in target 'App' from project 'App')
CompileC /Users/runner/Library/Developer/Xcode/DerivedData/App-abcdef/Build/Intermediates.noindex/App.build/Debug-iphonesimulator/Object.o
    cd /Users/runner/work/project && export SWIFT_VERSION=5.0
    /Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/bin/clang -x objective-c -Werror=return-type
    builtin-swiftTaskExecution -- swift-frontend -frontend -emit-module -enable-testing -module-name App -target arm64-apple-ios
/Users/runner/work/project/Sources/File.swift:12:9: warning: variable 'result' was never used; consider replacing with '_'
        let response = try await server.request(path: "/settings") // note: the code that is tested
Test Case '-[ProductTests.HostTests testRequest]' passed (0.001 seconds).
Test Suite 'ProductTests.xctest' passed at 2026-01-01 12:00:00.000. Executed 12 tests, with 0 failures (0 unexpected) in 0.012 (0.015) seconds
Copying, linking, processing, signing, installing, building, downloading, resolving, fetching from https://github.com/owner/repository.git
export default async function createController(options: Options): Promise<Result> { return await this.service.find(context); }
import { something } from './packages/components/provider.js'; throw new TypeError(message); interface, private, public, internal
npm install: added 1200 packages, and audited 1201 packages in 12s; node_modules/package/dist/index.d.ts
The build was started, then it is finished: no files were changed, every check is good, all of the above are not required.
`;

const byWord = [...callers.values()];

/** Finds the words in a log. */
export const lineFilter = compileWords([...callers.keys()], ORDINARY);

/** Combinations of words are few; a log that makes many of them up does not fill the memory. */
const KEPT = 1_000;
const kept = new Map<string, Called>();

/** What words of one line call for: in the order of the table, each once. */
export function calledBy(words: readonly number[]): Called {
  const name = words.join();
  const known = kept.get(name);
  if (known) return known;
  const of = (kind: keyof Callers) =>
    [...new Set(words.flatMap((word) => byWord[word]?.[kind] ?? []))].sort((a, b) => a - b);
  const rows = of('rows');
  const called = {
    rows,
    bestFrom: rows.map((_, i) => Math.min(...rows.slice(i).map(rankOf))),
    milestones: of('milestones').flatMap((place) => milestones[place] ?? []),
  };
  if (kept.size < KEPT) kept.set(name, called);
  return called;
}

function rankOf(place: number): number {
  const row = failureTable[place];
  if (row === undefined) return rank.footer;
  return isOfExitCode(row.reason) ? Math.min(MEANT, row.rank) : row.rank;
}
