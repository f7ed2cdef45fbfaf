// What an installation is made of: steps that first look whether there is anything to do, so that a second run continues where
// the first one ended.

export interface Step {
  readonly name: string;
  look(): Promise<Found>;
}

export type Found =
  /** Nothing to do. */
  | { readonly state: 'ok'; readonly text: string }
  /** Not done on purpose. */
  | { readonly state: 'left_out'; readonly text: string }
  | {
      readonly state: 'needed';
      /** What would be done: `create the user _cidermill`. */
      readonly text: string;
      /** Does it. May return a text that says more about what was done, or a promise of it. */
      readonly apply: () => unknown;
    };

export interface StepReport {
  readonly step: string;
  readonly result: 'ok' | 'done' | 'would_do' | 'left_out' | 'failed';
  readonly text: string;
}

export const ok = (text: string): Found => ({ state: 'ok', text });
export const leftOut = (text: string): Found => ({ state: 'left_out', text });

/**
 * Runs the steps in order until one fails.
 *
 * @param options.report called after each step
 * @returns all reports, and the error of the step that failed
 */
export async function runSteps(
  steps: readonly Step[],
  options: { readonly dryRun: boolean; readonly report: (report: StepReport) => void },
): Promise<{ readonly reports: readonly StepReport[]; readonly error: unknown }> {
  const reports: StepReport[] = [];
  const say = (report: StepReport) => {
    reports.push(report);
    options.report(report);
  };
  for (const { name: step, look } of steps) {
    try {
      const found = await look();
      if (found.state !== 'needed') say({ step, result: found.state, text: found.text });
      else if (options.dryRun) say({ step, result: 'would_do', text: found.text });
      else {
        const done = await found.apply();
        say({ step, result: 'done', text: typeof done === 'string' ? done : found.text });
      }
    } catch (error) {
      say({ step, result: 'failed', text: error instanceof Error ? error.message : String(error) });
      return { reports, error };
    }
  }
  return { reports, error: null };
}

const WORDS: Readonly<Record<StepReport['result'], string>> = {
  ok: 'ok',
  done: 'done',
  would_do: 'would do',
  left_out: 'left out',
  failed: 'FAILED',
};

/** @example stepLine({ step: 'account', result: 'ok', text: '_cidermill (350)' }) // 'ok        account: _cidermill (350)\n' */
export const stepLine = ({ step, result, text }: StepReport): string =>
  `${WORDS[result].padEnd(9)} ${step}: ${text.replaceAll('\n', '\n          ')}\n`;
