// Entry of the host agent's process.
import { runHostAgent } from './cli.js';

process.exitCode = await runHostAgent(process.argv.slice(2));
