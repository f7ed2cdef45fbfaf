// What operators can do from the console. Commands that are not listed here need the operator token or a shell: those that
// give out keys or passwords, that write files, and that send hosts to another service.
import { isConfirmed } from '../access/domain/session.js';
import { ApiError } from '../platform/domain/error-catalog.js';
import type { Limits } from '../platform/domain/limits.js';
import type { SignedIn } from '../platform/domain/person.js';
import type { Call } from './command.js';

/** `confirmed`: the password must have been entered lately, because it destroys something or admits a machine. */
const sessionCommands: Readonly<Record<string, 'allowed' | 'confirmed'>> = {
  'org create': 'allowed',
  'org list': 'allowed',
  'org show': 'allowed',
  'org set-limits': 'allowed',
  'org suspend': 'confirmed',
  'org resume': 'allowed',
  'org block-payments': 'confirmed',
  'org unblock-payments': 'allowed',
  'user list': 'allowed',
  'workspace list': 'allowed',
  // It lets a person into an organization.
  'member invite': 'confirmed',
  'tier add': 'confirmed',
  'tier edit': 'confirmed',
  'tier show': 'allowed',
  'tier list': 'allowed',
  'host enroll': 'confirmed',
  'host token list': 'allowed',
  'host token revoke': 'allowed',
  'host list': 'allowed',
  'host show': 'allowed',
  'host approve': 'confirmed',
  'host set': 'allowed',
  'host set-tier': 'allowed',
  'host drain': 'allowed',
  'host undrain': 'allowed',
  'host cordon': 'allowed',
  'host remove': 'confirmed',
  'host upgrade': 'allowed',
  'image list': 'allowed',
  'image show': 'allowed',
  'image pull': 'allowed',
  'notices list': 'allowed',
  'notices test': 'allowed',
  'order refund': 'confirmed',
  'order cancel': 'allowed',
  'payment list': 'allowed',
  'payment settle': 'allowed',
  'rental grant': 'allowed',
  'rental end': 'confirmed',
  'rental list': 'allowed',
};

/** Throws forbidden, or confirmation_required for a dangerous command long after the last entry of the password. */
export function checkSessionCommand(
  { words, action }: Pick<Call, 'words' | 'action'>,
  person: SignedIn,
  now: number,
  limits: Pick<Limits, 'session_confirm_ms'>,
): void {
  const rule = Object.hasOwn(sessionCommands, words) ? sessionCommands[words] : undefined;
  if (rule === undefined) {
    throw new ApiError('forbidden', {
      message: `"${words}" cannot be run from the console; run cidermill admin ${words}.`,
    });
  }
  // A dry run, or a list, changes nothing.
  if (rule === 'confirmed' && action !== null && !isConfirmed(person, now, limits)) {
    throw new ApiError('confirmation_required');
  }
}
