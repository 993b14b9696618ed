/** Limits for what is judged of one object. Anything beyond them is refused, never accepted without a check. */
import type { Fault } from '#shared/api/fault.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { ReferredTemplates } from '#shared/api/work/submission/submission.ts';
import type { SubmittedKind } from './submission.ts';

/** The API server is asked for each while the user waits. */
const maxTemplates = 200;
/** For each, the API server is asked whether the user may impersonate it. */
export const maxServiceAccounts = 100;

/** Why the object cannot be run or judged. */
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

/** Appended for a service account beyond the limit, after the words on how the Pod uses it. */
export const unaskedServiceAccount =
  `for which ${maxServiceAccounts} others left no room: at most ${maxServiceAccounts} service accounts ` +
  'of one object are judged; use fewer service accounts, or split the object';
