// Loaded before every test file: processes that a test starts run as users start them. tap prepares each of them for
// coverage, which is not measured here and which doubles the processor time of every command and service in a test.
import processOnSpawn from 'process-on-spawn';

processOnSpawn.removeAllListeners();
for (const name of Object.keys(process.env)) {
  if (name === 'NODE_OPTIONS' || name.startsWith('_TAPJS_PROCESSINFO_')) delete process.env[name];
}
