// Gzip and records as they come from the network: cut anywhere, damaged, or hostile.
// Runs in: soak
import { randomBytes } from 'node:crypto';
import { constants, crc32, deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { type GunzipBounds, gunzip } from '../../control-plane/uploads/formats/gunzip.js';
import { readRecords } from '../../control-plane/uploads/formats/records.js';
import { sha256 } from '../harness/sha256.js';
import { pieces } from '../platform/content-store-conformance.js';

const bounds: GunzipBounds = {
  maxBytes: 1_000_000,
  maxRatio: 50,
  ratioFromBytes: 100_000,
};

async function all(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A gzip member with every optional header field. */
function richGzip(content: Buffer): Buffer {
  const header = Buffer.from([0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3]);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(content), 0);
  trailer.writeUInt32LE(content.length, 4);
  const extra = Buffer.from([3, 0, 1, 2, 3]);
  const text = Buffer.from('name\0a comment\0');
  return Buffer.concat([header, extra, text, Buffer.from([9, 9]), deflateRawSync(content), trailer]);
}

t.test('what was packed comes out, however the network cuts it', async (t) => {
  const contents = [Buffer.alloc(0), Buffer.from('x'), randomBytes(200_000), Buffer.alloc(90_000, 'ab')];
  for (const content of contents) {
    for (const packed of [gzipSync(content), gzipSync(content, { level: 0 }), richGzip(content)]) {
      for (const size of [1, 7, 1000, packed.length]) {
        if (packed.length / size > 3000) continue;
        t.ok((await all(gunzip(pieces(packed, size), bounds))).equals(content));
      }
    }
  }
});

/** One gzip member whose parts are stored or packed as is asked; what is packed refers to what comes before it. */
function mixedGzip(parts: readonly { stored: boolean; content: Buffer }[]): Buffer {
  const blocks: Buffer[] = [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])];
  let before: Buffer = Buffer.alloc(0);
  const store = (content: Buffer, last: number) => {
    const head = Buffer.from([last, 0, 0, 0, 0]);
    head.writeUInt16LE(content.length, 1);
    head.writeUInt16LE(content.length ^ 0xffff, 3);
    blocks.push(head, content);
  };
  for (const { stored, content } of parts) {
    const options = { dictionary: before.subarray(-32_768), finishFlush: constants.Z_SYNC_FLUSH };
    if (stored) store(content, 0);
    else blocks.push(deflateRawSync(content, options));
    before = Buffer.concat([before, content]);
  }
  store(Buffer.alloc(0), 1);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(before), 0);
  trailer.writeUInt32LE(before.length, 4);
  return Buffer.concat([...blocks, trailer]);
}

t.test('blocks that are stored and others come in any order, and refer to each other', async (t) => {
  const noise = randomBytes(40_000);
  const range = fc.constantFrom<[number, number][]>([0, 40_000], [5_000, 9_000], [100, 40_000], [0, 0]);
  const parts = fc.array(fc.record({ stored: fc.boolean(), range }), { minLength: 1, maxLength: 8 });
  const limits = { ...bounds, maxRatio: 100_000 };
  await fc.assert(
    fc.asyncProperty(parts, fc.constantFrom(997, 16_384, 1 << 20), async (made, size) => {
      const list = made.map((one) => ({ stored: one.stored, content: noise.subarray(...one.range) }));
      const packed = mixedGzip(list);
      const whole = Buffer.concat(list.map((one) => one.content));
      if (!(await all(gunzip(pieces(packed, size), limits))).equals(whole)) throw new Error('not the same');
      for (const length of [packed.length - 9, packed.length >> 1]) {
        const cut = all(gunzip(pieces(packed.subarray(0, length), size), limits));
        await t.rejects(cut, { name: 'FormatError', kind: 'gzip' });
      }
    }),
    { numRuns: 60 },
  );
});

t.test('a damaged stored block is refused', async (t) => {
  const damaged = gzipSync(randomBytes(50_000), { level: 0 });
  damaged.writeUInt8((damaged[13] ?? 0) ^ 1, 13);
  await t.rejects(all(gunzip(pieces(damaged, 999), bounds)), { name: 'FormatError', kind: 'gzip' });
});

t.test('anything but exactly one whole gzip member is refused', async (t) => {
  const content = randomBytes(5_000);
  const packed = gzipSync(content);
  const altered = (at: number) => {
    const copy = Buffer.from(packed);
    const position = at < 0 ? copy.length + at : at;
    copy.writeUInt8(copy.readUInt8(position) ^ 0xff, position);
    return copy;
  };
  const bad: Record<string, Buffer> = {
    'nothing at all': Buffer.alloc(0),
    'plain text': Buffer.from('{"project":"x","files":[]}'),
    'zlib instead of gzip': Buffer.concat([Buffer.from([0x78, 0x9c]), packed.subarray(2)]),
    'another method': altered(2),
    'reserved flags': Buffer.concat([packed.subarray(0, 3), Buffer.from([0x20]), packed.subarray(4)]),
    'a name that does not end': Buffer.concat([
      packed.subarray(0, 3),
      Buffer.from([8]),
      packed.subarray(4, 10),
      Buffer.alloc(70_000, 'x'),
    ]),
    'two members': Buffer.concat([packed, packed]),
    'an empty member behind': Buffer.concat([packed, gzipSync('')]),
    'an empty member before': Buffer.concat([gzipSync(''), packed]),
    'a zero byte behind': Buffer.concat([packed, Buffer.from([0])]),
    'garbage behind': Buffer.concat([packed, Buffer.from('garbage')]),
    'a wrong checksum': altered(-8),
    'a wrong length': altered(-1),
  };
  for (const [name, bytes] of Object.entries(bad)) {
    for (const size of [1, 4096]) {
      await t.rejects(
        all(gunzip(pieces(bytes, size), bounds)),
        { name: 'FormatError', kind: 'gzip' },
        `${name}, ${size}`,
      );
    }
  }
  for (let length = 0; length < packed.length; length += length < 40 ? 1 : 331) {
    const cut = packed.subarray(0, length);
    await t.rejects(all(gunzip(pieces(cut, 512), bounds)), { name: 'FormatError', kind: 'gzip' }, `cut at ${length}`);
  }
});

