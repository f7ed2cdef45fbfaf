// `cidermill host-agent verify`: is a package signed with a key that this agent accepts?
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Command } from 'commander';
import { InstallError } from '../installation/install-error.js';
import { publisherKeys } from '../installation/publisher-keys.js';
import { type SignedSums, signedChecksum } from '../installation/signed-sums.js';
import { checkArchive } from '../installation/versions.js';

/** @param keys of this program; tests have others */
export function verifyCommand(keys: readonly string[] = publisherKeys): Command {
  return new Command('verify')
    .exitOverride()
    .description(
      'check that a package is signed with a key of this agent; SHA256SUMS and SHA256SUMS.minisig lie beside it',
    )
    .argument('<package>', 'cidermill-host-agent-VERSION-PLATFORM.tar.gz')
    .option('--public-key <key>', 'accept this key instead of those of this agent')
    .action(async (archive: string, flags: { publicKey?: string }) => {
      const accepted = acceptedKeys(flags.publicKey, keys);
      if (accepted.length === 0) {
        process.stdout.write('this program has no public key: signatures are not checked; see --public-key\n');
        return;
      }
      const { sha256, keyId } = signedChecksum(sumsBeside(archive), basename(archive), accepted);
      await checkArchive(archive, sha256, new AbortController().signal);
      process.stdout.write(`${basename(archive)} is signed with the key ${keyId}\n`);
    });
}

/** Returns the key that was given by hand, else those of this program. */
export const acceptedKeys = (given: string | undefined, keys = publisherKeys): readonly string[] =>
  given === undefined ? keys : [given];

/** @throws InstallError when there are none */
export function sumsBeside(archive: string): SignedSums {
  const file = (name: string) => join(dirname(archive), name);
  try {
    return {
      sums: readFileSync(file('SHA256SUMS')),
      signature: readFileSync(file('SHA256SUMS.minisig'), 'utf8'),
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new InstallError(
      `the signature cannot be checked: ${why}. Download SHA256SUMS and SHA256SUMS.minisig too, from /packages/ of the service, into the ` +
        'folder of the package',
      78,
      { cause: error },
    );
  }
}
