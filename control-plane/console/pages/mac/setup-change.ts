// What a change of the setup asks the service for. Pure.
import type { MacSetup, SetupChange, When } from '../../../../client/types.js';

export interface SetupWanted {
  /** Null: unchanged. */
  readonly xcode: string | null;
  readonly runtimes: readonly string[];
  readonly tools: readonly string[];
  /** The machine is recreated. */
  readonly anew: boolean;
}

const same = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((name) => other.includes(name));

/**
 * Returns only what differs from the present setup; null when nothing does.
 *
 * @param when what to do with a running build; null: none runs
 */
export function setupChangeOf(setup: MacSetup, wanted: SetupWanted, when: When | null): SetupChange | null {
  const changes: SetupChange = {
    ...(wanted.xcode === null || wanted.xcode === setup.xcode ? {} : { xcode: wanted.xcode }),
    ...(same(wanted.runtimes, setup.runtimes) ? {} : { runtimes: [...wanted.runtimes] }),
    ...(same(wanted.tools, setup.tools) ? {} : { tools: [...wanted.tools] }),
  };
  if (Object.keys(changes).length === 0) return null;
  return {
    ...changes,
    keep_cache: !wanted.anew,
    ...(when === null ? {} : { when }),
  };
}
