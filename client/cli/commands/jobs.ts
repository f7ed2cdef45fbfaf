import { Command } from 'commander';
import { EXIT_CANCELLED, EXIT_OTHER } from '../exit-codes.js';
import { followJobs } from '../follow-jobs.js';
import { jobText } from '../render-macs.js';
import { waitOption } from '../renting-options.js';
import { withRenting } from '../renting-session.js';

/** `cidermill jobs <job>` */
export function jobsCommand(): Command {
  return new Command('jobs')
    .description('show the progress of a job')
    .argument('<job>', 'job id (op_…)')
    .addOption(waitOption())
    .addHelpText('after', '\nWith --wait the exit code is 70 if the job fails.')
    .action((id: string, { wait }: { wait?: boolean }, command: Command) =>
      withRenting(command, async (session) => {
        const ended = wait ? await followJobs(session, [id]) : null;
        if (wait && ended === null) session.context.exitCode = EXIT_CANCELLED;
        const job = ended?.get(id) ?? (await session.renting.jobs.get(id));
        session.answer(job, () => `${jobText(job)}\n`);
        if (wait && job.status === 'failed') session.context.exitCode = EXIT_OTHER;
      }),
    );
}
