// A name server on UDP that answers as a test scripts it: A and AAAA, one answer after the other.
import { createSocket } from 'node:dgram';
import type { Test } from 'tap';

export interface NameServer {
  /** For `setServers`. */
  readonly address: string;
  /** How many questions were asked, by `A name` and `AAAA name`. */
  readonly asked: ReadonlyMap<string, number>;
}

/** Answers per name: the first question gets the first list, the last list is repeated; `null` keeps silent. */
export type Zone = Readonly<Record<string, readonly (readonly string[] | null)[]>>;

const A = 1;
const AAAA = 28;
const CNAME = 5;

/**
 * @param zone by `A name` or `AAAA name`; an entry that is no address is an alias of another name, whose addresses
 *   follow in the same answer
 */
export async function startNameServer(t: Test, zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked = new Map<string, number>();
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    const key = `${type === AAAA ? 'AAAA' : 'A'} ${name}`;
    const turn = asked.get(key) ?? 0;
    asked.set(key, turn + 1);
    const answers = zone[key];
    const answer = answers?.[Math.min(turn, answers.length - 1)];
    if (answer === null) return;
    const known = Object.keys(zone).some((other) => other.endsWith(` ${name}`));
    const records = (answer ?? []).map((data, index) => record(name, data, index === 0 ? null : (answer?.[0] ?? null)));
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    // An answer, recursion available; 3: no such name.
    header.writeUInt16BE(0x8180 | (known ? 0 : 3), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', () => resolve()));
  t.teardown(() => new Promise<void>((resolve) => void socket.close(() => resolve())));
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** @param alias the name that the first record pointed to, of which the others are */
function record(name: string, data: string, alias: string | null): Buffer {
  const isAlias = !/^[\d.]+$|:/.test(data);
  const value = isAlias ? encodeName(data) : data.includes(':') ? v6(data) : Buffer.from(data.split('.').map(Number));
  const owner = alias !== null && !/^[\d.]+$|:/.test(alias) ? alias : name;
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(isAlias ? CNAME : data.includes(':') ? AAAA : A, 0);
  fixed.writeUInt16BE(1, 2);
  // Time to live: 0.
  fixed.writeUInt16BE(value.length, 8);
  return Buffer.concat([encodeName(owner), fixed, value]);
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function v6(text: string): Buffer {
  const [head = '', tail = ''] = text.split('::');
  const words = (part: string) => part.split(':').filter((word) => word !== '');
  const before = words(head);
  const after = words(tail);
  const all = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  const bytes = Buffer.alloc(16);
  all.forEach((word, index) => void bytes.writeUInt16BE(Number.parseInt(word, 16), index * 2));
  return bytes;
}
