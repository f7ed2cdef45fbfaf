import { json } from 'node:stream/consumers';
import { type EnrolResponse, enrolResponse } from '../../../shared/protocol/index.js';
import { type LinkAddress, linkRequest } from '../../system/request.js';

/**
 * Exchanges a one-time token for this host's credential.
 *
 * @throws AnswerError (code `invalid_enrolment_token`) when the token is unknown, used or expired
 */
export async function exchangeToken(
  service: Pick<LinkAddress, 'siteUrl' | 'network'>,
  request: { token: string; hostname: string },
): Promise<EnrolResponse> {
  const answer = await linkRequest(service, {
    method: 'POST',
    path: '/link/v1/enrol',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  return enrolResponse.parse(await json(answer.body));
}
