// HTTP endpoints for bulk data of the link and for enrolment, below {site_url}/link/v1. See shared/protocol/source.ts.

import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../../shared/log.js';
import { blobApiError, isStorageAway } from '../../platform/app/blob-errors.js';
import { ApiError, errorCatalog, isRetryable } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { bearerToken } from '../../platform/http/bearer.js';
import { hasMoreValues } from '../../platform/http/json-values.js';
import type { Hosts } from '../app/hosts.js';
import type { BuildAssignment, LinkFiles } from '../app/link-ports.js';
import { blobRecords } from './blob-records.js';
import { type EnrolRoutesDeps, enrolRoutes } from './enrol-routes.js';
import { createLargeInput } from './large-input.js';
import { artifactHeaders, artifactQuery, buildPath, manifestQuery } from './request-shapes.js';
import { valid } from './valid.js';

export interface LinkHttpDeps extends EnrolRoutesDeps {
  hosts: Pick<Hosts, 'authenticate'> & EnrolRoutesDeps['hosts'];
  files: LinkFiles;
  limits: Pick<Limits, 'artifact_bytes' | 'link_request_bytes'> & EnrolRoutesDeps['limits'];
  log: Log;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its JSON body is not parsed: it may be large. */
    takesBytes?: boolean;
  }
}

/** Responses of at least this size are compressed for hosts that accept it. */
const WORTH_COMPRESSING = 64 * 1024;

interface Assigned extends BuildAssignment {
  hostId: string;
  buildId: string;
  attempt: number;
}

/**
 * Registers the endpoints on `fastify` (without its error format and authentication, which are the API's).
 * A host can access the data of an attempt only while that attempt runs on it.
 */
export async function registerLinkHttp(fastify: FastifyInstance, deps: LinkHttpDeps): Promise<void> {
  await fastify.register(async (link) => routes(link, deps), { prefix: '/link/v1' });
}

