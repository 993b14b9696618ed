import { expect, test } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import { asResourceVersion, asUid } from '#shared/domain/objects.ts';
import { nextRetryValue } from './retry-value.ts';

test.each([
  ['nothing is written and nothing was handled', undefined, undefined, [], '1'],
  ['the last one was handled', '3', '3', [], '4'],
  ['the annotation was taken away after it was handled', undefined, '3', [], '4'],
  ['steps are named', '3', '3', ['load', 'report'], 'load,report@4'],
  ['steps were named the last time', 'load@9', 'load@9', [], '10'],
  ['another client counts in another way', 'monday', 'monday', [], '1'],
] as const)('a new value where %s', (_, written, retryNonce, steps, expected) => {
  const metadata = {
    ...{ name: 'a', uid: asUid('u'), resourceVersion: asResourceVersion('1') },
    ...(written === undefined ? {} : { annotations: { [annotations.retry]: written } }),
  };
  expect(nextRetryValue({ metadata, status: { retryNonce } }, steps)).toBe(expected);
});
