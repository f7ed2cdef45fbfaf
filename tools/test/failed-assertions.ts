// Lists what failed, for the end of a long report.
const SUBTEST = /^( *)# Subtest: (.+)$/;
const RESULT = /^( *)(not )?ok \d+ - (.*?)(?: # time=\S+)?$/;
/** Where a failed assertion stands: the lines of its diagnostics that name file and line, with their indentation. */
const PLACE = /\n +at:\n +fileName: (\S+)\n +lineNumber: (\d+)/;
/** The last line about a process that failed; see `runProcess`. */
const ENDED = 'not ok - ';
const LONGEST = 300;

/**
 * Returns a line for each failed assertion of a report: the tests around it, its text and its place. A test that failed only
 * because something in it failed has no line of its own.
 *
 * @param report TAP, as it is printed
 * @example failedAssertions(report)
 * // ['# failed: dist/test/tools/x.test.js › two › wrong (test/tools/x.test.ts:7)']
 */
export function failedAssertions(report: string): string[] {
  const lines = report.split('\n');
  const around: string[] = [];
  const failed: string[] = [];
  /** How many had failed when each of the open tests began. */
  const before: number[] = [];
  for (const [at, line] of lines.entries()) {
    const [, indent, name] = SUBTEST.exec(line) ?? [];
    if (indent !== undefined && name !== undefined) {
      around.splice(indent.length / 4, around.length, name);
      before.splice(indent.length / 4, before.length, failed.length);
      continue;
    }
    const result = RESULT.exec(line);
    if (!result) continue;
    const [, shift = '', isNot, text = ''] = result;
    const depth = shift.length / 4;
    const isTest = around[depth] === text;
    const hasCause = isTest && failed.length > (before[depth] ?? 0);
    if (isNot && !hasCause) failed.push(lineOf([...around.slice(0, depth), text], placeAfter(lines, at, shift)));
    if (isTest) around.length = depth;
  }
  // A process that was killed reports no failure itself.
  const ended = lines.find((line) => line.startsWith(ENDED));
  return failed.length === 0 && ended ? [lineOf([ended.slice(ENDED.length)], '')] : failed;
}

function lineOf(names: readonly string[], place: string): string {
  const text = names.join(' › ').replace(/\x1b\[\d+m/g, '');
  return `# failed: ${text.slice(0, LONGEST)}${place}`;
}

/** Returns the place in the diagnostics of the result in line `at`, e.g. ` (test/x.test.ts:7)`; '' if they name none. */
function placeAfter(lines: readonly string[], at: number, indent: string): string {
  if (lines[at + 1] !== `${indent}  ---`) return '';
  const end = lines.indexOf(`${indent}  ...`, at);
  const [, file, line] = PLACE.exec(lines.slice(at, end < 0 ? undefined : end).join('\n')) ?? [];
  return file === undefined ? '' : ` (${file}:${line})`;
}
