// A process that tries to take the lock of a folder, says what came of it, and lives until its standard input ends.
import { FolderLockedError, takeFolderLock } from '../../control-plane/platform/store/folder-lock.js';

const [file = '', address = ''] = process.argv.slice(2);
try {
  takeFolderLock(file).announce(address);
  process.stdout.write('locked\n');
} catch (error) {
  if (!(error instanceof FolderLockedError)) throw error;
  process.stdout.write(`refused ${error.owner?.pid}\n`);
}
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
