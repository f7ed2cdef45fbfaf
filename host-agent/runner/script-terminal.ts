// The terminal of the script, opened during the checkout: starting a shell takes time, and most of it has passed when
// the script may start.
import type { Terminal } from './terminal.js';

/** Results of earlier steps that are part of the script's environment. */
export interface Found {
  commit: string | null;
  developerDir: string | null;
}

export interface ScriptTerminal {
  /** Opens the terminal for a script with this expected environment. */
  openAhead(expected: Found): void;
  /** Returns the terminal that was opened ahead if the expectation was right, or a new one. */
  take(found: Found): Terminal;
  /** Kills a terminal that was opened and not taken. */
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
        // Opened later instead; if that fails too, the build reports why.
        return;
      }
      ahead = { expected, terminal };
      const forget = () => {
        if (ahead?.terminal === terminal) ahead = null;
      };
      // A terminal that has exited early is not used.
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
