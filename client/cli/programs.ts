// Programs with their own command line.

export interface Program {
  description: string;
  /** Whether it serves with these arguments, so that an output that cannot be written must not end it. */
  serves(args: readonly string[]): boolean;
  run(args: string[]): Promise<number>;
}

const asksForHelp = (args: readonly string[]) => args.includes('--help') || args.includes('-h');

/** By name; they receive their arguments unparsed. */
export const programs: Record<string, Program> = {
  dev: {
    description: 'run the whole service on this machine',
    serves: (args) => !asksForHelp(args),
    run: async (args) => (await import('./commands/dev.js')).runDevProgram(args),
  },
  admin: {
    description: 'administer a service: organizations, keys, tiers, hosts, backups',
    serves: () => false,
    run: async (args) => (await import('./commands/admin.js')).runAdminProgram(args),
  },
  'host-agent': {
    description: 'enroll this machine as a host and run its agent',
    serves: (args) => args[0] === 'run' && !asksForHelp(args),
    run: async (args) => (await import('./commands/host-agent.js')).runHostAgentProgram(args),
  },
};
