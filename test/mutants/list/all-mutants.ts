import type { Mutant } from '../mutant.ts';
import { daemonMutants } from './daemon-decisions.ts';
import { decisionMutants } from './decisions.ts';
import { deliveryMutants } from './delivery.ts';
import { followingMutants } from './following.ts';
import { receptionMutants } from './reception.ts';
import { sandboxMutants } from './sandbox.ts';
import { suspendAdmissionMutants } from './suspend-admission.ts';
import { suspendMutants } from './suspend-decisions.ts';
import { tellingMutants } from './telling.ts';
import { viewMutants } from './views.ts';
import { waitingMutants } from './waiting.ts';
import { recordingMutants } from './recording.ts';
import { writeMutants } from './writes.ts';

export const allMutants: readonly Mutant[] = [
  ...writeMutants,
  ...decisionMutants,
  ...daemonMutants,
  ...suspendMutants,
  ...suspendAdmissionMutants,
  ...tellingMutants,
  ...followingMutants,
  ...viewMutants,
  ...deliveryMutants,
  ...sandboxMutants,
  ...receptionMutants,
  ...waitingMutants,
  ...recordingMutants,
];
