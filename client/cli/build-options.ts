// What `cidermill build` accepts.
import { type GlobalOptions, globalOptions, type OptionSpec, priority, wholeNumber } from './options.js';

export interface BuildOptions {
  dir?: string;
  script?: string;
  scriptFile?: string;
  repo?: string;
  repoUrl?: string;
  ref?: string;
  commit?: string;
  pr?: number;
  xcode?: string;
  rental?: string;
  timeout?: number;
  priority?: 0 | 1;
  clean?: boolean;
  notifyUrl?: string;
  queueUntilRental?: boolean;
  artifacts?: string;
  detach?: boolean;
}

export const buildOptions: readonly OptionSpec[] = [
  { name: 'script', value: 'script', description: 'the script to run' },
  { name: 'script-file', value: 'file', description: 'run the script in this file (- for standard input)' },
  { name: 'dir', value: 'folder', description: 'the folder to send (default: this one)' },
  {
    name: 'repo',
    value: 'owner/name',
    description: 'build a repository of the code host instead of a folder',
  },
  { name: 'repo-url', value: 'address', description: 'build the repository at this https address' },
  { name: 'ref', value: 'ref', description: 'branch or tag' },
  { name: 'commit', value: 'sha', description: 'commit, 7 to 40 hexadecimal digits' },
  {
    name: 'pr',
    value: 'number',
    description: 'pull request',
    reader: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  },
  { name: 'xcode', value: 'version', description: 'Xcode version' },
  { name: 'rental', value: 'id', description: 'only on this Mac' },
  {
    name: 'timeout',
    value: 'minutes',
    description: 'end the build after this time (default 60)',
    reader: wholeNumber(1, 360),
  },
  { name: 'priority', value: 'priority', description: '1 goes before 0', reader: priority },
  { name: 'clean', description: 'start from an empty folder' },
  { name: 'artifacts', value: 'folder', description: "download the build's artifacts to this folder" },
  { name: 'detach', description: 'print the build id and do not wait' },
  { name: 'notify-url', value: 'address', description: 'tell this address how the build ends' },
  { name: 'queue-until-rental', description: 'wait for a Mac to be rented if there is none' },
];

export interface BuildCall {
  options: BuildOptions & GlobalOptions;
  words: string[];
}

/**
 * Understands the arguments of `cidermill build` when they are in order; null when anything is unusual
 * (help, an unknown option, a bad value), which is then explained at leisure.
 */
export function readBuildArguments(args: readonly string[]): BuildCall | null {
  const specs = new Map([...buildOptions, ...globalOptions].map((spec) => [`--${spec.name}`, spec]));
  const options: Record<string, unknown> = {};
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '--') return { options, words: [...words, ...args.slice(at + 1)] };
    if (!arg.startsWith('-') || arg === '-') {
      words.push(arg);
      continue;
    }
    const spec = specs.get(arg);
    if (!spec) return null;
    if (spec.value === undefined) {
      options[camelCase(spec.name)] = true;
      continue;
    }
    const text = args[++at];
    if (text === undefined || text.startsWith('-')) return null;
    const value = spec.reader ? spec.reader.read(text) : text;
    if (value === null) return null;
    options[camelCase(spec.name)] = value;
  }
  return { options, words };
}

const camelCase = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
