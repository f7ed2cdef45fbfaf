// PATCH /v1/session/user: name and language of the signed-in person.
import { z } from 'zod';
import { languages } from '../../../shared/language.js';
import type { Limits } from '../../platform/domain/limits.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Profiles } from '../app/profiles.js';
import { nameShape } from './name-shape.js';
import { type SessionView, sessionShape } from './session-view.js';

export interface ProfileRoutesDeps {
  readonly profiles: Profiles;
  readonly view: SessionView;
  readonly limits: Limits;
}

export function createProfileRoutes({ profiles, view, limits }: ProfileRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'PATCH',
      path: '/v1/session/user',
      operationId: 'changeProfile',
      level: 'read',
      action: { name: 'user.change', concerns: ['members'] },
      beyondRecordsLimit: 'person',
      consoleOnly: true,
      summary: 'Change the name of the signed-in person, or the language of mails to them',
      body: z.object({ name: nameShape(limits).optional(), language: z.enum(languages).optional() }),
      responses: { 200: sessionShape },
      async handle({ body, session, concerns, recordAction }) {
        concerns({ target: session.userId });
        const person = await profiles.change(session, body, recordAction());
        return { status: 200, body: await view(person) };
      },
    }),
  ];
}
