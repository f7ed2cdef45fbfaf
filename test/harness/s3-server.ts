// A small S3-compatible store over HTTP. It is stricter than real ones: it verifies signatures, times and checksums of
// every request, wants parts of full size, and refuses whatever it does not know.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Test } from 'tap';
import { sign } from '../../control-plane/platform/blobs/s3/sign.js';

interface StoredBytes {
  readonly bytes: Buffer;
  readonly etag: string;
}

interface OpenUpload {
  readonly key: string;
  readonly begunAt: number;
  readonly parts: Map<number, StoredBytes>;
}

/** What a request is answered with in place of its answer. */
export interface S3Refusal {
  readonly status: number;
  readonly code: string;
}

export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
  readonly region: string;
  readonly objects: Map<string, StoredBytes>;
  readonly uploads: Map<string, OpenUpload>;
  /** Every request, as `METHOD /path?query`. */
  readonly requests: string[];
  /** Answers a request in place of the server; null: it is answered as usual. */
  refuse: (request: IncomingMessage) => S3Refusal | null;
  /** Closes all connections and accepts no others. */
  stop(): Promise<void>;
  /** Accepts connections again, at the same address. */
  start(): Promise<void>;
}

class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest();
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const SKEW_MS = 15 * 60_000;

/**
 * @param options.least smallest part of an upload, but the last; S3 wants 5 MiB
 * @param options.sessionToken the key is temporary, and has this token
 */