t.test('damage anywhere is noticed, or changes nothing that was sent', async (t) => {
  const content = Buffer.from('some text that compresses, some text that compresses. '.repeat(40));
  const packed = gzipSync(content);
  const attempt = (copy: Buffer) =>
    all(gunzip(pieces(copy, 64), bounds)).catch((error: { kind?: string }) => error.kind ?? String(error));
  let noticed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 10, max: packed.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (at, x) => {
        const copy = Buffer.from(packed);
        copy.writeUInt8(copy.readUInt8(at) ^ x, at);
        const outcome = await attempt(copy);
        if (outcome === 'gzip') noticed++;
        // The bits behind the end of the deflate stream pad its last byte and mean nothing (RFC 1951, 3.2.3).
        else if (at !== packed.length - 9 || !Buffer.isBuffer(outcome) || !content.equals(outcome)) {
          t.fail(`byte ${at} xor ${x} went unnoticed: ${outcome}`);
        }
      },
    ),
    { numRuns: 300 },
  );
  t.ok(noticed > 250, `${noticed} of 300 changes were refused`);
});

t.test('a bomb is stopped by its ratio, and a large stream by its size, before they are unpacked', async (t) => {
  const bomb = gzipSync(Buffer.alloc(5_000_000));
  let seen = 0;
  const run = async (packed: Buffer, limits: GunzipBounds) => {
    for await (const chunk of gunzip(pieces(packed, 1024), limits)) seen += chunk.length;
  };
  await t.rejects(run(bomb, bounds), {
    name: 'FormatError',
    kind: 'unpacked_too_large',
    message: /50 times/,
  });
  t.ok(seen <= 400_000, `${seen} bytes came out`);
  const long = gzipSync(randomBytes(1_000_001));
  await t.rejects(run(long, bounds), {
    name: 'FormatError',
    kind: 'unpacked_too_large',
    message: /1000000 bytes/,
  });
  await run(gzipSync(Buffer.alloc(99_000)), bounds);
  t.pass('a small stream may compress as well as it can');
});

t.test('a source that fails passes its own error on; a consumer may leave early', async (t) => {
  async function* broken() {
    yield gzipSync(randomBytes(100_000)).subarray(0, 50_000);
    throw new Error('connection lost');
  }
  await t.rejects(all(gunzip(broken(), bounds)), { message: 'connection lost' });
  for await (const _ of gunzip(pieces(gzipSync(randomBytes(900_000)), 1000), bounds)) break;
});

interface Plain {
  sha256: string;
  size: number;
  content: string;
}

async function readAll(bytes: Buffer, size: number, largest = 1000): Promise<Plain[]> {
  const records: Plain[] = [];
  for await (const { body, ...record } of readRecords(pieces(bytes, size), largest)) {
    records.push({ ...record, content: (await all(body)).toString('base64') });
  }
  return records;
}

t.test('records come out as they went in, cut anywhere', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 200 }),
      async (contents, size) => {
        const expected = contents.map((content) => {
          const bytes = Buffer.from(content);
          return { sha256: sha256(bytes), size: bytes.length, content: bytes.toString('base64') };
        });
        const wire = Buffer.concat(
          expected.flatMap((r) => [Buffer.from(`${r.sha256} ${r.size}\n`), Buffer.from(r.content, 'base64')]),
        );
        t.same(await readAll(wire, size), expected);
      },
    ),
    { numRuns: 200 },
  );
});

t.test('a body that is not read is passed over', async (t) => {
  const wire = Buffer.from(`${'a'.repeat(64)} 5\nhello${'b'.repeat(64)} 0\n${'c'.repeat(64)} 3\nabc`);
  for (const size of [1, 3, 500]) {
    const seen: string[] = [];
    for await (const record of readRecords(pieces(wire, size), 1000)) {
      seen.push(record.sha256.slice(0, 1));
      if (record.sha256.startsWith('a')) for await (const _ of record.body) break;
    }
    t.same(seen, ['a', 'b', 'c']);
  }
});

t.test('a malformed record is invalid_blob', async (t) => {
  const hash = 'a'.repeat(64);
  const sizes = ['1e3', '+5', '-1', '-0', '01', '00', '', ' 5', '5 ', '5\r', '0x5', '5.0', '５', '1001'];
  const huge = [`${2 ** 53}`, '9'.repeat(17), '9'.repeat(400)];
  const bad = [
    ...[...sizes, ...huge].map((size) => `${hash} ${size}\n`),
    `${hash.toUpperCase()} 5\nhello`,
    `${hash.slice(1)} 5\nhello`,
    `${hash}a 5\nhello`,
    `${hash}\t5\nhello`,
    `${hash}5\nhello`,
    ` ${hash} 5\nhello`,
    `\n${hash} 5\nhello`,
    `${hash} 5`,
    `${hash} 6\nhello`,
    `${hash} 5\nhello\n`,
    'x'.repeat(100_000),
    '\0',
  ];
  for (const text of bad) {
    for (const size of [1, 1 << 20]) {
      await t.rejects(
        readAll(Buffer.from(text), size),
        { name: 'FormatError', kind: 'record' },
        JSON.stringify(text.slice(0, 90)),
      );
    }
  }
});
