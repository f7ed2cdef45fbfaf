// Logs 15,000 lines when it is told to, by a message or by SIGUSR2, and answers by a message or in the file that is named.
import { appendFileSync } from 'node:fs';
import { createLog } from '../../shared/log.js';
import { finishOutput } from '../../shared/log-output.js';

const log = createLog('test', 'info');
const [, , file] = process.argv;

async function logMuch(lines: number): Promise<void> {
  for (let i = 0; i < lines; i++) {
    log.info('a line');
    if (i % 1_000 === 999) await new Promise((resolve) => setImmediate(resolve));
  }
  if (file === undefined) process.send?.({ kept: process.stderr.writableLength });
  else appendFileSync(file, 'logged\n');
}

// What a terminal sends when it vanishes.
process.on('SIGHUP', () => undefined);
process.on('SIGUSR2', () => void logMuch(15_000));
process.on('message', async (message) => {
  if (message === 'log') await logMuch(15_000);
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
