// Uploads to App Store Connect, and notarization.
import { failureCause } from '../../../../shared/messages/failure-causes.js';
import { type FailureRow, rank } from '../failure-row.js';

const CREDENTIALS = 'check_store_credentials';

export const storeRows: readonly FailureRow[] = [
  {
    example: 'ERROR ITMS-90189: "Redundant Binary Upload. There already exists a binary upload with build version 42."',
    words: ['itms-'],
    pattern: /^(?!.{0,200}\bWARN(?:ING)?\b).{0,400}?\b(?<message>ITMS-\d{4,5}\b.*)$/,
    reason: 'store_rejected',
    rank: rank.cause,
  },
  {
    example: 'Validation failed (409) SDK version issue. This app was built with the iOS 17.5 SDK.',
    words: ['validation failed ('],
    pattern: /(?:^|: |\] )(?<message>(?:Asset v|V)alidation failed \(\d{3,5}\).*)$/,
    reason: 'store_rejected',
    rank: rank.cause,
  },
  {
    example: 'Error: HTTP status code: 401. Invalid credentials. Username or password is incorrect.',
    words: ['http status code: 40', 'unable to authenticate', 'sign in with the app-specific password'],
    pattern:
      /^(?:\*\*\* )?(?:Error: )?(?<message>(?:HTTP status code: 40[13]\.|.{0,200}\bUnable to authenticate\b|.{0,200}\bSign in with the app-specific password\b).*)$/,
    reason: 'store_rejected',
    rank: rank.cause,
    suggestion: CREDENTIALS,
  },
  {
    example: 'Current status: Invalid.....',
    words: ['status: invalid', 'status: rejected'],
    pattern: /^\s{0,8}(?:Current )?status: (?<status>Invalid|Rejected)\.{0,40}$/,
    reason: 'store_rejected',
    rank: rank.cause,
    suggestion: 'read_notary_log',
    say: ({ status = '' }) => failureCause('notarization_ended', { status }),
    show: [6, 6],
  },
  {
    example: "*** Error: Error uploading 'App.ipa'.",
    words: ['error: '],
    pattern: /^\*\*\* Error: (?<message>\S.*)$/,
    reason: 'store_rejected',
    rank: rank.command,
  },
];
