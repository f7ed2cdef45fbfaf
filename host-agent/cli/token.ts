import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { ConfigError } from '../daemon/config.js';

/** Never read from an argument, because arguments are visible in the process list. */
export async function readToken(file: string | undefined): Promise<string> {
  const given = file === undefined ? process.env.CIDERMILL_ENROLMENT_TOKEN : readFileSync(file, 'utf8');
  const token = (given ?? (await (process.stdin.isTTY ? askLine('Token: ') : text(process.stdin)))).trim();
  if (token === '') throw new ConfigError('no token was given');
  return token;
}

/**
 * Reads one line from the terminal; empty at the end of input. The token is echoed, but is used up a moment later.
 */
function askLine(question: string): Promise<string> {
  return new Promise((answer) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    lines.once('close', () => answer(''));
    lines.question(question, (line) => {
      answer(line);
      lines.close();
    });
  });
}
