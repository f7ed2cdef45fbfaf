// Bodies of requests to pay an order or a top-up, and who may send them.
import { z } from 'zod';
import type { ErrorCode } from '../../platform/domain/error-catalog.js';
import type { Role } from '../../platform/domain/role.js';
import type { Agreement } from '../app/charges.js';
import type { PayInput, Proof } from '../app/payments.js';
import { payMethods, sandboxOutcomes } from '../domain/payment.js';

/** Paying binds the organization, so only its owners and admins may. */
export const payers: readonly Role[] = ['owner', 'admin'];

export const refusals: readonly ErrorCode[] = [
  'not_found',
  'order_expired',
  'order_not_payable',
  'payment_mismatch',
  'payment_unavailable',
  'account_blocked',
];

/** Sandbox only: the outcome to simulate. */
const outcome = z.enum(sandboxOutcomes).default('paid');

export const consentsBody = z
  .object({
    terms: z.boolean().default(false),
    withdrawal: z.boolean().default(false),
    /** Of the text that was shown; default: the current one. */
    version: z.string().optional(),
  })
  .default({ terms: false, withdrawal: false });

export const payBody = z.object({
  consents: consentsBody,
  method: z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(payMethods))
    .default('card'),
  outcome,
});

export const confirmBody = z.object({
  payment_token: z.string().min(1).max(2048).optional(),
  tx_id: z.string().min(1).max(256).optional(),
  outcome,
});

export const agreementOf = ({ terms, withdrawal, version }: z.infer<typeof consentsBody>): Agreement => ({
  terms,
  withdrawal,
  textVersion: version ?? null,
});

export const payInput = ({ consents, method, outcome }: z.infer<typeof payBody>): PayInput => ({
  ...agreementOf(consents),
  method,
  outcome,
});

export const proofOf = ({ payment_token, tx_id, outcome }: z.infer<typeof confirmBody>): Proof => ({
  paymentToken: payment_token ?? null,
  txId: tx_id ?? null,
  outcome,
});
