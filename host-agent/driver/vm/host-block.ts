// Why this host cannot create Macs now. The control plane shows it and places no Macs here until it is lifted.
import type { hostBlocks } from '../../../shared/messages/mac-problems.js';
import type { HostBlock } from '../../../shared/protocol/index.js';
import type { VmToolCode, VmToolError } from './tool.js';

/** What has to succeed before a block is lifted. */
export type BlockKind = 'answer' | 'start' | 'place' | 'room';

interface BlockReason {
  readonly code: keyof typeof hostBlocks;
  readonly liftedBy: BlockKind;
}

const REASONS: Partial<Record<VmToolCode, BlockReason>> = {
  missing: { code: 'vm_tool_missing', liftedBy: 'answer' },
  incompatible: { code: 'vm_tool_incompatible', liftedBy: 'answer' },
  unresponsive: { code: 'vm_tool_unresponsive', liftedBy: 'answer' },
  limit_reached: { code: 'vm_limit_leaked', liftedBy: 'start' },
  keychain_locked: { code: 'keychain_locked', liftedBy: 'start' },
  no_address: { code: 'vm_no_address', liftedBy: 'start' },
  disk_full: { code: 'disk_full', liftedBy: 'room' },
};

/** Returns the code of an error as the service knows it. */
export const codeOfTool = (code: VmToolCode): string => REASONS[code]?.code ?? code;

export type HostBlocks = ReturnType<typeof createHostBlocks>;

/** @param changed called when `current` returns something new */
export function createHostBlocks(changed: () => void) {
  let block: (BlockReason & { message: string; free: number }) | null = null;
  const set = (reason: BlockReason, message: string, free = 0) => {
    const same = block?.code === reason.code && block.message === message;
    block = { ...reason, message, free };
    if (!same) changed();
  };
  return {
    /**
     * Blocks the host if the error concerns all of its virtual machines.
     *
     * @param freeBytes of the disk at that time
     */
    report(error: VmToolError, freeBytes?: number) {
      const reason = REASONS[error.code];
      if (reason) set(reason, error.message, freeBytes);
    },
    /** Blocks the host because of virtual machines that are not the agent's. */
    foreign: (message: string) => set({ code: 'vm_limit_foreign', liftedBy: 'place' }, message),
    lift(by: BlockKind) {
      if (block?.liftedBy !== by) return;
      block = null;
      changed();
    },
    current: (): HostBlock | null => block && { code: block.code, message: block.message },
    /** What would lift the block; null: the host is not blocked. */
    liftedBy: (): BlockKind | null => block?.liftedBy ?? null,
    /** Free bytes of the disk when the host was blocked; 0: unknown. */
    freeBytes: () => block?.free ?? 0,
  };
}
