/** Every script, in the order in which they start. */
import type { Script } from '../harness/script.ts';
import { applyScripts } from './apply.ts';
import { deletionScripts } from './deletion.ts';
import { nameScripts } from './names.ts';
import { namespaceScripts } from './namespaces.ts';
import { pagingScripts } from './paging.ts';
import { patchScripts } from './patches.ts';
import { selectorScripts } from './selectors.ts';
import { statusScripts } from './status.ts';
import { transportScripts } from './transport.ts';
import { validationScripts } from './validation.ts';
import { verbScripts } from './verbs.ts';
import { watchScripts } from './watches.ts';
import { writeScripts } from './writes.ts';

export const allScripts: readonly Script[] = [
  ...applyScripts,
  ...deletionScripts,
  ...nameScripts,
  ...namespaceScripts,
  ...pagingScripts,
  ...patchScripts,
  ...selectorScripts,
  ...statusScripts,
  ...transportScripts,
  ...validationScripts,
  ...verbScripts,
  ...watchScripts,
  ...writeScripts,
];
