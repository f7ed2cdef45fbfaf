// Asking a person at the terminal.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Everything on standard input. */
export async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Asks for a line on standard error. Ctrl-C rejects with an AbortError; Ctrl-D answers nothing. */
export function ask(question: string): Promise<string> {
  return readLine(question, process.stderr);
}

/** Asks for a line that is not shown while it is typed. */
export async function askHidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    // Prompt only after echo is off, so that fast typing is not shown either.
    return await readLine('', nowhere, () => process.stderr.write(question));
  } finally {
    process.stderr.write('\n');
  }
}

function readLine(question: string, output: Writable, opened: () => void = () => undefined): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  return new Promise<string>((resolve, reject) => {
    lines.on('SIGINT', () => reject(new DOMException('stopped', 'AbortError')));
    lines.on('close', () => resolve(''));
    lines.question(question, resolve);
    opened();
  }).finally(() => lines.close());
}
