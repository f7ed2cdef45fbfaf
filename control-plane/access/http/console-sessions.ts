// GET /v1/sessions, DELETE /v1/sessions/:session_id: the signed-in person's own sessions.
import { z } from 'zod';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { time } from '../../platform/http/values.js';
import type { OwnSession, OwnSessions } from '../app/own-sessions.js';

const ownSessionShape = z
  .object({
    id: z.string(),
    current: z.boolean().meta({ description: 'The session of this request' }),
    ip: z.string().meta({ description: 'Address of the sign-in' }),
    user_agent: z.string().nullable(),
    created_at: time,
    last_used_at: time,
    expires_at: time,
  })
  .meta({ id: 'OwnSession' });

const view = (session: OwnSession, current: string): z.infer<typeof ownSessionShape> => ({
  id: session.sessionId,
  current: session.tokenHash === current,
  ip: session.ip,
  user_agent: session.userAgent,
  created_at: new Date(session.createdAt).toISOString(),
  last_used_at: new Date(session.seenAt).toISOString(),
  expires_at: new Date(session.expiresAt).toISOString(),
});

export function createOwnSessionRoutes({ ownSessions }: { ownSessions: OwnSessions }): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/sessions',
      operationId: 'listSessions',
      level: 'read',
      consoleOnly: true,
      summary: 'Live sessions of the signed-in person, last used first',
      responses: { 200: z.object({ data: z.array(ownSessionShape) }).meta({ id: 'OwnSessionList' }) },
      async handle({ session }) {
        const found = await ownSessions.list(session);
        return { status: 200, body: { data: found.map((one) => view(one, session.tokenHash)) } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/sessions',
      operationId: 'endOtherSessions',
      level: 'read',
      action: { name: 'session.delete_others', concerns: [] },
      consoleOnly: true,
      summary: 'End all sessions of the signed-in person but this one',
      responses: { 204: null },
      async handle({ session, concerns, recordAction }) {
        concerns({ target: session.userId });
        await ownSessions.endOthers(session, recordAction());
        return { status: 204, body: null };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/sessions/:session_id',
      operationId: 'endSession',
      level: 'read',
      action: { name: 'session.delete', concerns: [] },
      consoleOnly: true,
      summary: 'End a session of the signed-in person',
      params: z.object({ session_id: z.string() }),
      responses: { 204: null },
      errors: ['not_found'],
      async handle({ session, params, recordAction }) {
        await ownSessions.end(session, params.session_id, recordAction());
        return { status: 204, body: null };
      },
    }),
  ];
}
