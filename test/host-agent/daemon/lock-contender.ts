// A process that tries to take the lock of a folder, prints the outcome, and lives until its standard input ends.
import { LockedError, takeLock } from '../../../host-agent/system/lock.js';

const [dir = ''] = process.argv.slice(2);
try {
  takeLock(dir);
  process.stdout.write('locked\n');
} catch (error) {
  if (!(error instanceof LockedError)) throw error;
  process.stdout.write('refused\n');
}
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
