// The operator API without a socket: the same routes, checks and audit entries for one operator of this machine.
import Fastify from 'fastify';
import type { AuditSink } from '../../platform/app/audit-sink.js';
import { createRecordsQuota } from '../../platform/app/records-quota.js';
import { OPERATOR_ROOT } from '../../platform/domain/addresses.js';
import type { Operator } from '../../platform/domain/operator.js';
import { createAccessWatch } from '../../platform/http/access-watch.js';
import { mountApi } from '../../platform/http/mount-api.js';
import { requestId } from '../../platform/http/request-id.js';
import type { AnyRoute } from '../../platform/http/route.js';
import type { Base } from '../platform.js';
import { operatorApi } from './apis.js';
import { decorateRequests } from './bare-server.js';

export function buildLocalApi(base: Base, routes: readonly AnyRoute[], operator: Operator, audit: AuditSink) {
  const { limits, log, realClock, siteUrl, requestRate, openRequests } = base;
  const server = Fastify({ logger: false, genReqId: requestId, bodyLimit: limits.json_body_bytes });
  decorateRequests(server);
  const stopping = new AbortController();
  const accessWatch = createAccessWatch({ clock: realClock, everyMs: limits.access_check_ms, log });
  const api = operatorApi(routes, (request) => {
    request.operator = operator;
    return null;
  });
  mountApi(server, api, {
    siteUrl,
    limits,
    audit,
    requestRate,
    openRequests,
    // There are no sessions.
    isConfirmed: () => true,
    recordsQuota: createRecordsQuota({ ...base, shared: null }),
    idempotency: null,
    accessWatch,
    clientIp: () => '',
    stopping: stopping.signal,
    onError: () => {},
  });
  return {
    async send(method: 'GET' | 'POST', path: string, body?: unknown): Promise<{ status: number; text: string }> {
      const answer = await server.inject({
        method,
        url: OPERATOR_ROOT + path,
        ...(body === undefined ? {} : { payload: body as object }),
      });
      return { status: answer.statusCode, text: answer.body };
    },
    async close(): Promise<void> {
      stopping.abort();
      accessWatch.close();
      await server.close();
    },
  };
}
