// Parses what `xcodebuild -downloadPlatform` and `-importPlatform` print.

/**
 * Returns the percent that a line reports, or null.
 *
 * @example downloadPercent('Downloading iOS 26.1 Simulator (23B86): 12.3% (0.9 GB of 7.34 GB)') // 12.3
 */
export function downloadPercent(line: string): number | null {
  const [, digits] = /(?:^|[\s:(])(\d{1,3}(?:\.\d{1,6})?)\s?%/.exec(line.slice(0, 1000)) ?? [];
  if (digits === undefined) return null;
  return Math.min(100, Number(digits));
}

export type DownloadFailure = 'not_available' | 'no_simulator_service' | 'no_network' | 'disk_full' | 'failed';

const FAILURES: readonly (readonly [DownloadFailure, RegExp])[] = [
  // The first answer for a version that Apple does not offer to this Xcode.
  [
    'not_available',
    /not available for download|no (?:matching )?(?:platform|runtime)s? (?:was |were )?found|unable to find .*(?:platform|runtime)/i,
  ],
  [
    'disk_full',
    /no space left|not enough (?:free |disk )?space|insufficient (?:disk )?space|disk (?:is )?full|ENOSPC|NSFileWriteOutOfSpace/i,
  ],
  // Happens before CoreSimulatorService is up; the next attempt usually succeeds.
  [
    'no_simulator_service',
    /unable to connect to simulator|CoreSimulatorService connection (?:became invalid|interrupted)/i,
  ],
  [
    'no_network',
    /could not resolve|internet connection appears to be offline|network connection was lost|timed out|could not connect to the server|NSURLErrorDomain/i,
  ],
];

/** Returns why a download or an import failed, by its text. */
export function downloadFailure(output: string): DownloadFailure {
  return FAILURES.find(([, text]) => text.test(output))?.[0] ?? 'failed';
}
