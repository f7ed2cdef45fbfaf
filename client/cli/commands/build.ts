import { Command } from 'commander';
import { type BuildOptions, buildRequest } from '../build-request.js';
import { integerOption, priorityOption } from '../options.js';
import { runBuild } from '../run-build.js';
import { withSession } from '../session.js';

/** `cidermill build` */
export function buildCommand(): Command {
  return new Command('build')
    .description('send this folder to a Mac, build it there, and end as the build ends')
    .argument('[words...]', 'the command to run, after --')
    .option('--script <script>', 'the script to run')
    .option('--script-file <file>', 'run the script in this file (- for standard input)')
    .option('--dir <folder>', 'the folder to send (default: this one)')
    .option('--repo <owner/name>', 'build a repository of the code host instead of a folder')
    .option('--repo-url <address>', 'build the repository at this https address')
    .option('--ref <ref>', 'branch or tag')
    .option('--commit <sha>', 'commit, 7 to 40 hexadecimal digits')
    .option('--pr <number>', 'pull request', integerOption(1, Number.MAX_SAFE_INTEGER))
    .option('--xcode <version>', 'Xcode version')
    .option('--rental <id>', 'only on this Mac')
    .option('--timeout <minutes>', 'end the build after this time (default 60)', integerOption(1, 360))
    .option('--priority <priority>', '1 goes before 0', priorityOption)
    .option('--clean', 'start from an empty folder')
    .option('--artifacts <folder>', "download the build's artifacts to this folder")
    .option('--detach', 'print the build id and do not wait')
    .option('--notify-url <address>', 'tell this address how the build ends')
    .option('--queue-until-rental', 'wait for a Mac to be rented if there is none')
    .addHelpText('after', EXIT_CODES)
    .action((words: string[], options: BuildOptions, command: Command) => {
      const request = buildRequest(options, words);
      return withSession(
        command,
        async (session) => {
          process.exitCode = await runBuild(session, request, options);
        },
        { whenUnread: 'finish' },
      );
    });
}

const EXIT_CODES = `
Files: what git would list (tracked and untracked, not ignored); .cidermillignore at the top leaves out
more, or takes ignored files back in with '!'.
Ctrl-C once cancels the build, twice leaves it running.
Exit code: the build's own; 124 timeout, 130 cancelled, 64 usage, 69 service unreachable, 75 try again
later, 77 not permitted, 70 anything else.`;
