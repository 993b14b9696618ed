import type { Inquiry } from '#shared/kube/inquiry.ts';
import type { Admission } from './admission.ts';

/** The admissions as their host serves them. Their look-ups get these services beside the cluster. */
export function withServices(
  admissions: readonly Admission[],
  services: object,
): readonly Admission[] {
  return admissions.map((admission): Admission => {
    const { registration } = admission;
    const { matchConditions = [] } = registration;
    const asked = matchConditions.filter((each) => each.unless?.(services) !== true);
    return {
      ...admission,
      registration: { ...registration, matchConditions: asked },
      ...(admission.lookUp === undefined ? {} : { lookUp: lookingUp(admission, services) }),
    };
  });
}

function lookingUp(admission: Admission, services: object) {
  return async (...[review, cluster, signal]: LookUp): Promise<unknown> => {
    const known: Inquiry = { ...cluster, ...services };
    return admission.lookUp?.(review, known, signal);
  };
}

type LookUp = Parameters<NonNullable<Admission['lookUp']>>;
