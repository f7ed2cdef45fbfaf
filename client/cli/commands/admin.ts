import { SERVICE_UMASK } from '../../../shared/private-folder.js';
import { EXIT_OK } from '../exit-codes.js';

/** `cidermill admin …`: a program of its own, for the people who run the service. */
export async function runAdminProgram(args: string[]): Promise<number> {
  const { runAdmin } = await import('../../../control-plane/admin/cli.js');
  process.umask(SERVICE_UMASK);
  // The reader closed the pipe (`| head`). Commands print last, so their work is complete.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT_OK);
  });
  return runAdmin(args);
}
