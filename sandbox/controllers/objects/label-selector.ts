/** metav1.LabelSelector. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelRequirement[];
}

export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/** An absent selector selects nothing, an empty one everything (metav1.LabelSelectorAsSelector). */
export function selects(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  if (selector === undefined) return false;
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(requirement, labels))
  );
}

function meets({ key, operator, values = [] }: LabelRequirement, labels: Labels): boolean {
  const value = labels[key];
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
