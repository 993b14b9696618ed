/** All scripts in the order of their starts. Those that wait for controllers come first. */
import type { Script } from '../harness/script.ts';
import { applyScripts } from './apply.ts';
import { definitionScripts } from './definitions.ts';
import { deletionScripts } from './deletion.ts';
import { disruptionScripts } from './disruptions.ts';
import { discoveryScripts } from './discovery.ts';
import { jobScripts } from './jobs.ts';
import { jobSelectorScripts } from './job-selectors.ts';
import { mergeScripts } from './merges.ts';
import { nameScripts } from './names.ts';
import { namespaceScripts } from './namespaces.ts';
import { pagingScripts } from './paging.ts';
import { patchScripts } from './patches.ts';
import { podScripts } from './pods.ts';
import { policyScripts } from './policies.ts';
import { recordScripts } from './records.ts';
import { reviewScripts } from './reviews.ts';
import { selectorScripts } from './selectors.ts';
import { serviceAccountScripts } from './service-accounts.ts';
import { statusScripts } from './status.ts';
import { suspendedJobScripts } from './suspended-jobs.ts';
import { transportScripts } from './transport.ts';
import { validationScripts } from './validation.ts';
import { verbScripts } from './verbs.ts';
import { watchScripts } from './watches.ts';
import { webhookScripts } from './webhooks.ts';
import { writeScripts } from './writes.ts';

export const allScripts: readonly Script[] = [
  ...mergeScripts,
  ...webhookScripts,
  ...policyScripts,
  ...jobScripts,
  ...jobSelectorScripts,
  ...suspendedJobScripts,
  ...disruptionScripts,
  ...serviceAccountScripts,
  ...podScripts,
  ...definitionScripts,
  ...namespaceScripts,
  ...deletionScripts,
  ...applyScripts,
  ...discoveryScripts,
  ...nameScripts,
  ...pagingScripts,
  ...patchScripts,
  ...recordScripts,
  ...reviewScripts,
  ...selectorScripts,
  ...statusScripts,
  ...transportScripts,
  ...validationScripts,
  ...verbScripts,
  ...watchScripts,
  ...writeScripts,
];
