/** Every script, in the order in which they start: what takes longest first. */
import type { Script } from '../harness/script.ts';
import { nameScripts } from './names.ts';
import { verbScripts } from './verbs.ts';

export const allScripts: readonly Script[] = [...verbScripts, ...nameScripts];
