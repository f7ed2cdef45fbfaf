// /v1/second-factors: the authenticator app and the recovery codes of the signed-in person.
import { z } from 'zod';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count, time } from '../../platform/http/values.js';
import type { SecondFactors } from '../app/second-factors.js';
import type { SignInThrottle } from './sign-in-throttle.js';

const codesShape = z
  .object({ recovery_codes: z.array(z.string()).meta({ description: 'Shown only in this response; each works once' }) })
  .meta({ id: 'RecoveryCodes' });

export interface SecondFactorRoutesDeps {
  readonly factors: SecondFactors;
  readonly throttle: SignInThrottle;
}

export function createSecondFactorRoutes({ factors, throttle }: SecondFactorRoutesDeps): AnyRoute[] {
  const aboutPerson = { level: 'read', consoleOnly: true, beyondRecordsLimit: 'person', confirm: true } as const;
  return [
    route({
      method: 'GET',
      path: '/v1/second-factors',
      operationId: 'getSecondFactors',
      level: 'read',
      consoleOnly: true,
      summary: 'Whether the signed-in person uses two-step sign-in',
      responses: {
        200: z
          .object({
            totp: z
              .object({ on_since: time })
              .nullable()
              .meta({ description: 'The authenticator app; null: two-step sign-in is off' }),
            recovery_codes_left: count,
          })
          .meta({ id: 'SecondFactors' }),
      },
      async handle({ session }) {
        const { onSince, codesLeft } = await factors.status(session.userId);
        const totp = onSince === null ? null : { on_since: new Date(onSince).toISOString() };
        return { status: 200, body: { totp, recovery_codes_left: codesLeft } };
      },
    }),
    route({
      ...aboutPerson,
      method: 'POST',
      path: '/v1/second-factors/totp',
      operationId: 'setUpTotp',
      // Nothing changes until a code of it was entered.
      action: null,
      summary: 'Create the secret of an authenticator app; repeated requests get the same one until it expires',
      responses: {
        200: z
          .object({
            secret: z.string().meta({ description: 'In base32, to type into an app' }),
            address: z.string().meta({ description: '`otpauth://…`, for a QR code' }),
            expires_at: time,
          })
          .meta({ id: 'TotpSetup' }),
      },
      errors: ['totp_already_on', 'secrets_unavailable'],
      async handle({ session }) {
        const { secret, address, expiresAt } = await factors.setUp(session);
        return { status: 200, body: { secret, address, expires_at: new Date(expiresAt).toISOString() } };
      },
    }),
    route({
      ...aboutPerson,
      method: 'POST',
      path: '/v1/second-factors/totp/confirm',
      operationId: 'turnOnTotp',
      action: { name: 'user.turn_on_totp', concerns: [] },
      summary: 'Turn on two-step sign-in with a first code of the app; the response has the recovery codes',
      body: z.object({ code: z.string() }),
      confidential: true,
      responses: { 200: codesShape },
      errors: ['invalid_code', 'rate_limited', 'totp_already_on', 'totp_setup_expired', 'secrets_unavailable'],
      async handle({ session, body, ip, recordAction, concerns }) {
        concerns({ target: session.userId });
        const codes = await throttle.run({ email: session.email, ip }, () =>
          factors.turnOn(session, body.code, recordAction()),
        );
        return { status: 200, body: { recovery_codes: codes } };
      },
    }),
    route({
      ...aboutPerson,
      method: 'DELETE',
      path: '/v1/second-factors/totp',
      operationId: 'turnOffTotp',
      action: { name: 'user.turn_off_totp', concerns: [] },
      summary: 'Turn off two-step sign-in; the recovery codes are deleted',
      responses: { 204: null },
      async handle({ session, recordAction, concerns }) {
        concerns({ target: session.userId });
        await factors.turnOff(session, recordAction());
        return { status: 204, body: null };
      },
    }),
    route({
      ...aboutPerson,
      method: 'POST',
      path: '/v1/second-factors/recovery-codes',
      operationId: 'renewRecoveryCodes',
      action: { name: 'user.renew_recovery_codes', concerns: [] },
      summary: 'Replace the recovery codes; the old ones no longer work',
      responses: { 200: codesShape },
      errors: ['not_found'],
      async handle({ session, recordAction, concerns }) {
        concerns({ target: session.userId });
        return { status: 200, body: { recovery_codes: await factors.renewCodes(session, recordAction()) } };
      },
    }),
  ];
}
