import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';

/**
 * A value of `millrace.dev/retry` that starts another retry: neither the one that is written nor the one that was
 * handled last. `load,report@2` names steps, `2` stands for all that failed. Pure.
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

/** Of `7` and of `load@7`; 0 where somebody counts in another way. */
function numberOf(value = ''): number {
  const [, digits] = /(?:^|@)(\d{1,9})$/.exec(value) ?? [];
  return digits === undefined ? 0 : Number(digits);
}
