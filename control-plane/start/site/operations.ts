// /healthz, /readyz and /metrics, for the operator.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { cleanText } from '../../../shared/clean-text.js';
import type { Clock } from '../../../shared/clock.js';
import { countOf } from '../../../shared/count.js';
import { compileRanges } from '../../platform/domain/cidr.js';
import type { Degradation, DegradationSource } from '../../platform/domain/degradation.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { isOperator } from '../../platform/http/bearer.js';
import type { Metrics } from '../../platform/http/metrics.js';

export interface OperationsDeps {
  /** Throws if the service cannot work, for example because the database does not answer. */
  ready(): Promise<void>;
  /** Returns how many hosts have not reconnected since startup. */
  awaitedHosts(): number;
  /** Returns whether the process is about to stop. */
  isStopping(): boolean;
  /** Returns the failure that requires a restart of the process; null if there is none. */
  failure(): Error | null;
  readonly degradations: DegradationSource;
  /** Whether the object store is away. The service still takes requests: most of them do not need it. */
  objectsAway(): boolean;
  /** This process. */
  readonly process: { readonly version: string; readonly schemaId: number; readonly processId: string };
  readonly metrics: Metrics;
  /** Null: /metrics, and the details of the others, are for this machine only. */
  readonly operatorToken: string | null;
  readonly siteUrl: string;
  readonly clock: Clock;
  clientIp(request: FastifyRequest): string;
}

const LONGEST_LINE = 600;

/** A monitor must get an answer also when the service is at its busiest. */
const urgent = { config: { isUrgent: true } };

const loopback = compileRanges(['127.0.0.0/8', '::1/128']);

/** To find out what is degraded takes longer the more hosts there are, and strangers may ask as often as they like. */
const SAME_FOR_STRANGERS_MS = 1_000;

function keptFor(ms: number, { degradations, clock }: OperationsDeps): () => Promise<readonly Degradation[]> {
  let last: { readonly at: number; readonly found: Promise<readonly Degradation[]> } | null = null;
  return () => {
    const now = clock.monotonic();
    if (last === null || now - last.at >= ms) last = { at: now, found: Promise.resolve(degradations()) };
    return last.found;
  };
}

export function mountOperations(server: FastifyInstance, deps: OperationsDeps): void {
  const forStrangers = keptFor(SAME_FOR_STRANGERS_MS, deps);
  const { version, schemaId, processId } = deps.process;
  const named = `version ${version}, schema ${schemaId}, process ${processId}\n`;
  server.get('/healthz', urgent, async (request, reply) => {
    const failure = deps.failure();
    const detailed = mayWatch(request, deps);
    if (failure !== null) {
      const text = detailed ? `failed: ${failure.message}\n` : 'failed\n';
      return reply.code(503).type('text/plain').send(text);
    }
    const degraded = await (detailed ? deps.degradations() : forStrangers());
    if (degraded.length === 0) return reply.type('text/plain').send(detailed ? `ok\n${named}` : 'ok\n');
    // The lines name hosts, images and free space.
    if (!detailed) return reply.type('text/plain').send('degraded: only operators can read the reason\n');
    const lines = degraded.map(({ name, message }) => `degraded: ${name}: ${cleanText(message, LONGEST_LINE)}\n`);
    return reply.type('text/plain').send(lines.join('') + named);
  });

  server.get('/readyz', urgent, async (request, reply) => {
    if (deps.isStopping()) return reply.code(503).type('text/plain').send('not ready: stopping\n');
    try {
      await deps.ready();
    } catch (error) {
      request.log.error({ err: error }, 'not ready');
      return reply.code(503).type('text/plain').send('not ready\n');
    }
    const awaited = deps.awaitedHosts();
    if (awaited > 0) {
      const hosts = mayWatch(request, deps) ? countOf(awaited, 'host') : 'hosts';
      const text = `not ready: waiting for ${hosts} to connect again\n`;
      return reply.code(503).type('text/plain').send(text);
    }
    const away = deps.objectsAway() ? 'degraded: the object store does not answer\n' : '';
    return reply.type('text/plain').send(`ready\n${away}`);
  });

  server.get('/metrics', urgent, async (request, reply) => {
    if (!mayWatch(request, deps)) throw new ApiError('not_found');
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await deps.metrics.text());
  });
}

function mayWatch(request: FastifyRequest, deps: OperationsDeps): boolean {
  return isLocal(request, deps) || isOperator(request.headers.authorization, deps.operatorToken);
}

function isLocal(request: FastifyRequest, { siteUrl, clientIp }: OperationsDeps): boolean {
  // Behind a proxy on this machine that is not configured as trusted, every client has a loopback address.
  const forwarded = request.headers['x-forwarded-for'] ?? request.headers.forwarded;
  if (forwarded !== undefined || !loopback.includes(clientIp(request))) return false;
  // A web page can make its host name resolve to a loopback address (DNS rebinding).
  const host = `http://${request.headers.host ?? ''}`;
  if (!URL.canParse(host)) return false;
  const { hostname } = new URL(host);
  const isLiteral = loopback.includes(hostname.replace(/^\[|\]$/g, ''));
  return isLiteral || hostname === 'localhost' || hostname === new URL(siteUrl).hostname;
}
