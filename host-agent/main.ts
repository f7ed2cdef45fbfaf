// Entry of the host agent's process.
import { runHostAgent } from './cli.js';

process.exitCode = await runHostAgent(process.argv.slice(2));
// A channel to the program that started this one would keep the process alive.
if (process.connected) process.disconnect();
