// Reads what a Mac checks before it runs a program: format, processor, signature.

export interface MachO {
  readonly cpu: 'arm64' | 'other';
  /** Whether it has a code signature (load command LC_CODE_SIGNATURE) that lies inside the file. */
  readonly signed: boolean;
}

const MAGIC_64 = 0xfeedfacf;
const CPU_ARM64 = 0x0100000c;
const LC_CODE_SIGNATURE = 0x1d;
/** Of a signature's blob, big-endian. */
const EMBEDDED_SIGNATURE = 0xfade0cc0;

/** Returns null for a file that is not a 64-bit Mach-O file for one processor. */
export function readMachO(file: Buffer): MachO | null {
  if (file.length < 32 || file.readUInt32LE(0) !== MAGIC_64) return null;
  let signed = false;
  for (let n = file.readUInt32LE(16), at = 32; n > 0; n--) {
    if (file.readUInt32LE(at) === LC_CODE_SIGNATURE) {
      const [start, length] = [file.readUInt32LE(at + 8), file.readUInt32LE(at + 12)];
      signed = start + length <= file.length && file.readUInt32BE(start) === EMBEDDED_SIGNATURE;
    }
    at += file.readUInt32LE(at + 4);
  }
  return { cpu: file.readUInt32LE(4) === CPU_ARM64 ? 'arm64' : 'other', signed };
}
