// Loaded before every test file: processes that a test starts run as users start them. tap prepares each of them for
// coverage, which is not measured here and which doubles the processor time of every command and service in a test.
import processOnSpawn from 'process-on-spawn';

processOnSpawn.removeAllListeners();
delete process.env.NODE_OPTIONS;
