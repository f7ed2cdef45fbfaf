// Runs the control plane as a separate process: configured by the environment, shut down gracefully by SIGTERM.
import '../shared/debug-signal.js';
import { spanOf } from '../shared/amounts.js';
import { createLog } from '../shared/log.js';
import { reportLostOutput } from '../shared/log-output.js';
import { SERVICE_UMASK } from '../shared/private-folder.js';
import { ConfigError } from './config-error.js';
import { createControlPlane } from './control-plane.js';
import { EXIT_CANNOT_START, StartError } from './start-error.js';

process.umask(SERVICE_UMASK);
const log = createLog('control-plane');
reportLostOutput(log);
// Without this, the process would outlive a supervisor that has died. Until it serves, there is nothing to end cleanly.
const leave = () => process.exit(0);
if (process.send !== undefined) {
  process.once('disconnect', leave);
  if (!process.connected) leave();
}
try {
  const controlPlane = await createControlPlane({
    log,
    testClock: process.env.CIDERMILL_TEST_CLOCK === 'true',
    onDatabaseLost: () => process.exit(1),
  });
  if (controlPlane.firstOwnerUrl !== null) {
    process.stdout.write(
      `The service has no people yet. Create the first owner at this address, which works once, for ${spanOf(controlPlane.firstOwnerMs)}: ${controlPlane.firstOwnerUrl}\n`,
    );
  }
  process.send?.({ type: 'listening', siteUrl: controlPlane.siteUrl });
  const stop = () => {
    log.info('stopping');
    controlPlane.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.off('disconnect', leave);
  process.once('disconnect', stop);
  if (process.send !== undefined && !process.connected) stop();
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof StartError)) {
    log.fatal({ err: error }, 'could not start');
    process.exit(1);
  }
  const lines = error instanceof ConfigError ? error.problems : [error.message];
  process.stderr.write(lines.map((line) => `cidermill: ${line}\n`).join(''));
  process.exit(EXIT_CANNOT_START);
}
