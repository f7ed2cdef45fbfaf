// The machine and the shell: disk, memory, signals, commands, permissions, the network.
import { type Item, WORK } from './item.js';

export const environmentItems: readonly Item[] = [
  {
    lines: "c: line 2: $'ls\\r': command not found",
    code: 'command_not_found',
    says: 'The lines of a script end in CR LF, and the shell takes the CR for a part of the command.',
    exitCode: 127,
  },
  {
    lines: 'bash: ./gradlew: /bin/sh^M: bad interpreter: No such file or directory',
    code: 'not_executable',
    says: 'The first line (#!) of a script ends in CR LF, so its interpreter was not found.',
    exitCode: 126,
  },
  {
    lines: 'bash: line 1: ./gradlew: cannot execute: required file not found',
    code: 'command_not_found',
    says: 'The interpreter that ./gradlew names in its first line (#!) was not found.',
    exitCode: 127,
  },
  {
    lines: '/usr/bin/env: ‘bash\\r’: No such file or directory',
    code: 'command_not_found',
    says: 'The first line (#!) of a script ends in CR LF, so its interpreter was not found.',
    exitCode: 127,
  },
  {
    lines: `error: unable to write ${WORK}/build/x.o: No space left on device`,
    code: 'disk_full',
    says: 'error: unable to write build/x.o: No space left on device',
  },
  {
    lines: 'tar: ./Pods/Cart/cart.png: Cannot write: No space left on device',
    code: 'disk_full',
    says: 'tar: ./Pods/Cart/cart.png: Cannot write: No space left on device',
  },
  {
    lines: 'The operation couldn’t be completed. (NSPOSIXErrorDomain error 28)',
    code: 'disk_full',
    says: 'A tool could not write: no space left on the disk.',
  },
  {
    lines: 'npm error code ENOSPC\nnpm error syscall write',
    code: 'disk_full',
    says: 'npm error code ENOSPC',
  },
  {
    lines: `${WORK}/build/Script-1.sh: line 3: swiftgen: command not found`,
    code: 'command_not_found',
    says: 'The command swiftgen was not found.',
  },
  {
    lines: 'bash: line 4: swiftgen: command not found',
    code: 'command_not_found',
    says: 'The command swiftgen was not found.',
    exitCode: 127,
  },
  {
    lines: 'zsh:4: command not found: swiftgen',
    code: 'command_not_found',
    says: 'The command swiftgen was not found.',
    exitCode: 127,
  },
  {
    lines: 'bash: line 4: ./ci/missing.sh: No such file or directory',
    code: 'command_not_found',
    says: './ci/missing.sh is not there.',
    exitCode: 127,
  },
  {
    lines: 'bash: line 9: /usr/bin/clang: Argument list too long',
    code: 'not_executable',
    says: '/usr/bin/clang could not be started: its arguments and environment are larger than the operating system allows.',
    exitCode: 126,
  },
  {
    lines: 'zsh:1: argument list too long: /bin/ls',
    code: 'not_executable',
    says: '/bin/ls could not be started: its arguments and environment are larger than the operating system allows.',
    exitCode: 126,
  },
  {
    lines: 'bash: line 2: ./ci/build.sh: Permission denied',
    code: 'not_executable',
    says: './ci/build.sh may not be executed.',
    exitCode: 126,
  },
  {
    lines: `mkdir: /opt/tools: Permission denied`,
    code: 'script_failed',
    says: 'mkdir: /opt/tools: Permission denied',
    exitCode: 1,
  },
  {
    lines: 'bash: line 12:  4711 Killed: 9               xcodebuild -scheme App build',
    code: 'killed',
    fault: 'unknown',
    says: 'Killed by the system (signal 9): xcodebuild -scheme App build',
    exitCode: 137,
  },
  {
    lines: 'clang: error: unable to execute command: Killed: 9',
    code: 'killed',
    fault: 'unknown',
    says: 'A process of the build was killed by the system (signal 9), mostly for want of memory.',
  },
  {
    lines: 'bash: line 12:  4711 Segmentation fault: 11  ./generate --all',
    code: 'script_failed',
    says: 'Segmentation fault: ./generate --all',
    exitCode: 139,
  },
  {
    lines: 'bash: line 12:  4711 Abort trap: 6           ./generate --all',
    code: 'script_failed',
    says: 'Abort trap: ./generate --all',
    exitCode: 134,
  },
  {
    lines: 'bash: line 12:  4711 Terminated: 15          ./serve',
    code: 'script_failed',
    says: 'Terminated: ./serve',
    exitCode: 143,
  },
  {
    lines: 'cp: /Users/ci/Desktop/notes.txt: Operation not permitted',
    code: 'script_failed',
    says: 'cp: /Users/ci/Desktop/notes.txt: Operation not permitted',
    exitCode: 1,
  },
  {
    lines: 'ssh: Could not resolve hostname github.com: nodename nor servname provided, or not known',
    code: 'network_error',
    fault: 'unknown',
    says: 'ssh: Could not resolve hostname github.com: nodename nor servname provided, or not known',
    exitCode: 128,
  },
  {
    lines: 'cp: VERSION: No such file or directory',
    code: 'script_failed',
    says: 'cp: VERSION: No such file or directory',
    exitCode: 1,
  },
  {
    lines: 'zsh: killed     xcodebuild -scheme App build',
    code: 'killed',
    fault: 'unknown',
    says: 'A process of the build was killed by the system (signal 9), mostly for want of memory.',
    exitCode: 137,
  },
  {
    lines: "/usr/lib/ruby/json.rb:100:in `parse': invalid byte sequence in US-ASCII (ArgumentError)",
    code: 'script_failed',
    says: 'invalid byte sequence in US-ASCII (ArgumentError)',
    exitCode: 1,
  },
];
