import { Command } from 'commander';
import { pushFolder } from '../../upload/push-folder.js';
import { argumentReader } from '../declare-options.js';
import { projectName } from '../options.js';
import { withSession } from '../session.js';
import { sourceFolder } from '../source-folder.js';
import { printable } from '../terminal.js';
import { showUploadProgress } from '../upload-progress.js';

/** `cidermill upload` */
export function uploadCommand(): Command {
  return new Command('upload')
    .description('upload a folder without building it and print the upload id')
    .option('--dir <folder>', 'the folder to upload (default: the current one)')
    .option(
      '--project <name>',
      "1 to 64 letters, digits, '_', '.', '-' (default: from git's remote or the folder's path)",
      argumentReader(projectName),
    )
    .action((options: { dir?: string; project?: string }, command: Command) =>
      withSession(command, async (session) => {
        const progress = showUploadProgress(session.context.stderr);
        const pushed = await pushFolder(session.client, {
          dir: sourceFolder(session.context, options.dir),
          project: options.project,
          env: session.context.env,
          clock: session.clock,
          onWarning: (message) => session.note(`${session.style.err.yellow('warning:')} ${printable(message)}`),
          onProgress: progress.update,
          onWait(error, waitMs) {
            progress.done();
            session.noteWait(error, waitMs);
          },
        }).finally(progress.done);
        pushed.saveIndex();
        const status = await session.client.uploads.get(pushed.upload.id);
        session.answer(status, () => `${status.id}\n`);
      }),
    );
}
