// How Homebrew is run, and what it prints.

/** Homebrew's own updates, questions and hints; an installation takes what the image's Homebrew knows. */
export const BREW_ENV = {
  HOMEBREW_NO_AUTO_UPDATE: '1',
  HOMEBREW_NO_INSTALL_CLEANUP: '1',
  HOMEBREW_NO_ENV_HINTS: '1',
  HOMEBREW_NO_ANALYTICS: '1',
  HOMEBREW_NO_COLOR: '1',
  NONINTERACTIVE: '1',
};

// Formulae and casks, also of a tap (`owner/tap/name`). Never an option.
const TOOL =
  /^(?:[A-Za-z0-9][A-Za-z0-9_.-]{0,99}\/[A-Za-z0-9][A-Za-z0-9_.-]{0,99}\/)?[A-Za-z0-9][A-Za-z0-9@+._-]{0,99}$/;

/** Returns whether Homebrew could have something of that name. */
export const isToolName = (name: string): boolean => TOOL.test(name);

/**
 * Returns the names that `brew list -1` prints, without lines that are no names.
 *
 * @example toolNames('jq\n==> Casks\nnode@24\n') // ['jq', 'node@24']
 */
export function toolNames(output: string, most = 1000): string[] {
  const names: string[] = [];
  for (const line of output.split('\n')) {
    const name = line.trim();
    if (isToolName(name) && names.length < most) names.push(name);
  }
  return names;
}

export function createBrewProgress() {
  let formulae = 1;
  let done = 0;
  let fetched = 0;
  let percent = 0;
  return {
    /** Returns the percent after this line. It never falls. */
    read(line: string) {
      const [, dependencies] = /^==> (?:Fetching|Installing) dependencies for [^:]+: (.*)$/.exec(line) ?? [];
      if (dependencies !== undefined) formulae = Math.max(formulae, 1 + dependencies.split(/, | and /).length);
      else if (/^==> (?:Fetching|Downloading) /.test(line)) fetched++;
      else if (/^==> (?:Pouring|Installing) /.test(line)) done++;
      // Downloads and installations are half of the work each.
      const share = Math.min(1, fetched / formulae) + Math.min(1, done / formulae);
      percent = Math.max(percent, Math.min(99, Math.floor(share * 50)));
      return percent;
    },
  };
}

export interface BrewFailure {
  readonly kind: 'unknown_name' | 'no_network' | 'disk_full' | 'failed';
  /** Names that Homebrew suggests instead. */
  readonly similar: readonly string[];
}

const MOST_SIMILAR = 10;

/** Returns why `brew install` failed, by its text. */
export function brewFailure(output: string): BrewFailure {
  const [, suggested] =
    /No available formula(?: or cask)? with the name [^\n]*?Did you mean ([^\n?]*)\?/.exec(output) ?? [];
  if (suggested !== undefined) {
    const similar = suggested.split(/, | or /).map((name) => name.trim());
    return { kind: 'unknown_name', similar: similar.filter(isToolName).slice(0, MOST_SIMILAR) };
  }
  if (
    /No available formula|No (?:formulae or casks|Cask|formulae) (?:with this name|found)|Cask '[^']*' is unavailable/i.test(
      output,
    )
  ) {
    return { kind: 'unknown_name', similar: [] };
  }
  if (/No space left on device|ENOSPC/i.test(output)) return { kind: 'disk_full', similar: [] };
  if (/Could not resolve host|curl: \(\d+\)|Failed to download|Network is unreachable|timed out/i.test(output)) {
    return { kind: 'no_network', similar: [] };
  }
  return { kind: 'failed', similar: [] };
}
