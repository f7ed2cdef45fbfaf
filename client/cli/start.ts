// Where the command starts. `npm run build` bundles this file, with all that a plain `cidermill build` can reach,
// into start.cjs (see tools/bundle/): finding sixty modules takes node longer than running them. Every other
// command is loaded as the modules that it is made of, and shares none with the bundle.
import { runPlainBuild } from './plain-build.js';

start(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});

async function start(args: string[]): Promise<number> {
  return runPlainBuild(args) ?? (await import('./main.js')).main(args);
}
