// Parts of the console that are loaded when somebody needs them. A part that cannot be loaded shows something in its place,
// and the page around it stays.
import type { ReactNode } from 'react';

type Component<Props> = (props: Props) => ReactNode;

export type LazyPart<Props> = Component<Props> & {
  /** Loads the part, or tries again. Never rejects. */
  preload(): Promise<void>;
};

/** @param Unloaded stands in its place if it could not be loaded */
export function lazyPart<Props extends object>(
  load: () => Promise<{ readonly default: Component<Props> }>,
  Unloaded: Component<Props>,
): LazyPart<Props> {
  let Loaded: Component<Props> | null = null;
  let loading: Promise<void> | null = null;
  const preload = (): Promise<void> => {
    loading ??= load().then(
      (part) => {
        Loaded = part.default;
      },
      (error: unknown) => {
        // It may also be there and fail to run.
        console.error(error);
        Loaded = null;
        loading = null;
        hasFailed = true;
      },
    );
    return loading;
  };
  let hasFailed = false;
  const Part = (props: Props) => {
    if (Loaded) return <Loaded {...props} />;
    if (hasFailed) return <Unloaded {...props} />;
    throw preload();
  };
  return Object.assign(Part, {
    preload() {
      hasFailed = false;
      return preload();
    },
  });
}
