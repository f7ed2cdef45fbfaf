// Programs that come with the command and have a command line of their own.

export interface Program {
  description: string;
  run(args: string[]): Promise<number>;
}

/** By the name under which they are called; they get their arguments as they are. */
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
    description: 'make this machine a host, and serve',
    run: async (args) => (await import('./commands/host-agent.js')).runHostAgentProgram(args),
  },
};
