// Certificates, provisioning profiles, keychains, codesign.
import { failureCause } from '../../../../shared/messages/failure-causes.js';
import { type FailureRow, rank } from '../failure-row.js';

const KEYCHAIN = 'unlock_keychain';
const PROFILE = 'install_profile';

export const signingRows: readonly FailureRow[] = [
  {
    example:
      "/Users/ci/work/App.xcodeproj: error: Signing for \"App\" requires a development team. Select a development team in the Signing & Capabilities editor. (in target 'App' from project 'App')",
    words: ['development team'],
    pattern: /(?:^|: )error: (?<message>Signing for "[^"]{1,300}" requires a development team.*)/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: 'set_team',
  },
  {
    example:
      "error: No profiles for 'com.example.app' were found: Xcode couldn't find any iOS App Development provisioning profiles matching 'com.example.app'.",
    words: ['no profile', 'provisioning profile'],
    pattern:
      /(?:^|: |exportArchive )(?<message>(?:No profiles? for .{1,300} (?:were found|matching)|Provisioning profile "[^"]{1,300}" (?:doesn['’]t|does not|is |has ))(?:.*))/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: PROFILE,
  },
  {
    example:
      "error: \"App\" requires a provisioning profile. Select a provisioning profile in the Signing & Capabilities editor. (in target 'App' from project 'App')",
    words: ['requires a provisioning profile', 'code signing is required'],
    pattern:
      /(?:^|: )error: (?<message>(?:"[^"]{1,300}" requires a provisioning profile|Code signing is required for product type).*)/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: PROFILE,
  },
  {
    example:
      'error: No signing certificate "iOS Development" found: No "iOS Development" signing certificate matching team ID "ABCDE12345" with a private key was found.',
    words: ['signing certificate', 'signing identity', 'no accounts', 'no account for team'],
    pattern:
      /(?:^|: )error: (?<message>(?:exportArchive:? )?(?:No signing certificate|No "[^"]{1,200}" signing certificate|No Accounts?\b|No certificate for team|No "[^"]{1,200}" signing identity).*)/i,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: 'import_certificate',
  },
  {
    example: 'Code Sign error: No code signing identities found: No valid signing identities were found',
    words: ['code sign', 'codesign'],
    pattern: /^(?:error: )?(?<message>Code ?Sign(?:ing)? error: .*)/i,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: PROFILE,
  },
  {
    example:
      'error: App has conflicting provisioning settings. App is automatically signed for development, but a conflicting code signing identity iPhone Distribution has been manually specified.',
    words: ['conflicting provisioning', 'failed to create provisioning'],
    pattern:
      /(?:^|: )error: (?<message>[^:]{0,200}has conflicting provisioning settings.*|Failed to create provisioning profile.*)/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: 'one_signing_style',
  },
  {
    example: '/Users/ci/work/build/App.app: errSecInternalComponent',
    words: ['errsecinternalcomponent'],
    pattern: /(?:^|: )(?<message>errSecInternalComponent)\b/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: KEYCHAIN,
    say: ({ message = '' }) => failureCause('signing_key_unusable', { message }),
  },
  {
    example: '/Users/ci/work/build/App.app: User interaction is not allowed.',
    words: ['user interaction is not allowed', 'could not be found in the keychain'],
    pattern:
      /: (?<message>User interaction is not allowed\.|The specified item could not be found in the keychain\.)\s*$/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: KEYCHAIN,
  },
  {
    example: 'Warning: unable to build chain to self-signed root for signer "Apple Development: CI (ABCDE12345)"',
    words: ['self-signed root'],
    pattern: /(?<message>unable to build chain to self-signed root for signer.*)/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: 'import_wwdr',
  },
  {
    example: '/Users/ci/work/build/App.app: resource fork, Finder information, or similar detritus not allowed',
    words: ['detritus not allowed'],
    pattern: /: (?<message>resource fork, Finder information, or similar detritus not allowed)/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: 'remove_attributes',
  },
  {
    example: '/Users/ci/work/build/App.app: no identity found',
    words: ['no identity found', 'ambiguous (matches'],
    pattern: /^(?<message>\S.{0,1000}: (?:no identity found|ambiguous \(matches .*))\s*$/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: 'name_identity',
  },
  {
    example: 'security: SecKeychainItemImport: MAC verification failed during PKCS12 import (wrong password?)',
    words: ['security: sec'],
    pattern: /^security: (?<message>Sec(?:KeychainItem|Item|PKCS12)Import\b.{0,200}: \S.*)$/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: 'check_p12',
  },
  {
    example:
      'security: SecKeychainUnlock /Users/ci/build.keychain: The user name or passphrase you entered is not correct.',
    words: ['security: sec'],
    pattern: /^security: (?<message>SecKeychain\w{1,40}\b.{0,400}: \S.*)$/,
    reason: 'signing_error',
    rank: rank.command,
    suggestion: 'check_keychain',
  },
  {
    example: 'Command CodeSign failed with a nonzero exit code',
    words: ['nonzero exit code'],
    pattern: /^Command CodeSign failed with a nonzero exit code/,
    reason: 'signing_error',
    rank: rank.symptom,
    say: () => failureCause('step_failed', { step: 'CodeSign' }),
    show: [8, 1],
  },
];
