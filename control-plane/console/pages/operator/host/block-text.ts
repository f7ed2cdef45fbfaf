// Why a host cannot create Macs.
import type { FleetHostDetail } from '../../../../../client/types.js';
import type { Language } from '../../../../../shared/language.js';
import { hostBlocks } from '../../../../../shared/messages/mac-problems.js';
import { say } from '../../../../../shared/messages/message.js';

type Block = NonNullable<FleetHostDetail['blocked']>;

/** Returns the words of the host in English, and the sentence of its code in other languages. */
export const blockText = ({ code, message }: Block, language: Language): string =>
  language === 'en' ? message : say(hostBlocks, language, { code, params: {}, text: message });
