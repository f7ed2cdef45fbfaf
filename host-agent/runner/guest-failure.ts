// Failures of a build whose Mac is a virtual machine.
import { hostFailure } from '../../shared/messages/host-failures.js';
import type { Message } from '../../shared/messages/message.js';
import type { BuildStep } from '../../shared/protocol/index.js';
import { BuildStepError } from '../contract/build-step-error.js';
import { VmLostError } from '../driver/guest-access.js';
import { GuestLostError } from '../guest/follow.js';
import { GuestError, GuestUnreachableError } from '../guest/transport.js';

/** Returns the build's failure for an error of its guest in this step; other errors are returned unchanged. */
export function guestFailure(error: unknown, step: BuildStep): unknown {
  const failure = (reasonCode: string, fault: 'customer' | 'platform', message: Message) =>
    new BuildStepError(step, reasonCode, fault, message, { cause: error });
  if (error instanceof VmLostError || error instanceof GuestLostError) {
    return failure('mac_lost', 'platform', hostFailure('vm_lost', { reason: reasonOf(error) }));
  }
  if (error instanceof GuestUnreachableError) {
    const message = hostFailure('vm_does_not_answer', { reason: reasonOf(error) });
    return failure('mac_lost', 'platform', message);
  }
  if (!(error instanceof GuestError)) return error;
  if (isFull(error) && step !== 'artifacts') {
    return failure('disk_full', 'customer', hostFailure('mac_disk_full'));
  }
  // For other errors, such as too large an environment, the step itself makes the failure.
  if (step !== 'prepare' && step !== 'source') return error;
  return failure('workspace_failed', 'platform', hostFailure('folders_not_prepared', { reason: reasonOf(error) }));
}

/** What a tool says may be a sentence of its own. */
const reasonOf = ({ message }: Error): string => message.trimEnd().replace(/\.+$/, '');

/** Returns whether the disk of the guest is full. */
export const isFull = ({ code }: GuestError): boolean => code === 'ENOSPC' || code === 'EDQUOT';
