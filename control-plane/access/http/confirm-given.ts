import { z } from 'zod';
import { type ConfirmGiven, confirmWayNames } from '../app/confirm-ways.js';
import { identityAnswerShape } from './identity-shape.js';
import { signedChallengeOf, signedChallengeShape } from './passkey-shape.js';

/** The body of POST /v1/session/confirm: exactly one way. */
export const confirmGivenShape = z
  .object({
    passkey: signedChallengeShape.optional(),
    password: z.string().optional(),
    provider: identityAnswerShape.optional(),
    code: z.string().optional().meta({ description: 'Of the authenticator app, or a recovery code' }),
  } satisfies Record<keyof ConfirmGiven, z.ZodType>)
  .refine((given) => confirmWayNames.filter((name) => given[name] !== undefined).length === 1, {
    message: `must have exactly one of: ${confirmWayNames.join(', ')}`,
  });

export const confirmGivenOf = ({ passkey, ...given }: z.infer<typeof confirmGivenShape>) => ({
  ...given,
  ...(passkey ? { passkey: signedChallengeOf(passkey) } : {}),
});
