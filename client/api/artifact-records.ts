// Many artifacts in one answer: for each a line `<file_id> <size>` followed by size bytes, or `<file_id> gone`.
import { BAD_RESPONSE, CidermillError, unreachable } from '../cidermill-error.js';

const LF = 0x0a;
const LONGEST_LINE = 200;

/**
 * Yields the contents of `asked` as they arrive, one after the other in memory.
 *
 * @throws CidermillError `bad_response` for an artifact that was not asked for or comes twice; a retryable one for one of
 *   another size, or when the answer ends early
 */
export async function* readArtifactRecords(
  source: AsyncIterable<Uint8Array>,
  asked: readonly { readonly id: string; readonly bytes: number }[],
): AsyncGenerator<{ id: string; content: Uint8Array }, void, undefined> {
  const reader = createReader(source);
  const sizes = new Map(asked.map(({ id, bytes }) => [id, bytes]));
  try {
    while (sizes.size > 0) {
      const [id = '', size = ''] = (await reader.line()).split(' ');
      const bytes = sizes.get(id);
      if (bytes === undefined || !/^(?:gone|\d{1,15})$/.test(size)) {
        const message = 'the answer holds an artifact that was not asked for';
        throw new CidermillError({ code: BAD_RESPONSE, message, status: 200, retryable: false });
      }
      sizes.delete(id);
      if (size === 'gone') continue;
      if (size !== String(bytes)) throw unreachable(`${id} arrived with ${size} of ${bytes} bytes`);
      yield { id, content: await reader.take(bytes) };
    }
  } finally {
    await reader.close();
  }
}

function createReader(source: AsyncIterable<Uint8Array>) {
  const chunks = source[Symbol.asyncIterator]();
  let buffer: Uint8Array = new Uint8Array(0);

  /** Waits until the buffer holds this much. */
  const fill = async (length: number): Promise<void> => {
    const parts = [buffer];
    let filled = buffer.length;
    while (filled < length) {
      const next = await chunks.next();
      if (next.done) throw unreachable('the answer ended before the last artifact');
      parts.push(next.value);
      filled += next.value.length;
    }
    if (parts.length > 1) buffer = joined(parts, filled);
  };
  const take = async (length: number): Promise<Uint8Array> => {
    await fill(length);
    const taken = buffer.subarray(0, length);
    buffer = buffer.subarray(length);
    return taken;
  };
  return {
    take,
    /** Up to the next line feed; what is too long for a line is returned as it is. */
    async line(): Promise<string> {
      let end = buffer.indexOf(LF);
      for (; end < 0 && buffer.length < LONGEST_LINE; end = buffer.indexOf(LF)) await fill(buffer.length + 1);
      const line = await take(end < 0 ? LONGEST_LINE : end + 1);
      return new TextDecoder().decode(line.subarray(0, end < 0 ? LONGEST_LINE : end));
    },
    /** Closes the connection when the answer has not been read to its end. */
    close: async () => void (await chunks.return?.()),
  };
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
