// Requests of a machine that is not a host yet.
import { json } from 'node:stream/consumers';
import {
  type ApprovalRequest,
  type ApprovalResponse,
  type ApprovalState,
  approvalResponse,
  approvalState,
  type EnrolRequest,
  type EnrolResponse,
  enrolResponse,
} from '../../../shared/protocol/index.js';
import { bearer, type LinkAddress, linkRequest } from '../../system/request.js';

export type Service = Pick<LinkAddress, 'siteUrl' | 'network'>;

/** @throws AnswerError (code `invalid_enrolment_token`) when the token is unknown, used, revoked or expired */
export async function exchangeToken(service: Service, request: EnrolRequest): Promise<EnrolResponse> {
  return enrolResponse.parse(await post(service, '/link/v1/enrol', request));
}

/** Asks for a code that an operator can approve; the same one while it is valid. */
export async function requestApproval(service: Service, request: ApprovalRequest): Promise<ApprovalResponse> {
  return approvalResponse.parse(await post(service, '/link/v1/approvals', request));
}

/** @throws AnswerError (code `invalid_enrolment_token`) when the code has expired */
export async function askApproval(service: Service, credential: string, signal?: AbortSignal): Promise<ApprovalState> {
  const headers = bearer(credential);
  const answer = await linkRequest(service, {
    method: 'GET',
    path: '/link/v1/approvals',
    headers,
    ...(signal === undefined ? {} : { signal }),
  });
  return approvalState.parse(await json(answer.body));
}

async function post(service: Service, path: string, body: unknown): Promise<unknown> {
  const answer = await linkRequest(service, {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return json(answer.body);
}
