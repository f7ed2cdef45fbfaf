// Asking a person at the terminal.
import { createInterface } from 'node:readline/promises';

/** Everything on standard input. */
export async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Asks for a line; the question goes to standard error. */
export async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
}

/** Asks for a line that is not shown while it is typed. Ctrl-C rejects with an AbortError. */
export async function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  try {
    let line = '';
    for await (const typed of stdin as AsyncIterable<string>) {
      for (const key of typed) {
        if (key === '\r' || key === '\n' || key === '\x04') return line;
        if (key === '\x03') throw new DOMException('stopped', 'AbortError');
        if (key === '\x7f' || key === '\b') line = [...line].slice(0, -1).join('');
        else if (key >= ' ') line += key;
      }
    }
    return line;
  } finally {
    stdin.setRawMode(false);
    stderr.write('\n');
  }
}
