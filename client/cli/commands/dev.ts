/** `cidermill dev`: the whole service on this machine. */
export async function runDevProgram(args: string[]): Promise<number> {
  const { runDev } = await import('../../../control-plane/dev.js');
  return runDev(args);
}
