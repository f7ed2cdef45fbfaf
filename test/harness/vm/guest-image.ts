// The disk of a stand-in image: the folders of a macOS image with Xcodes.
import { chmodSync, chownSync, lchownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface GuestXcode {
  readonly version: string;
  readonly build: string;
  /** Name below /Applications; without it as the usual images name it. */
  readonly app?: string;
  /** Default true. */
  readonly licenseAccepted?: boolean;
  /** Default true. */
  readonly firstLaunched?: boolean;
}

export interface GuestRuntime {
  /** iOS, watchOS, tvOS, xrOS */
  readonly platform: string;
  readonly version: string;
  readonly build: string;
  readonly state?: string;
}

export interface GuestDisk {
  readonly macos: { readonly version: string; readonly build: string };
  readonly xcodes: readonly GuestXcode[];
  /** Version that xcode-select points to; null: none. */
  readonly selected: string | null;
  readonly runtimes: readonly GuestRuntime[];
  /** Names of Homebrew's formulas. */
  readonly tools: readonly string[];
  /** What `xcodebuild -downloadPlatform` finds. */
  readonly downloads: readonly GuestRuntime[];
  /** Formulas that `brew install` finds, with their versions. */
  readonly formulas: Readonly<Record<string, string>>;
  readonly guestAgent: boolean;
  readonly user: string;
  readonly password: string;
  readonly shell: '/bin/zsh' | '/bin/bash' | '/usr/bin/fish';
}

export const defaultDisk: GuestDisk = {
  macos: { version: '26.1', build: '25B78' },
  xcodes: [
    { version: '26.1', build: '17B55' },
    { version: '16.4', build: '16F6' },
  ],
  selected: '26.1',
  runtimes: [{ platform: 'iOS', version: '26.1', build: '23B86' }],
  tools: ['git', 'jq'],
  downloads: [
    { platform: 'iOS', version: '18.6', build: '22G86' },
    { platform: 'iOS', version: '26.2', build: '23C54' },
    { platform: 'tvOS', version: '26.1', build: '23J579' },
  ],
  formulas: { cmake: '4.1.2', ninja: '1.13.1', swiftlint: '0.61.0', xcbeautify: '3.1.1' },
  guestAgent: true,
  user: 'admin',
  password: 'admin',
  shell: '/bin/zsh',
};

/** Hashes of `crypt(3)` that sshd of this machine can check. */
const passwords: Record<string, string> = {
  admin:
    '$6$rounds=1000$standin$/Qj0/5FyhT44.v.HokfKHP9e9/uaQ1iiWf/xio2Dhu90knhm7JMMuSbDDR67sq/4G4fy4fwPUM9I4urjPnRr.0',
  lume: '$6$rounds=1000$standin$LHO4D8SeOGrER41FpLBMhQ4qL/TXUtjqnV1l9b8wOCkBR/BWOPQZA1anH42hn1rMUqTKB451oTtweNPxJBUlT0',
};

/** The password of the account that logs in by itself, as macOS keeps it. */
function kcpassword(password: string): Buffer {
  const key = [0x7d, 0x89, 0x52, 0x23, 0xd2, 0xbc, 0xdd, 0xea, 0xa3, 0xb9, 0x1f];
  const plain = Buffer.alloc(Math.ceil((password.length + 1) / 12) * 12);
  plain.write(password);
  return plain.map((byte, at) => byte ^ key[at % key.length]!) as Buffer;
}

const propertyList = (values: Record<string, string>) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${Object.entries(values)
  .map(([key, value]) => `\t<key>${key}</key>\n\t<string>${value}</string>\n`)
  .join('')}</dict>
</plist>
`;

const sshd = `Include /etc/ssh/sshd_config.d/*
UsePAM no
PasswordAuthentication yes
KbdInteractiveAuthentication no
PidFile none
SetEnv PATH=/usr/bin:/bin:/usr/sbin:/sbin
Subsystem sftp /.linux/lib/openssh/sftp-server
`;

function systemFiles({ macos, user, password, shell, guestAgent }: GuestDisk): Record<string, string> {
  const hash = passwords[password];
  if (hash === undefined) throw new Error(`no hash of the password ${password}`);
  return {
    'System/Library/CoreServices/SystemVersion.plist': propertyList({
      ProductBuildVersion: macos.build,
      ProductName: 'macOS',
      ProductVersion: macos.version,
    }),
    'private/etc/passwd': `root:x:0:0:System Administrator:/var/root:/bin/sh
daemon:x:1:1:System Services:/var/root:/usr/bin/false
sshd:x:75:75:sshd Privilege separation:/var/empty:/usr/bin/false
${user}:x:501:20:Managed via Tart:/Users/${user}:${shell}
nobody:x:65534:65534:Unprivileged User:/var/empty:/usr/bin/false
`,
    'private/etc/shadow': `root:*:19000:0:99999:7:::\nsshd:*:19000:0:99999:7:::\n${user}:${hash}:19000:0:99999:7:::\n`,
    'private/etc/group': `wheel:x:0:root\ndaemon:x:1:\ntty:x:4:\nstaff:x:20:root\nsshd:x:75:\nadmin:x:80:root,${user}\nnobody:x:65534:\n`,
    'private/etc/hosts': '127.0.0.1 localhost\n255.255.255.255 broadcasthost\n::1 localhost\n',
    'private/etc/nsswitch.conf': 'passwd: files\ngroup: files\nshadow: files\nhosts: files\n',
    'private/etc/shells': '/bin/bash\n/bin/dash\n/bin/sh\n/bin/zsh\n/usr/bin/fish\n',
    'private/etc/profile': 'PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin; export PATH\n',
    'private/etc/zprofile': 'PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin; export PATH\n',
    'private/etc/ssh/sshd_config': sshd,
    [`Users/${user}/.zprofile`]: 'export PATH="/opt/homebrew/bin:/opt/homebrew/sbin:$PATH"\nexport LANG=C.UTF-8\n',
    ...(guestAgent ? {} : { 'private/var/db/.no-guest-agent': '' }),
  };
}

function xcodeFiles({ version, build, app, licenseAccepted, firstLaunched }: GuestXcode): Record<string, string> {
  const folder = `Applications/${app ?? `Xcode_${version}.app`}/Contents`;
  const about = { CFBundleShortVersionString: version, CFBundleVersion: '24000', ProductBuildVersion: build };
  return {
    [`${folder}/version.plist`]: propertyList(about),
    [`${folder}/Info.plist`]: propertyList({
      ...about,
      CFBundleIdentifier: 'com.apple.dt.Xcode',
      CFBundleName: 'Xcode',
    }),
    [`${folder}/Developer/usr/bin/.keep`]: '',
    [`${folder}/Developer/Platforms/MacOSX.platform/version.plist`]: propertyList(about),
    ...(licenseAccepted === false ? {} : { [`private/var/db/stand-in/license-${build}`]: '' }),
    ...(firstLaunched === false ? {} : { [`private/var/db/stand-in/first-launch-${build}`]: '' }),
  };
}

const folders = [
  'private/var/run',
  'private/var/log',
  'private/var/root',
  'private/var/empty',
  'private/var/db/stand-in',
  'private/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T',
  'private/etc/ssh/sshd_config.d',
  'run/sshd',
  'usr/local/bin',
  'opt/homebrew/bin',
  'opt/homebrew/Cellar',
  'Volumes',
  'Applications',
  'Library/Developer/CoreSimulator/Images',
  'Library/Developer/CoreSimulator/Volumes',
];
const links: Record<string, string> = {
  bin: '.system/bin',
  sbin: '.system/sbin',
  'usr/bin': '../.system/usr/bin',
  'usr/sbin': '../.system/usr/sbin',
  'usr/libexec': '../.system/usr/libexec',
  'usr/lib': '../.linux/lib',
  'usr/share': '../.linux/share',
  lib: '.linux/lib',
  lib64: '.linux/lib64',
  etc: 'private/etc',
  tmp: 'private/tmp',
  var: 'private/var',
  // Debian's zsh looks for its files there.
  'private/etc/zsh': '.',
};
const homeFolders = [
  'Library/Caches',
  'Library/Keychains',
  'Library/LaunchAgents',
  'Library/Preferences',
  'Desktop',
  '.ssh',
];

function giveTo(folder: string): void {
  lchownSync(folder, 501, 20);
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    lchownSync(path.join(folder, entry), 501, 20);
  }
}

/** Writes the disk of an image into `root`. */
export function writeGuestDisk(root: string, disk: GuestDisk): void {
  const home = `Users/${disk.user}`;
  for (const folder of [...folders, ...homeFolders.map((name) => `${home}/${name}`)]) {
    mkdirSync(path.join(root, folder), { recursive: true });
  }
  for (const folder of ['private/tmp', 'private/var/tmp', 'Users/Shared']) {
    mkdirSync(path.join(root, folder), { recursive: true });
    chmodSync(path.join(root, folder), 0o1777);
  }
  writeFileSync(path.join(root, 'private/etc/kcpassword'), kcpassword(disk.password), { mode: 0o600 });
  for (const [link, target] of Object.entries(links)) symlinkSync(target, path.join(root, link));
  const files = {
    ...systemFiles(disk),
    ...Object.assign({}, ...disk.xcodes.map(xcodeFiles)),
    'Library/Developer/CoreSimulator/Images/images.tsv': disk.runtimes
      .map(({ platform, version, build, state }) => `${[platform, version, build, state ?? 'Ready'].join('\t')}\n`)
      .join(''),
    'private/var/db/stand-in/downloads': disk.downloads
      .map(({ platform, version, build }) => `${[platform, version, build].join('\t')}\n`)
      .join(''),
    'private/var/db/stand-in/formulas': Object.entries(disk.formulas)
      .map(([name, version]) => `${name}\t${version}\n`)
      .join(''),
    [`${home}/Library/Keychains/login.keychain-db`]: `password=${disk.password}\nlocked=no\n`,
  } as Record<string, string>;
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text, { mode: name.endsWith('shadow') ? 0o600 : 0o644 });
  }
  // A daemon writes it on macOS, for every user.
  chmodSync(path.join(root, 'Library/Developer/CoreSimulator/Images/images.tsv'), 0o666);
  for (const tool of disk.tools) {
    mkdirSync(path.join(root, 'opt/homebrew/Cellar', tool, '1.0.0'), { recursive: true });
  }
  symlinkSync('/.stubs/opt/brew', path.join(root, 'opt/homebrew/bin/brew'));
  const chosen = disk.xcodes.find(({ version }) => version === disk.selected);
  if (chosen !== undefined) {
    const app = chosen.app ?? `Xcode_${chosen.version}.app`;
    symlinkSync(`/Applications/${app}/Contents/Developer`, path.join(root, 'private/var/db/xcode_select_link'));
  }
  for (const folder of [home, 'opt/homebrew', 'usr/local', 'private/var/folders/zz']) giveTo(path.join(root, folder));
  chownSync(path.join(root, 'Applications'), 0, 80);
}
