import { Command } from 'commander';
import { type BuildOptions, buildOptions } from '../build-options.js';
import { declareOptions } from '../declare-options.js';
import type { GlobalOptions } from '../options.js';
import { contextOf } from '../program.js';
import { runBuildCommand } from '../run-build.js';

/** `cidermill build` */
export function buildCommand(): Command {
  const command = new Command('build')
    .description("upload this folder, build it on a Mac, and exit with the build's exit code")
    .argument('[words...]', 'the command to run, after --')
    .addHelpText('after', NOTES)
    .action(async (words: string[], _options: unknown, self: Command) => {
      const context = contextOf(self);
      const options = self.optsWithGlobals<BuildOptions & GlobalOptions>();
      context.exitCode = await runBuildCommand(context, { options, words });
    });
  return declareOptions(command, buildOptions);
}

const NOTES = `
Files: what git lists (tracked and untracked, not ignored); .cidermillignore at the top excludes more,
or includes ignored files again with '!'.
Ctrl-C cancels the build; a second Ctrl-C leaves it running.
Exit code: the build's own; 124 timeout, 130 cancelled, 64 usage, 69 service unreachable, 75 try again
later, 77 not permitted, 70 anything else.`;
