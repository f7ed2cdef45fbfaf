/**
 * Reduces git's progress output to a few lines of the build's log: the end of a transfer, and every quarter of a long
 * one.
 */
export function createGitProgress(say: (line: string) => void): (line: string) => void {
  let said = 0;
  return (line) => {
    const [text, percent, total] = /^Receiving objects: +(\d+)% \(\d+\/(\d+)\)[^\r\n]{0,80}/.exec(line) ?? [];
    if (!text || !percent) return;
    const quarter = Math.floor(Number(percent) / 25);
    const done = line.endsWith('done.');
    const worthSaying = done || (Number(total) > LONG_TRANSFER && quarter > said && quarter < 4);
    said = Math.max(said, quarter);
    if (worthSaying) say(text);
  };
}

/** Objects. */
const LONG_TRANSFER = 20_000;
