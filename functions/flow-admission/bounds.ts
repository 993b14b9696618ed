/**
 * How much of one object is judged. What lies beyond a bound is refused and never let through unjudged.
 */
import type { Fault } from '#shared/api/fault.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { ReferredTemplates } from '#shared/api/work/submission/submission.ts';
import type { SubmittedKind } from './submission.ts';

/** Each is read from the API server while the user waits. */
const maxTemplates = 200;
/** For each the API server is asked whether the user may impersonate it. */
export const maxServiceAccounts = 100;

/** Why the object cannot be run, or not be judged. */
export function faultsOf(kind: SubmittedKind, object: JsonObject): readonly Fault[] {
  const faults = kind.faults(object);
  // An object with other faults may have any shape.
  if (faults.length > 0 || kind.templates === undefined) return faults;
  return templateFaults(kind.templates, object);
}

function templateFaults(templates: ReferredTemplates, object: JsonObject): readonly Fault[] {
  const { path, resource } = templates;
  const { kind } = resource;
  const count = templates.namesIn(object).length;
  if (count <= maxTemplates) return [];
  const message =
    `steps refer to ${count} different ${kind}s, and at most ${maxTemplates} are judged for one flow; ` +
    `use fewer ${kind}s, or split the flow`;
  return [{ path, message }];
}

/** Of a service account beyond the bound, after what the Pod does with it. */
export const unaskedServiceAccount =
  `for which ${maxServiceAccounts} others left no room: at most ${maxServiceAccounts} service accounts ` +
  'of one object are judged; use fewer service accounts, or split the object';
