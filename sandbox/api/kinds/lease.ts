/** Lease (pkg/apis/coordination/validation). */
import { invalid } from '../../apimachinery/cause.ts';
import type { Draft } from '../draft.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import { plain, type Strategy } from '../strategy.ts';

interface LeaseSpec {
  readonly leaseDurationSeconds?: number;
  readonly leaseTransitions?: number;
}

export const lease: Strategy = {
  ...plain,
  createsOnUpdate: true,
  allowsUnconditionalUpdate: false,
  faults,
};

function faults({ spec }: Draft): readonly StatusCause[] {
  const { leaseDurationSeconds: seconds = 1, leaseTransitions: transitions = 0 } = (spec ??
    {}) as LeaseSpec;
  const found: StatusCause[] = [];
  if (seconds <= 0) {
    found.push(invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0'));
  }
  if (transitions < 0) {
    const detail = 'must be greater than or equal to 0';
    found.push(invalid('spec.leaseTransitions', transitions, detail));
  }
  return found;
}
