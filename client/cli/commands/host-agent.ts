import { SERVICE_UMASK } from '../../../shared/private-folder.js';

/** `cidermill host-agent …`: a program of its own, for the machines that run builds. */
export async function runHostAgentProgram(args: string[]): Promise<number> {
  const { runHostAgent } = await import('../../../host-agent/cli/program.js');
  process.umask(SERVICE_UMASK);
  return runHostAgent(args);
}
