// The terminal on which the script will run, opened while the sources are laid: starting a shell takes time, and most of
// it is over when the script may begin.
import type { Terminal } from './terminal.js';

/** What the steps before the script find out, and the script finds in its environment. */
export interface Found {
  commit: string | null;
  developerDir: string | null;
}

export interface ScriptTerminal {
  /** Opens it for a script that will be told this. */
  openAhead(expected: Found): void;
  /** The one that was opened ahead, if what was expected has come true, or a new one. */
  take(found: Found): Terminal;
  /** Ends one that was opened and not taken. */
  close(): Promise<void>;
}

export function createScriptTerminal(open: (found: Found) => Terminal): ScriptTerminal {
  let ahead: { expected: Found; terminal: Terminal } | null = null;
  const close = async () => {
    const unused = ahead;
    ahead = null;
    await unused?.terminal.abandon();
  };
  return {
    openAhead(expected) {
      let terminal: Terminal;
      try {
        terminal = open(expected);
      } catch {
        // Then it is opened when it is needed; if that fails too, the build says why.
        return;
      }
      ahead = { expected, terminal };
      const forget = () => {
        if (ahead?.terminal === terminal) ahead = null;
      };
      // One that ends before its time is of no use. What it ended with is told to whoever has taken it.
      terminal.ended.then(forget, forget);
    },
    take(found) {
      const { expected, terminal } = ahead ?? {};
      if (terminal && expected?.commit === found.commit && expected.developerDir === found.developerDir) {
        ahead = null;
        return terminal;
      }
      void close();
      return open(found);
    },
    close,
  };
}
