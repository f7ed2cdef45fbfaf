// What the service asks the person before refused requests can be sent again: to confirm who they are, or to sign in again.
// A dialog over the page shows it (shell/asking-dialog.tsx). Several requests may wait for one answer.

export type Question = 'confirm' | 'sign-in';

export function createAsking() {
  let current: Question | null = null;
  let declined = false;
  let waiting: ((again: boolean) => void)[] = [];
  const listeners = new Set<() => void>();
  const show = (question: Question | null) => {
    current = question;
    for (const listener of listeners) listener();
  };
  return {
    get: (): Question | null => current,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /**
     * Resolves with whether to send the request again. After the person has declined to sign in, only requests that change
     * something ask again: an open page reads without being asked to.
     */
    ask(question: Question, { reads }: { readonly reads: boolean }): Promise<boolean> {
      if (question === 'sign-in' && reads && declined) return Promise.resolve(false);
      // Signing in also confirms who the person is.
      if (current !== 'sign-in') show(question);
      return new Promise((resolve) => waiting.push(resolve));
    },
    answer(again: boolean): void {
      declined = current === 'sign-in' && !again;
      const resolved = waiting;
      waiting = [];
      show(null);
      for (const resolve of resolved) resolve(again);
    },
  };
}

export const asking = createAsking();
