// Where the command starts. `npm run compile` bundles this file with all commands of the client into start.cjs (see
// tools/bundle/), because finding a hundred modules takes node longer than running them.
import '../../shared/debug-signal.js';
import { commandIn } from './command-in.js';
import { main } from './main.js';
import { programs } from './programs.js';

start(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});

async function start(args: string[]): Promise<number> {
  const { name } = commandIn(args);
  // These load the service or the MCP SDK. They run entirely outside this bundle, from main.js, so that no class
  // exists twice in one process.
  const outside = name === 'mcp' || (name !== null && Object.hasOwn(programs, name));
  return outside ? (await import('./main.js')).main(process, args) : main(process, args);
}
