// Logs 3,000 long lines when it is told to, by a message or by SIGUSR2, and answers by a message or in the file that is named.
import { appendFileSync } from 'node:fs';
import { createLog } from '../../shared/log.js';
import { finishOutput } from '../../shared/log-output.js';

const log = createLog('test', 'info');
const [, , file] = process.argv;
const LINES = 3_000;
/** Makes a line five times as long: what counts is how many bytes are logged, and each line takes time. */
const filler = 'x'.repeat(350);

async function logMuch(lines: number): Promise<void> {
  for (let i = 0; i < lines; i++) {
    log.info({ filler }, 'a line');
    if (i % 200 === 199) await new Promise((resolve) => setImmediate(resolve));
  }
  if (file === undefined) process.send?.({ kept: process.stderr.writableLength });
  else appendFileSync(file, 'logged\n');
}

// What a terminal sends when it vanishes.
process.on('SIGHUP', () => undefined);
process.on('SIGUSR2', () => void logMuch(LINES));
process.on('message', async (message) => {
  if (message === 'log') await logMuch(LINES);
  if (message === 'log one') await logMuch(1);
  if (message !== 'end') return;
  await finishOutput(0);
  process.disconnect();
});
if (file !== undefined) {
  await logMuch(1);
  // Terminal or not, it stays until it is killed.
  setInterval(() => undefined, 60_000);
}
