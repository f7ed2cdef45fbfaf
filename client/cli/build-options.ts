// What `cidermill build` accepts.
import { type GlobalOptions, labels, type OptionSpec, priority, projectName, wholeNumber } from './options.js';

export interface BuildOptions {
  dir?: string;
  project?: string;
  script?: string;
  scriptFile?: string;
  repo?: string;
  repoUrl?: string;
  ref?: string;
  commit?: string;
  pr?: number;
  xcode?: string;
  label?: Record<string, string>;
  rental?: string;
  timeout?: number;
  priority?: 0 | 1;
  clean?: boolean;
  notifyUrl?: string;
  queueUntilRental?: boolean;
  artifacts?: string;
  detach?: boolean;
  watch?: boolean;
}

export const buildOptions: readonly OptionSpec[] = [
  { name: 'script', value: 'script', description: 'the script to run' },
  { name: 'script-file', value: 'file', description: 'run the script in this file (- for standard input)' },
  { name: 'dir', value: 'folder', description: 'the folder to upload (default: the current one)' },
  {
    name: 'project',
    value: 'name',
    description:
      "the folder's project, which has a work folder on each Mac (default: from git's remote or the folder's path)",
    reader: projectName,
  },
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
    reader: wholeNumber(1),
  },
  { name: 'xcode', value: 'version', description: 'Xcode version' },
  {
    name: 'label',
    value: 'key=value,…',
    description: 'only on a Mac with these labels',
    reader: labels,
  },
  { name: 'rental', value: 'mac', description: 'only on this Mac (name or id)' },
  {
    name: 'timeout',
    value: 'minutes',
    description: 'time limit of the build (default: that of the service)',
    reader: wholeNumber(1),
  },
  { name: 'priority', value: 'priority', description: '1 starts before 0', reader: priority },
  { name: 'clean', description: 'start from an empty folder' },
  { name: 'artifacts', value: 'folder', description: "download the build's artifacts to this folder" },
  { name: 'detach', description: 'print the build id and do not wait' },
  { name: 'watch', description: 'build again whenever a file of the folder changes, until Ctrl-C' },
  {
    name: 'notify-url',
    value: 'address',
    description: 'send stalls and the end of the build to this address',
  },
  { name: 'queue-until-rental', description: 'queue the build even while the account has no Mac' },
];

export interface BuildCall {
  options: BuildOptions & GlobalOptions;
  words: string[];
}
