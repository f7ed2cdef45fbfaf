// What a line says besides the marks that the viewer shows in another way.
import { type Line, shownText } from './ansi.js';

/** The service begins its lines with it. */
const SERVICE = /^\[cidermill\] ?/;
const GROUP = /^(?:##\[group\]|::group::)/;
export const GROUP_END = /^(?:##\[endgroup\]|::endgroup::)\s*$/;

/**
 * Returns a line without `[cidermill]` if the service wrote it, and without `::group::`; line numbers, search and copies
 * are those of the whole text.
 */
export function withoutMarks(line: Line, isService: boolean): Line {
  const text = shownText(line);
  const mark = ((isService ? SERVICE.exec(text) : null) ?? GROUP.exec(text))?.[0].length ?? 0;
  // A group without a name keeps its mark.
  if (mark === 0 || mark === text.trimEnd().length) return line;
  let left = mark;
  const runs = line.runs.flatMap((run) => {
    const rest = run.text.slice(left);
    left = Math.max(0, left - run.text.length);
    return rest === '' ? [] : [{ ...run, text: rest }];
  });
  return { ...line, runs };
}
