// Programs with their own command line.

export interface Program {
  description: string;
  run(args: string[]): Promise<number>;
}

/** By name; they receive their arguments unparsed. */
export const programs: Record<string, Program> = {
  dev: {
    description: 'run the whole service on this machine',
    run: async (args) => (await import('./commands/dev.js')).runDevProgram(args),
  },
  admin: {
    description: 'administer a service: organizations, keys, tiers, hosts, backup',
    run: async (args) => (await import('./commands/admin.js')).runAdminProgram(args),
  },
  'host-agent': {
    description: 'enroll this machine as a host and run its agent',
    run: async (args) => (await import('./commands/host-agent.js')).runHostAgentProgram(args),
  },
};
