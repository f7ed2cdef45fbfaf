import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Counts the calls that change the file system, and lets `onCall` make one fail. */
export function watchChanges(onCall: (call: number, name: string) => void): () => void {
  const names = [
    'openSync',
    'writeSync',
    'writeFileSync',
    'renameSync',
    'unlinkSync',
    'rmdirSync',
    'mkdirSync',
    'symlinkSync',
    'chmodSync',
    'fchmodSync',
    'rmSync',
    'fsyncSync',
  ] as const;
  const originals = names.map((name) => [name, fs[name]] as const);
  const copyFile = fs.promises.copyFile;
  let calls = 0;
  const patch =
    (name: string, original: (...args: never[]) => unknown) =>
    (...args: never[]) => {
      onCall(++calls, name);
      return original(...args);
    };
  for (const [name, original] of originals) Object.assign(fs, { [name]: patch(name, original) });
  fs.promises.copyFile = async (...args) => {
    onCall(++calls, 'copyFile');
    return copyFile(...args);
  };
  syncBuiltinESMExports();
  return () => {
    Object.assign(fs, Object.fromEntries(originals));
    fs.promises.copyFile = copyFile;
    syncBuiltinESMExports();
  };
}
