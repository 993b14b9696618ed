import { expect, test } from 'vitest';
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { asResourceVersion, asUid } from '#shared/domain/objects.ts';
import { DaemonJobObserver } from './daemon-picture.ts';
import { progressOf } from './words.ts';

const metadata = { name: 'scan', uid: asUid('u'), resourceVersion: asResourceVersion('1') };

test('the progress of a DaemonJob is that of its status, also without its Jobs', () => {
  const status = { desired: 3, succeeded: 2, skipped: 1 };
  const object = { metadata, spec: {}, status } as unknown as DaemonJob;
  const picture = new DaemonJobObserver({ startedMs: 0, recorded: true }).picture(
    object,
    [],
    1_000,
  );
  expect(progressOf(picture)).toBe('2 of 3');
});
