/** Kinds that are stored as they are sent. */
import { plain, type Strategy } from '../strategy.ts';
import { pathSegmentFault } from '../names.ts';

export const serviceAccount: Strategy = { ...plain, answersDeleted: true };

export const lease: Strategy = {
  ...plain,
  createsOnUpdate: true,
  allowsUnconditionalUpdate: false,
};

/** Stored and shown; the sandbox enforces no rights. */
export const rbac: Strategy = { ...plain, createsOnUpdate: true, nameRule: pathSegmentFault };
