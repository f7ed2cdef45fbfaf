// Sends mail through the mail server of the operator.
import { createTransport } from 'nodemailer';

export interface OutgoingMail {
  /** The same for every attempt, so that receivers can detect duplicates. */
  readonly id: string;
  /** A single address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly date: Date;
}

/** The server refused the mail permanently. */
export class MailRefusedError extends Error {}

/** Resolves when the server has accepted the mail. Throws MailRefusedError, or any other error if a retry may help. */
export type SendMail = (mail: OutgoingMail) => Promise<void>;

export interface SmtpOptions {
  /** `smtp://user:password@host:587` (STARTTLS if offered; `?requireTLS=true` to require it), or `smtps://…`. */
  readonly url: string;
  /** `name@host`, or `Name <name@host>`. */
  readonly from: string;
  readonly timeoutMs: number;
}

/** @example const send = createSmtp({ url: 'smtps://u:p@mail.example', from: 'macs@example.com', timeoutMs: 30_000 }) */
export function createSmtp({ url, from, timeoutMs }: SmtpOptions): SendMail {
  const transport = createTransport(
    {
      url,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  );
  const domain = from.replace(/^.*@|>$/g, '');
  return async ({ id, to, subject, text, date }) => {
    try {
      await transport.sendMail({
        // An object is not parsed as an address list.
        to: { name: '', address: to },
        subject,
        text,
        date,
        messageId: `<${id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    } catch (error) {
      if (isFinal(error)) throw new MailRefusedError(error.message, { cause: error });
      throw error;
    }
  };
}

/** Returns true for 5xx on recipient or content. A 5xx on sign-in or sender is a configuration error: retry later. */
function isFinal(error: unknown): error is Error {
  if (!(error instanceof Error) || !('responseCode' in error) || !('command' in error)) return false;
  const { responseCode, command } = error;
  return typeof responseCode === 'number' && responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
}
