// Explains a failure from the text of the script alone.
import type { LogFinding } from './failure-finding.js';

const CR_LF_INTERPRETER = /^#![^\n]*\r\n/;
/** 126 and 127: not executable, not found. 2: the interpreter got an option that ends in CR. */
const EXIT_CODES: ReadonlySet<number | null> = new Set([126, 127, 2]);

/**
 * Explains a script whose `#!` line ends in CR LF: the system looks for an interpreter whose name ends in CR. Returns
 * null for any other script or exit code. Does not quote the script.
 *
 * @param script or its beginning
 */
export function lineEndFinding(script: string, exitCode: number | null, logLines: number): LogFinding | null {
  if (!EXIT_CODES.has(exitCode) || !CR_LF_INTERPRETER.test(script)) return null;
  return {
    reasonCode: 'not_executable',
    summary:
      'The first line of the script (#!) ends in CR LF, as Windows editors write it, ' +
      'and the system looks for an interpreter whose name ends in CR.',
    suggestion: LF_ENDS,
    location: null,
    logExcerptLines: logLines > 0 ? [Math.max(1, logLines - 2), logLines] : null,
  };
}

export const LF_ENDS = 'Save the script with line ends of LF alone (no CR), as Unix editors write it.';
