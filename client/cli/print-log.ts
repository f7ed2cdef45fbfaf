// `cidermill logs` as bytes: whole, its end, from an offset, followed.
import { printedJson } from '../../shared/clean-text.js';
import { createEscapeStripper } from '../../shared/escape-stripper.js';
import type { Session } from './session.js';
import { UsageError } from './usage-error.js';

export interface LogForm {
  follow?: boolean;
  tail?: number;
  offset?: number;
  /** Without terminal escape sequences. */
  plain: boolean;
  /** Each line after the time at which it arrived. */
  timestamps: boolean;
}

export async function printLog(session: Session, id: string, form: LogForm): Promise<void> {
  const { follow, tail, offset, plain, timestamps } = form;
  const { log } = session.client.builds;
  if (session.json) return printDocuments(session, id, form);
  const from = offset === undefined ? {} : { offset };
  const bytes = follow
    ? log.followBytes(id, from)
    : log.stream(id, { ...from, ...(tail === undefined ? {} : { tail }), timestamps });
  for await (const piece of plain ? withoutColors(bytes) : bytes) await session.printLog(piece);
}

/** Removed here and not by the service, because a lost connection resumes at an offset of the stored log. */
async function* withoutColors(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stripper = createEscapeStripper();
  for await (const piece of bytes) {
    yield stripper.write(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
  }
  yield stripper.end();
}

async function printDocuments(session: Session, id: string, form: LogForm): Promise<void> {
  const { follow, tail, offset = 0, plain, timestamps } = form;
  const { print } = session;
  const { log } = session.client.builds;
  const say = (document: object, indent = 0) => print(`${printedJson(document, indent)}\n`);
  if (tail !== undefined) await say({ build_id: id, data: await log.tail(id, tail, { plain, timestamps }) }, 2);
  else if (timestamps) throw new UsageError('--json with --timestamps needs --tail, --from-line or --search');
  else if (plain) throw new UsageError('--json with --no-ansi needs --tail, --from-line or --search');
  else if (!follow) await say(await log.segment(id, offset), 2);
  else for await (const segment of log.follow(id, { offset })) await say(segment);
}
