// App Store Connect, the notary service, certificates that are imported.
import type { Item } from './item.js';

export const storeItems: readonly Item[] = [
  {
    lines:
      'ERROR ITMS-90189: "Redundant Binary Upload. There already exists a binary upload with build version 42 for train 1.0"',
    code: 'store_rejected',
    says: 'ITMS-90189: "Redundant Binary Upload. There already exists a binary upload with build version 42 for train 1.0"',
  },
  {
    lines:
      '[2026-03-01 10:00:00 KST] <main> ERROR: ERROR ITMS-90035: "Invalid Signature. Code object is not signed at all."',
    code: 'store_rejected',
    says: 'ITMS-90035: "Invalid Signature. Code object is not signed at all."',
  },
  {
    lines:
      "2026-03-01 10:00:00.123 altool[811:9042] *** Error: Validation failed for 'App.ipa'.\n*** Error: Asset validation failed (90062) This bundle is invalid. (ID: 1f2e)",
    cause: 'Asset validation failed (90062)',
    code: 'store_rejected',
    says: 'Asset validation failed (90062) This bundle is invalid. (ID: 1f2e)',
  },
  {
    lines: "2026-03-01 10:00:00.123 altool[811:9042] *** Error: Error uploading 'App.ipa'.",
    code: 'store_rejected',
    says: "Error uploading 'App.ipa'.",
  },
  {
    lines: 'Error: HTTP status code: 401. Invalid credentials. Username or password is incorrect.',
    code: 'store_rejected',
    says: 'HTTP status code: 401. Invalid credentials. Username or password is incorrect.',
  },
  {
    lines: 'Processing complete\n  id: 1f2e3d4c\n  status: Invalid',
    cause: 'status: Invalid',
    code: 'store_rejected',
    says: 'Notarization ended with the status Invalid.',
  },
  {
    lines: 'security: SecKeychainItemImport: MAC verification failed during PKCS12 import (wrong password?)',
    code: 'signing_error',
    says: 'SecKeychainItemImport: MAC verification failed during PKCS12 import (wrong password?)',
  },
  {
    lines: 'security: SecKeychainItemImport: Unknown format in import.',
    code: 'signing_error',
    says: 'SecKeychainItemImport: Unknown format in import.',
  },
  {
    lines: 'security: SecKeychainUnlock ci.keychain: The user name or passphrase you entered is not correct.',
    code: 'signing_error',
    says: 'SecKeychainUnlock ci.keychain: The user name or passphrase you entered is not correct.',
  },
];
