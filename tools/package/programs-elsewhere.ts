// Takes the place of client/cli/programs.ts in the package of the command line, which has no service in it.
import { EXIT_USAGE } from '../../client/cli/exit-codes.js';
import type { Program } from '../../client/cli/programs.js';

const elsewhere = (name: string, where: string): Program => ({
  description: `not in this package: ${where}`,
  async run() {
    process.stderr.write(
      `error: this package holds the client alone; cidermill ${name} is part of ${where}\n`,
    );
    return EXIT_USAGE;
  },
});

export const programs: Record<string, Program> = {
  dev: elsewhere('dev', 'cidermill-VERSION.tgz'),
  admin: elsewhere('admin', 'cidermill-VERSION.tgz, on the machine of the service or of its operator'),
  'host-agent': elsewhere('host-agent', 'the package of the host agent'),
};
