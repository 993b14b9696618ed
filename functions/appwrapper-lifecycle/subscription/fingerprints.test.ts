import { expect, it } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { wrapperAnnotations } from '#shared/domain/wrapper-keys.ts';
import { wrapperFingerprint } from './fingerprints.ts';

function annotated(annotations: Readonly<Record<string, string>>): KubeObject {
  const identity = { uid: asUid('u'), resourceVersion: asResourceVersion('3') };
  const metadata = { namespace: 'default', name: 'train', ...identity, annotations };
  return { apiVersion: 'workload.codeflare.dev/v1beta2', kind: 'AppWrapper', metadata };
}

it.each([...Object.values(wrapperAnnotations), annotations.deleteAfterSuccess])(
  'a wrapper is decided on again when its setting %s changes',
  (key) => {
    const before = wrapperFingerprint(annotated({ [key]: '10s' }));
    expect(wrapperFingerprint(annotated({ [key]: '20s' }))).not.toEqual(before);
    expect(wrapperFingerprint(annotated({}))).not.toEqual(before);
  },
);

it('what others note on a wrapper leads to no decision, and neither does the order', () => {
  const [first = '', second = ''] = Object.values(wrapperAnnotations);
  const before = wrapperFingerprint(annotated({ [first]: '1s', [second]: '2s' }));
  const noted = annotated({ [second]: '2s', [first]: '1s', team: 'blue' });
  expect(wrapperFingerprint(noted)).toEqual(before);
});
