/** Taints and tolerations (component-helpers scheduling/corev1, ToleratesTaint). */
import type { Node, Taint } from '../objects/node.ts';
import type { Toleration } from '../../api/kinds/toleration-rules.ts';

export function tolerates(
  { key = '', operator = 'Equal', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return key !== '' && operator === 'Equal' && value === (taint.value ?? '');
}

export function untolerated(
  { spec }: Node,
  tolerations: readonly Toleration[] = [],
  effects: readonly string[],
): readonly Taint[] {
  return (spec?.taints ?? []).filter(
    (taint) =>
      effects.includes(taint.effect) &&
      !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}