export async function startS3Server(
  t: Test,
  { least = 64 * 1024, sessionToken = null }: { readonly least?: number; readonly sessionToken?: string | null } = {},
): Promise<S3Server> {
  const key = { region: 'eu-test-1', accessKeyId: 'AKIDTEST', secretAccessKey: 'a/secret+key', sessionToken };
  const bucket = 'mill-objects';
  const objects = new Map<string, StoredBytes>();
  const uploads = new Map<string, OpenUpload>();
  const requests: string[] = [];
  let nextUpload = 1;

  const verify = (request: IncomingMessage, url: URL, body: Buffer) => {
    const headers = request.headers as Record<string, string>;
    const isAddress = url.searchParams.has('X-Amz-Signature');
    const authorization = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
    const unsigned = new URL(url);
    unsigned.searchParams.delete('X-Amz-Signature');
    const [credential, names, signature, time, bodyHash] = isAddress
      ? [
          url.searchParams.get('X-Amz-Credential') ?? '',
          url.searchParams.get('X-Amz-SignedHeaders') ?? '',
          url.searchParams.get('X-Amz-Signature'),
          url.searchParams.get('X-Amz-Date') ?? '',
          'UNSIGNED-PAYLOAD',
        ]
      : [
          authorization?.[1] ?? '',
          authorization?.[2] ?? '',
          authorization?.[3],
          headers['x-amz-date'] ?? '',
          headers['x-amz-content-sha256'] ?? '',
        ];
    if (!credential.startsWith(`${key.accessKeyId}/`)) throw new Refused(403, 'InvalidAccessKeyId');
    const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
    const validMs = isAddress ? Number(url.searchParams.get('X-Amz-Expires')) * 1000 : SKEW_MS;
    if (!(Date.now() - at <= validMs) || at - Date.now() > SKEW_MS) {
      throw new Refused(403, isAddress ? 'AccessDenied' : 'RequestTimeTooSkewed');
    }
    const list = names.split(';');
    const wanted = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
    if (wanted.some((name) => !list.includes(name))) throw new Refused(403, 'AccessDenied');
    const right = sign(key, { method: request.method ?? '', url: unsigned, headers, names: list, bodyHash, time });
    if (`${key.accessKeyId}/${right.scope}` !== credential || right.signature !== signature) {
      throw new Refused(403, 'SignatureDoesNotMatch');
    }
    const token = isAddress ? url.searchParams.get('X-Amz-Security-Token') : headers['x-amz-security-token'];
    if ((token ?? null) !== sessionToken) throw new Refused(403, 'InvalidToken');
    if (!isAddress && hash(body) !== bodyHash) throw new Refused(400, 'XAmzContentSHA256Mismatch');
    const checksum = headers['content-md5'];
    if (checksum !== undefined && checksum !== md5(body).toString('base64')) throw new Refused(400, 'BadDigest');
    if (request.method === 'PUT' && checksum === undefined) throw new Refused(400, 'MissingContentMD5');
  };

  const answerBucket = (request: IncomingMessage, url: URL, body: Buffer, response: ServerResponse) => {
    const { searchParams } = url;
    if (request.method === 'HEAD') return response.end();
    if (request.method === 'GET' && searchParams.has('uploads')) {
      const prefix = searchParams.get('prefix') ?? '';
      const after = searchParams.get('upload-id-marker') ?? '';
      const all = [...uploads].filter(([id, { key }]) => key.startsWith(prefix) && id > after).sort();
      const page = all.slice(0, 2);
      const [lastId = '', last] = page.at(-1) ?? [];
      const listed = page.map(
        ([id, { key, begunAt }]) =>
          `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${new Date(begunAt).toISOString()}</Initiated></Upload>`,
      );
      const next = `<NextKeyMarker>${last?.key ?? ''}</NextKeyMarker><NextUploadIdMarker>${lastId}</NextUploadIdMarker>`;
      return response.end(
        `<?xml version="1.0"?>\n<ListMultipartUploadsResult><Bucket>${bucket}</Bucket>${next}<IsTruncated>${all.length > 2}</IsTruncated>${listed.join('')}</ListMultipartUploadsResult>`,
      );
    }
    if (request.method === 'POST' && searchParams.has('delete')) {
      if (request.headers['content-md5'] === undefined) throw new Refused(400, 'MissingContentMD5');
      const keys = [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
      if (keys.length === 0 || keys.length > 1_000) throw new Refused(400, 'MalformedXML');
      for (const key of keys) objects.delete(key);
      return response.end('<?xml version="1.0"?>\n<DeleteResult></DeleteResult>');
    }
    throw new Refused(405, 'MethodNotAllowed');
  };

  const complete = (id: string, upload: OpenUpload, body: Buffer) => {
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
    if (named.length === 0) throw new Refused(400, 'MalformedXML');
    const parts = named.map(([, number, etag], i) => {
      const part = upload.parts.get(Number(number));
      if (part === undefined || Number(number) !== i + 1 || part.etag !== etag) throw new Refused(400, 'InvalidPart');
      if (i < named.length - 1 && part.bytes.length < least) throw new Refused(400, 'EntityTooSmall');
      return part.bytes;
    });
    const etag = `"${md5(Buffer.concat(parts.map(md5))).toString('hex')}-${parts.length}"`;
    objects.set(upload.key, { bytes: Buffer.concat(parts), etag });
    uploads.delete(id);
    return etag;
  };

  const answerObject = (request: IncomingMessage, url: URL, name: string, body: Buffer, response: ServerResponse) => {
    const { searchParams } = url;
    const uploadId = searchParams.get('uploadId');
    if (request.method === 'POST' && searchParams.has('uploads')) {
      const id = `u${String(nextUpload++).padStart(6, '0')}`;
      uploads.set(id, { key: name, begunAt: Date.now(), parts: new Map() });
      return response.end(
        `<?xml version="1.0"?>\n<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (uploadId !== null) {
      const upload = uploads.get(uploadId);
      if (upload?.key !== name) throw new Refused(404, 'NoSuchUpload');
      if (request.method === 'PUT') {
        const etag = `"${md5(body).toString('hex')}"`;
        upload.parts.set(Number(searchParams.get('partNumber')), { bytes: body, etag });
        return response.setHeader('etag', etag).end();
      }
      if (request.method === 'DELETE') {
        uploads.delete(uploadId);
        return response.writeHead(204).end();
      }
      const etag = complete(uploadId, upload, body);
      return response.end(
        `<?xml version="1.0"?>\n<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`,
      );
    }
    if (request.method === 'PUT') {
      const etag = `"${md5(body).toString('hex')}"`;
      objects.set(name, { bytes: body, etag });
      return response.setHeader('etag', etag).end();
    }
    if (request.method === 'DELETE') {
      objects.delete(name);
      return response.writeHead(204).end();
    }
    const found = objects.get(name);
    if (found === undefined) throw new Refused(404, 'NoSuchKey');
    return sendObject(request, url, found, response);
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', `http://${request.headers.host}`);
    const answer = async () => {
      requests.push(`${request.method} ${request.url}`);
      const body = await buffer(request);
      const refusal = refuse(request);
      if (refusal) throw new Refused(refusal.status, refusal.code);
      verify(request, url, body);
      const [, inBucket, name = ''] = /^\/([^/]*)(?:\/(.*))?$/.exec(url.pathname) ?? [];
      if (inBucket !== bucket) throw new Refused(404, 'NoSuchBucket');
      if (name === '') answerBucket(request, url, body, response);
      else answerObject(request, url, name, body, response);
    };
    answer().catch((error: unknown) => {
      if (!(error instanceof Refused)) return response.destroy(error instanceof Error ? error : undefined);
      const text = `<?xml version="1.0"?>\n<Error><Code>${error.code}</Code><Message>refused</Message></Error>`;
      return response.writeHead(error.status, { 'content-type': 'application/xml' }).end(text);
    });
  });
  let refuse: S3Server['refuse'] = () => null;
  let port = 0;
  const start = async () => {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  };
  const stop = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  await start();
  t.teardown(stop);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket,
    ...key,
    objects,
    uploads,
    requests,
    get refuse() {
      return refuse;
    },
    set refuse(next) {
      refuse = next;
    },
    start,
    stop,
  };
}

function sendObject(request: IncomingMessage, url: URL, { bytes, etag }: StoredBytes, response: ServerResponse) {
  const condition = request.headers['if-match'];
  if (condition !== undefined && condition !== etag) throw new Refused(412, 'PreconditionFailed');
  response.setHeader('etag', etag).setHeader('accept-ranges', 'bytes');
  for (const name of ['content-disposition', 'content-type']) {
    const value = url.searchParams.get(`response-${name}`);
    if (value !== null) response.setHeader(name, value);
  }
  const { range } = request.headers;
  let sent = bytes;
  if (range !== undefined) {
    const [, first = '', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? [];
    if (first === '' || Number(first) >= bytes.length) throw new Refused(416, 'InvalidRange');
    const end = last === '' ? bytes.length : Math.min(Number(last) + 1, bytes.length);
    sent = bytes.subarray(Number(first), end);
    response.statusCode = 206;
    response.setHeader('content-range', `bytes ${first}-${end - 1}/${bytes.length}`);
  }
  response.setHeader('content-length', sent.length);
  return request.method === 'HEAD' ? response.end() : response.end(sent);
}
