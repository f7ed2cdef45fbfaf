// Failures of a build whose Mac is a virtual machine.
import type { BuildStep } from '../../shared/protocol/index.js';
import { BuildStepError } from '../contract/build-step-error.js';
import { VmLostError } from '../driver/guest-access.js';
import { GuestLostError } from '../guest/follow.js';
import { GuestError, GuestUnreachableError } from '../guest/transport.js';

const AGAIN = 'The build can be run again unchanged.';

/** Returns the build's failure for an error of its guest in this step; other errors are returned unchanged. */
export function guestFailure(error: unknown, step: BuildStep): unknown {
  const failure = (reasonCode: string, fault: 'customer' | 'platform', message: string) =>
    new BuildStepError(step, reasonCode, fault, message, { cause: error });
  if (error instanceof VmLostError || error instanceof GuestLostError) {
    return failure(
      'mac_lost',
      'platform',
      `The virtual machine of this build was lost: ${reasonOf(error)}. ${AGAIN}`,
    );
  }
  if (error instanceof GuestUnreachableError) {
    const message = `The virtual machine of this build does not answer: ${reasonOf(error)}. ${AGAIN}`;
    return failure('mac_lost', 'platform', message);
  }
  if (!(error instanceof GuestError)) return error;
  if (isFull(error) && step !== 'artifacts') {
    const message =
      'The disk of the Mac is full, so the build could not be prepared. Delete what earlier builds left, or reset the Mac.';
    return failure('disk_full', 'customer', message);
  }
  // Of other errors, as of too large an environment, the step itself makes something.
  if (step !== 'prepare' && step !== 'source') return error;
  return failure(
    'workspace_failed',
    'platform',
    `The folders of the Mac could not be prepared: ${reasonOf(error)}.`,
  );
}

/** What a tool says may be a sentence of its own. */
const reasonOf = ({ message }: Error): string => message.trimEnd().replace(/\.+$/, '');

/** Returns whether the disk of the guest is full. */
export const isFull = ({ code }: GuestError): boolean => code === 'ENOSPC' || code === 'EDQUOT';
