// Teams, profiles, certificates, keychains, codesign.
import { type Item, WORK } from './item.js';

const IN_APP = "(in target 'App' from project 'App')";
const said = (says: string, before = 'error: ', after = ''): Item => ({
  lines: `${before}${says}${after}`,
  code: 'signing_error',
  says,
});

export const signingItems: readonly Item[] = [
  said(
    `Signing for "App" requires a development team. Select a development team in the Signing & Capabilities editor. ${IN_APP}`,
    `${WORK}/App.xcodeproj: error: `,
  ),
  said(
    `No profiles for 'com.example.app' were found: Xcode couldn't find any iOS App Development provisioning profiles matching 'com.example.app'. ${IN_APP}`,
    `${WORK}/App.xcodeproj: error: `,
  ),
  said("No profiles for 'com.example.app' were found", 'error: exportArchive '),
  said("No profile for team 'ABCDE12345' matching 'App Store' found: Xcode couldn't find any"),
  said('No Accounts: Add a new account in Accounts settings.'),
  said(
    'No signing certificate "iOS Development" found: No "iOS Development" signing certificate matching team ID "ABCDE12345"',
  ),
  said('Provisioning profile "App Dev" doesn\'t include the com.apple.developer.applesignin entitlement.'),
  said('Provisioning profile "App Dev" doesn\'t support the Push Notifications capability.'),
  said('Provisioning profile "App Dev" doesn\'t include signing certificate "Apple Development: CI (ABCDE12345)".'),
  said('Provisioning profile "App Dev" has expired.'),
  said(
    `"App" requires a provisioning profile. Select a provisioning profile in the Signing & Capabilities editor. ${IN_APP}`,
    `${WORK}/App.xcodeproj: error: `,
  ),
  said("Code signing is required for product type 'Application' in SDK 'iOS 18.2'"),
  said('Code Sign error: No code signing identities found: No valid signing identities were found', ''),
  said("CodeSign error: code signing is required for product type 'Application' in SDK 'iOS 18.2'", ''),
  {
    lines: `${WORK}/build/App.app: errSecInternalComponent`,
    code: 'signing_error',
    says: 'codesign could not use the signing key (errSecInternalComponent).',
  },
  said('User interaction is not allowed.', `${WORK}/build/App.app: `),
  said('User interaction is not allowed.', 'security: SecKeychainItemImport: '),
  said(
    'unable to build chain to self-signed root for signer "Apple Development: CI (ABCDE12345)"',
    'Warning: ',
    `\n${WORK}/build/App.app: errSecInternalComponent`,
  ),
  said('resource fork, Finder information, or similar detritus not allowed', `${WORK}/build/App.app: `),
  said('The specified item could not be found in the keychain.', `${WORK}/build/App.app: `),
  said(
    `Signing for "Pods-Cart-CartResources" requires a development team. ${IN_APP}`,
    '/Users/ci/work/Pods/Pods.xcodeproj: error: ',
  ),
];
