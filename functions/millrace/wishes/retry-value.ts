import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';

/**
 * A new value of `millrace.dev/retry`: neither the written one nor the last handled one. `load,report@2` names
 * steps, `2` means all failed ones. Pure.
 */
export function nextRetryValue(
  { metadata, status }: Pick<KubeObject, 'metadata' | 'status'>,
  steps: readonly string[],
): string {
  const written = metadata.annotations?.[annotations.retry];
  const handled = textOf(fieldsOf(status)['retryNonce']);
  const count = Math.max(numberOf(written), numberOf(handled)) + 1;
  return steps.length === 0 ? `${count}` : `${steps.join(',')}@${count}`;
}

/** The number in `7` or `load@7`. 0: the value has another form. */
function numberOf(value = ''): number {
  const [, digits] = /(?:^|@)(\d{1,9})$/.exec(value) ?? [];
  return digits === undefined ? 0 : Number(digits);
}