function routes(link: FastifyInstance, deps: LinkHttpDeps): void {
  const { hosts, files, limits, log } = deps;
  const hostIds = new WeakMap<FastifyRequest, string>();
  // Before the body is read.
  link.addHook('onRequest', async (request, reply) => {
    if (!Object.hasOwn(request.params ?? {}, 'build_id')) return;
    const credential = bearerToken(request.headers.authorization);
    const host = credential === null ? null : await hosts.authenticate(credential);
    if (!host) throw new ApiError('invalid_host_credential');
    hostIds.set(request, host.hostId);
    request.party = `host ${host.hostId}`;
    request.authenticated?.(reply, request.party);
  });
  const assigned = async (request: FastifyRequest): Promise<Assigned> => {
    const hostId = hostIds.get(request);
    if (hostId === undefined) throw new ApiError('invalid_host_credential');
    const { build_id: buildId, attempt } = valid(buildPath, request.params);
    const assignment = await files.assignment(hostId, buildId, attempt);
    if (!assignment) throw new ApiError('build_not_found', { message: 'The build is not on this host now.' });
    return { ...assignment, hostId, buildId, attempt };
  };
  const uploadOf = ({ uploadId }: Assigned): string => {
    if (uploadId === null) throw new ApiError('upload_not_found', { message: 'The build has no upload.' });
    return uploadId;
  };

  link.setErrorHandler((error, request, reply) => answerError(error, request, reply, log));
  link.setNotFoundHandler(() => {
    throw new ApiError('not_found');
  });
  // Artifacts are arbitrary bytes and are streamed.
  link.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));

  link.removeContentTypeParser('application/json');
  link.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const { config } = request.routeOptions;
    const parse = () => {
      try {
        done(null, config.takesBytes ? body : parsed(body));
      } catch (cause) {
        done(new ApiError('invalid_request', { message: 'The body is not JSON.', cause }));
      }
    };
    if (request.takeTurn) request.takeTurn(body.length, (refusal) => (refusal ? done(refusal) : parse()));
    else parse();
  });
  const input = createLargeInput();
  link.addHook('onClose', () => input.close());

  enrolRoutes(link, deps);

  link.get('/builds/:build_id/:attempt/manifest', async (request, reply) => {
    const build = await assigned(request);
    const { since } = valid(manifestQuery, request.query);
    const { size, stream } = await files.openManifest(uploadOf(build), build.accountId, since);
    reply.type('application/json');
    if (size < WORTH_COMPRESSING || !acceptsGzip(request)) {
      return reply.header('content-length', size).send(stream);
    }
    // Fastify handles errors of either stream, since it reads from the gzip stream.
    const gzip = pipeline(stream, createGzip({ level: 1 }), () => {});
    return reply.header('content-encoding', 'gzip').send(gzip);
  });

  const bodyLimit = limits.link_request_bytes;
  const config = { takesBytes: true };
  link.post('/builds/:build_id/:attempt/blobs', { bodyLimit, config }, async (request, reply) => {
    const build = await assigned(request);
    const sha256 = await input.hashes(request.body instanceof Buffer ? request.body : Buffer.alloc(0));
    const known = await files.contentsOf(uploadOf(build), build.accountId);
    await request.turn?.step();
    const foreign = sha256.find((hash) => !known.has(hash));
    if (foreign) throw new ApiError('not_found', { message: `${foreign} is not in the build's upload.` });
    const records = Readable.from(blobRecords(files, build.accountId, sha256), { objectMode: false });
    return reply.type('application/octet-stream').send(records);
  });

  link.put('/builds/:build_id/:attempt/artifacts', async (request, reply) => {
    const build = await assigned(request);
    const { name, executable } = valid(artifactQuery, request.query, 'invalid_artifact');
    const headers = valid(artifactHeaders, request.headers);
    const bytes = headers['content-length'];
    if (bytes > limits.artifact_bytes) throw new ApiError('payload_too_large');
    const { buildId, attempt } = build;
    const what = { name, bytes, sha256: headers['x-sha256'], executable: executable !== undefined };
    const artifact = { buildId, attempt, ...what };
    // An empty body does not reach the content type parser.
    const body = request.body instanceof Readable ? request.body : Readable.from([]);
    await files.storeArtifact(artifact, body);
    return reply.code(204).send();
  });

  link.post('/builds/:build_id/:attempt/artifacts', async (request) => {
    const { buildId, attempt } = await assigned(request);
    const body = request.body instanceof Readable ? request.body : Readable.from([]);
    const chunks = body.iterator({ destroyOnReturn: false });
    try {
      return { refused: await files.storeArtifacts({ buildId, attempt }, chunks) };
    } finally {
      // The rest of a refused body must not block the next request of the connection.
      await chunks.return?.();
      body.resume();
    }
  });
}

/** No request of a machine that enrolls needs as many. */
const MOST_VALUES = 10_000;

function parsed(body: Buffer): unknown {
  if (hasMoreValues(body, MOST_VALUES)) throw new Error('too many values');
  return JSON.parse(body.toString('utf8'));
}

const acceptsGzip = (request: FastifyRequest) => /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));

/** Error body `{error: {code, message, retryable}}`. */
function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply, log: Log) {
  const error = blobApiError(thrown);
  let known = error instanceof ApiError ? error : null;
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (!known && status === 413) known = new ApiError('payload_too_large');
  if (!known && typeof status === 'number' && status < 500) known = new ApiError('invalid_request');
  if (!known) {
    log.error({ err: error, method: request.method, path: request.url.split('?')[0] }, 'link request failed');
    known = new ApiError('internal_error', { cause: error });
  }
  const { code, message } = known;
  if (known.retryAfterS !== null) reply.header('retry-after', known.retryAfterS);
  // The host keeps its artifacts for longer than on a full disk, which somebody has to clear.
  const away = isStorageAway(thrown) ? { storage_away: true } : {};
  const body = { code, message, retryable: isRetryable(code), ...away };
  return reply.code(errorCatalog[code].status).send({ error: body });
}
