/** Names of the Jobs that a flow creates, and what limits them (rules 3 and 4). */

/**
 * A Job name is copied into the Pod label `job-name`, so it must be a label value and a DNS label:
 * 63 characters (kubernetes#50850).
 */
export const maxJobNameLength = 63;

/** Every name leaves space for a two-digit retry suffix, so that a retry never fails by its name. */
export const maxAttempt = 99;
const longestSuffix = `-r${maxAttempt}`;

const dns1123Label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const retrySuffix = /-r[0-9]+$/;

export function isDns1123Label(name: string): boolean {
  return name.length <= maxJobNameLength && dns1123Label.test(name);
}

/**
 * The name is the lock (law 2): each flow, step and attempt has one name. Two flows can still share a name
 * (`x` + `y-z`, `x-y` + `z`). Their Jobs differ in the uid of the controller owner.
 */
export function childJobName(flow: string, step: string, attempt: number): string {
  const first = `${flow}-${step}`;
  return attempt === 0 ? first : `${first}-r${attempt}`;
}

/** Why a flow cannot have this name, or undefined. */
export function flowNameFault(flow: string): string | undefined {
  return isDns1123Label(flow)
    ? undefined
    : `flow name "${flow}" is not a DNS-1123 label (lower case letters, digits and "-", at most ${maxJobNameLength} characters)`;
}

/** Why a step of this flow cannot have this name, or undefined. */
export function stepNameFault(flow: string, step: string): string | undefined {
  if (!isDns1123Label(step)) {
    return `step name "${step}" is not a DNS-1123 label (lower case letters, digits and "-", at most ${maxJobNameLength} characters)`;
  }
  if (retrySuffix.test(step)) {
    return `step name "${step}" ends like a retry ("-r" and digits), which is reserved`;
  }
  const limit = maxJobNameLength - longestSuffix.length - 1;
  if (flow.length + step.length <= limit) return undefined;
  return (
    `flow name "${flow}" (${flow.length} characters) and step name "${step}" (${step.length} characters) ` +
    `are too long together: at most ${limit}, so that the Job name stays within ${maxJobNameLength}`
  );
}

/**
 * Why an Indexed Job of this step cannot have so many completions, or undefined. The Pod host name
 * `<job>-<index>` must be a DNS label too.
 */
export function indexedNameFault(
  flow: string,
  step: string,
  completions: number,
): string | undefined {
  const job = `${flow}-${step}${longestSuffix}`;
  const longestIndex = String(Math.max(0, completions - 1));
  const length = job.length + 1 + longestIndex.length;
  if (length <= maxJobNameLength) return undefined;
  return (
    `step "${step}" is Indexed with ${completions} completions: its Pod host names would have ${length} characters ` +
    `("${job}-${longestIndex}"), at most ${maxJobNameLength} are allowed`
  );
}
