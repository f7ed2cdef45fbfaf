import { SERVICE_UMASK } from '../../../shared/private-folder.js';

/** `cidermill dev`: the whole service on this machine. */
export async function runDevProgram(args: string[]): Promise<number> {
  const { runDev } = await import('../../../control-plane/dev.js');
  process.umask(SERVICE_UMASK);
  return runDev(args);
}
