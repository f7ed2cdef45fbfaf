// Takes the place of client/cli/programs.ts in the package of the command line.
import { EXIT_USAGE } from '../../../client/cli/exit-codes.js';
import type { Program } from '../../../client/cli/programs.js';

const elsewhere = (name: string, where: string): Program => ({
  description: `not in this package: ${where}`,
  serves: () => false,
  async run() {
    process.stderr.write(`error: this package contains only the command line; cidermill ${name} is part of ${where}\n`);
    return EXIT_USAGE;
  },
});

export const programs: Record<string, Program> = {
  dev: elsewhere('dev', 'cidermill-VERSION.tgz'),
  admin: {
    description: 'administer the service of CIDERMILL_OPERATOR_URL',
    serves: () => false,
    run: async (args) => (await import('../../../client/cli/commands/admin.js')).runAdminProgram(args),
  },
  'host-agent': elsewhere('host-agent', 'the package of the host agent'),
};
