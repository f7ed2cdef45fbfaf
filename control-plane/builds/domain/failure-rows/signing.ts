// Certificates, provisioning profiles, keychains, codesign.
import { type FailureRow, rank } from '../failure-row.js';

const KEYCHAIN =
  'Unlock the keychain in the script (security unlock-keychain) and let codesign use the key (security set-key-partition-list).';
const PROFILE =
  'Install a provisioning profile for this bundle id, team and set of capabilities, or build without signing (CODE_SIGNING_ALLOWED=NO).';

export const signingRows: readonly FailureRow[] = [
  {
    example:
      "/Users/ci/work/App.xcodeproj: error: Signing for \"App\" requires a development team. Select a development team in the Signing & Capabilities editor. (in target 'App' from project 'App')",
    words: ['development team'],
    pattern: /(?:^|: )error: (?<message>Signing for "[^"]{1,300}" requires a development team.*)/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: 'Set DEVELOPMENT_TEAM, or build without signing (CODE_SIGNING_ALLOWED=NO).',
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
    suggestion:
      'Import the certificate with its private key into a keychain of the build, or build without signing.',
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
    suggestion:
      'Let either Xcode sign (CODE_SIGN_STYLE=Automatic) or name identity and profile yourself, not both.',
  },
  {
    example: '/Users/ci/work/build/App.app: errSecInternalComponent',
    words: ['errsecinternalcomponent'],
    pattern: /(?:^|: )(?<message>errSecInternalComponent)\b/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: KEYCHAIN,
    say: ({ message }) => `codesign could not use the signing key (${message}).`,
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
    example:
      'Warning: unable to build chain to self-signed root for signer "Apple Development: CI (ABCDE12345)"',
    words: ['self-signed root'],
    pattern: /(?<message>unable to build chain to self-signed root for signer.*)/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: "Import Apple's intermediate certificate (WWDR) into the keychain too.",
  },
  {
    example:
      '/Users/ci/work/build/App.app: resource fork, Finder information, or similar detritus not allowed',
    words: ['detritus not allowed'],
    pattern: /: (?<message>resource fork, Finder information, or similar detritus not allowed)/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: 'Remove extended attributes before signing: xattr -cr on the folder of the app.',
  },
  {
    example: '/Users/ci/work/build/App.app: no identity found',
    words: ['no identity found', 'ambiguous (matches'],
    pattern: /^(?<message>\S.{0,1000}: (?:no identity found|ambiguous \(matches .*))\s*$/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion: 'Name a signing identity that the keychain of the build holds exactly once.',
  },
  {
    example:
      'security: SecKeychainItemImport: MAC verification failed during PKCS12 import (wrong password?)',
    words: ['security: sec'],
    pattern: /^security: (?<message>Sec(?:KeychainItem|Item|PKCS12)Import\b.{0,200}: \S.*)$/,
    reason: 'signing_error',
    rank: rank.cause,
    suggestion:
      'Check the certificate file (.p12, with its private key) and its password; a secret that holds it must be decoded (base64 --decode) first.',
  },
  {
    example:
      'security: SecKeychainUnlock /Users/ci/build.keychain: The user name or passphrase you entered is not correct.',
    words: ['security: sec'],
    pattern: /^security: (?<message>SecKeychain\w{1,40}\b.{0,400}: \S.*)$/,
    reason: 'signing_error',
    rank: rank.command,
    suggestion:
      'Check path and password of the keychain, and that it is created (security create-keychain) only once.',
  },
  {
    example: 'Command CodeSign failed with a nonzero exit code',
    words: ['nonzero exit code'],
    pattern: /^Command CodeSign failed with a nonzero exit code/,
    reason: 'signing_error',
    rank: rank.symptom,
    say: () => 'The step CodeSign failed.',
    show: [8, 1],
  },
];
