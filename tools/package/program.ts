// Entry of the packaged host agent, which is one file: the commands, the daemon and the process of a build.
import '../../shared/debug-signal.js';
import { BUILD_COMMAND } from '../../host-agent/contract/build-command.js';
import { packageVersion } from '../../shared/package-version.js';
import { SERVICE_UMASK } from '../../shared/private-folder.js';

const USAGE = `Usage: cidermill host-agent <command>
       cidermill --version

This package holds the host agent. Commands: cidermill host-agent --help
The command line for builds is another package: https://SERVICE/install/cli
`;

const [name, ...args] = process.argv.slice(2);
if (name === BUILD_COMMAND) await import('../../host-agent/runner/main.js');
else process.exitCode = await command();

async function command(): Promise<number> {
  if (name === 'host-agent') {
    const { runHostAgent } = await import('../../host-agent/cli/program.js');
    process.umask(SERVICE_UMASK);
    return runHostAgent(args);
  }
  if (name === '--version' || name === '-V') {
    process.stdout.write(`${packageVersion()}\n`);
    return 0;
  }
  const asked = name === '--help' || name === '-h' || name === 'help';
  process[asked ? 'stdout' : 'stderr'].write(USAGE);
  return asked ? 0 : 64;
}
