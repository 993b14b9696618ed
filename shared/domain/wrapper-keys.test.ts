import { expect, it } from 'vitest';
import {
  isUnknownWrapperAnnotation,
  podSetAnnotations,
  wrapperAnnotations,
  wrapperFinalizer,
  wrapperLabels,
} from './wrapper-keys.ts';

const prefix = 'workload.codeflare.dev.appwrapper/';

it('AppWrappers keep the keys that manifests for the original controller use', () => {
  expect(wrapperFinalizer).toBe('workload.codeflare.dev/finalizer');
  expect(Object.values(wrapperLabels)).toEqual([
    'workload.codeflare.dev/appwrapper',
    'workload.codeflare.dev/user',
    'workload.codeflare.dev/userid',
  ]);
  expect(Object.values(wrapperAnnotations)).toEqual(
    [
      'admissionGracePeriodDuration',
      'warmupGracePeriodDuration',
      'failureGracePeriodDuration',
      'retryPausePeriodDuration',
      'retryLimit',
      'forcefulDeletionGracePeriodDuration',
      'deletionOnFailureGracePeriodDuration',
      'successTTLDuration',
      'terminalExitCodes',
      'retryableExitCodes',
    ].map((name) => `${prefix}${name}`),
  );
  expect(Object.values(podSetAnnotations)).toEqual(
    ['tas-pod-index-label', 'tas-sub-group-index-label', 'tas-sub-group-count'].map(
      (name) => `${prefix}${name}`,
    ),
  );
});

it('an annotation with the prefix that no AppWrapper knows is unknown', () => {
  // Misspelt so in a sample of the original controller.
  expect(isUnknownWrapperAnnotation(`${prefix}delectionOnFailureGracePeriodDuration`)).toBe(true);
  expect(isUnknownWrapperAnnotation(`${prefix}retryLimit`)).toBe(false);
  expect(isUnknownWrapperAnnotation('workload.codeflare.dev/retryLimit')).toBe(false);
});
