// `cidermill build` with arguments in order: the command that is run all day. It waits neither for what explains
// commands nor, in the built command, for modules to be found (see tools/bundle/).
import { readBuildArguments } from './build-options.js';
import { commandIn } from './command-in.js';
import { reported, reportStrayErrors } from './reported.js';

/**
 * Runs a command line that is a `build` whose arguments are in order.
 *
 * @returns its exit code; null for anything else, of which nothing was done
 */
export function runPlainBuild(args: readonly string[]): Promise<number> | null {
  const { name, others } = commandIn(args);
  const call = name === 'build' ? readBuildArguments(others) : null;
  if (!call) return null;
  return reported(args, async () => {
    reportStrayErrors(args);
    return (await import('./run-build.js')).runBuildCommand(call);
  });
}
