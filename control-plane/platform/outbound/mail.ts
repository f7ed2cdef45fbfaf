// Sends mail through the operator's mail server.
import { createTransport } from 'nodemailer';

export interface OutgoingMail {
  /** The same for every attempt, so that a receiver can tell a repetition. */
  readonly id: string;
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly date: Date;
}

/** The server will never take this mail. */
export class MailRefusedError extends Error {}

/** Resolves when the server has taken the mail; throws MailRefusedError, or anything else when it may be tried again. */
export type SendMail = (mail: OutgoingMail) => Promise<void>;

export interface SmtpOptions {
  /** `smtp://user:password@host:587` (STARTTLS when the server has it, `?requireTLS=true` to insist), or `smtps://…`. */
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
        // As an object it is one address, whatever it looks like.
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

/** 5xx about the recipient or the text; a 5xx about our own sign-in or sender is for the operator to mend. */
function isFinal(error: unknown): error is Error {
  if (!(error instanceof Error) || !('responseCode' in error) || !('command' in error)) return false;
  const { responseCode, command } = error;
  return (
    typeof responseCode === 'number' && responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
  );
}
