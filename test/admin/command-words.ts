// The commands of `cidermill admin`, without running one.
import type { Command } from 'commander';
import { createProgram } from '../../control-plane/admin/cli.js';

export function commands(): Command[] {
  const leaves = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
  const notRun = () => Promise.reject(new Error('not run'));
  const nothing = { write: () => {}, complain: () => {} };
  return leaves(createProgram(nothing, notRun, notRun));
}

/** @example 'org set-limits' */
export const wordsOf = (command: Command): string =>
  [...(command.parent?.parent ? [wordsOf(command.parent)] : []), command.name()].join(' ');
