// Asking a person at the terminal.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { CliContext } from './context.js';

/** Every byte on standard input. */
export async function readStandardInput({ stdin }: CliContext): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Asks for a line on standard error. Ctrl-C rejects with an AbortError; Ctrl-D answers nothing. */
export function ask(context: CliContext, question: string): Promise<string> {
  return readLine(context, question, context.stderr);
}

/** Asks for a line that is not shown while it is typed. */
export async function askHidden(context: CliContext, question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    // Prompt only after echo is off, so that fast typing is not shown either.
    return await readLine(context, '', nowhere, () => context.stderr.write(question));
  } finally {
    context.stderr.write('\n');
  }
}

function readLine(
  { stdin }: CliContext,
  question: string,
  output: NodeJS.WritableStream,
  opened: () => void = () => undefined,
): Promise<string> {
  const lines = createInterface({ input: stdin, output, terminal: true });
  return new Promise<string>((resolve, reject) => {
    lines.on('SIGINT', () => reject(new DOMException('stopped', 'AbortError')));
    lines.on('close', () => resolve(''));
    lines.question(question, resolve);
    opened();
  }).finally(() => lines.close());
}
