// Entry of the host agent's process.
import '../shared/debug-signal.js';
import { SERVICE_UMASK } from '../shared/private-folder.js';
import { runHostAgent } from './cli/program.js';

process.umask(SERVICE_UMASK);

process.exitCode = await runHostAgent(process.argv.slice(2));
// A channel to the program that started this one would keep the process alive.
if (process.connected) process.disconnect();
