/** metav1 LabelSelector (apimachinery, LabelSelectorAsSelector). */
import { ownMember } from './own-member.ts';
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelRequirement[];
}

export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

/** An empty selector selects everything. */
export function isSelected(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => ownMember(labels, key) === value) &&
    matchExpressions.every((requirement) => holds(requirement, ownMember(labels, requirement.key)))
  );
}

function holds({ operator, values = [] }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}
