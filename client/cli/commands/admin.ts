import { SERVICE_UMASK } from '../../../shared/private-folder.js';

/** `cidermill admin …`: a program of its own, for the people who run the service. */
export async function runAdminProgram(args: string[]): Promise<number> {
  const { runAdmin } = await import('../../../control-plane/admin/cli.js');
  process.umask(SERVICE_UMASK);
  return runAdmin(args);
}
