// Failures and warnings that the text of a script alone explains: byte order marks and line ends that some editors
// write and shells do not accept.

import { buildWarning } from '../../../shared/messages/build-warnings.js';
import { adviceOf } from '../../../shared/messages/failure-advice.js';
import { failureCause } from '../../../shared/messages/failure-causes.js';
import type { Message } from '../../../shared/messages/message.js';
import { type LogFinding, said } from './failure-finding.js';

const CR_LF_INTERPRETER = /^#![^\n]*\r\n/;
/** 126 and 127: not executable, not found. 2: the interpreter got an option that ends in CR. */
const EXIT_CODES: ReadonlySet<number | null> = new Set([126, 127, 2]);

/**
 * Explains a script that begins with a byte order mark, or whose `#!` line ends in CR LF: the system looks for an
 * interpreter whose name ends in CR. Returns
 * null for any other script or exit code. Does not quote the script.
 */
export function lineEndFinding(script: string, exitCode: number | null, logLines: number): LogFinding | null {
  if (!EXIT_CODES.has(exitCode)) return null;
  const place = {
    location: null,
    logExcerptLines: logLines > 0 ? ([Math.max(1, logLines - 2), logLines] as const) : null,
  };
  if (script.startsWith(BYTE_ORDER_MARK)) {
    return {
      reasonCode: 'command_not_found',
      ...said(failureCause('script_byte_order_mark'), adviceOf('no_byte_order_mark')),
      ...place,
    };
  }
  if (!CR_LF_INTERPRETER.test(script)) return null;
  return {
    reasonCode: 'not_executable',
    ...said(failureCause('script_interpreter_cr'), adviceOf('lf_line_ends')),
    ...place,
  };
}

/**
 * Returns warnings about a script that runs, but probably not as its author meant. The script is not changed, because
 * its bytes may be intended.
 */
export function scriptWarnings(script: string): Message[] {
  return [
    ...(script.startsWith(BYTE_ORDER_MARK) ? [buildWarning('script_byte_order_mark')] : []),
    ...(script.includes('\r\n') ? [buildWarning('script_cr_lf')] : []),
  ];
}

const BYTE_ORDER_MARK = '\uFEFF';
