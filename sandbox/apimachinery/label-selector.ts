/** metav1.LabelSelector, and the requirements that every label selector consists of. */

export type Labels = Readonly<Record<string, string>>;

export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly Requirement[];
}

export interface Requirement {
  readonly key: string;
  /** `Gt` and `Lt` exist only in node selectors and in selectors written as text. */
  readonly operator: Operator;
  readonly values?: readonly string[];
}

export type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

/**
 * An absent selector selects nothing, and an empty one everything (metav1.LabelSelectorAsSelector).
 */
export function selects(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  if (selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return hasLabels(matchLabels, labels) && matchExpressions.every((one) => meets(one, labels));
}

export function hasLabels(wanted: Labels, labels: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

export function meets(requirement: Requirement, labels: Labels): boolean {
  return holds(requirement, labels[requirement.key]);
}

/** Whether a value meets the requirement, whatever its key. Undefined: the label is absent. */
export function holds({ operator, values = [] }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return difference(value, values[0]) > 0n;
    case 'Lt':
      return difference(value, values[0]) < 0n;
  }
}

/** 0 if one of them is not an integer: such a value is neither greater nor less. */
function difference(value: string | undefined, limit: string | undefined): bigint {
  return isInteger(value) && isInteger(limit) ? BigInt(value) - BigInt(limit) : 0n;
}

function isInteger(text: string | undefined): text is string {
  return text !== undefined && /^[+-]?\d+$/.test(text);
}
