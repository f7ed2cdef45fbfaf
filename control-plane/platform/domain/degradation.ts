/** A partial failure: one function does not work properly while the service as a whole does. */
export interface Degradation {
  /** Machine-readable name, e.g. `calendar`. */
  readonly name: string;
  /** One line for the operator: the problem and what to do. */
  readonly message: string;
}

/** Returns current degradations; an empty list if there are none. */
export type DegradationSource = () => readonly Degradation[] | Promise<readonly Degradation[]>;

/** Combines sources; a source that throws is reported as a degradation. */
export function allDegradations(sources: readonly DegradationSource[]): DegradationSource {
  return async () => {
    const read = async (source: DegradationSource): Promise<readonly Degradation[]> => {
      try {
        return await source();
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return [{ name: 'health_check', message: `A health check failed: ${message}` }];
      }
    };
    return (await Promise.all(sources.map(read))).flat();
  };
}
