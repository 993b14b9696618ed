/** What an installation decides about AppWrappers at admission. */
import Type from 'typebox';
import { MillraceError } from '#shared/domain/errors.ts';
import { subdomainFaults } from '#shared/domain/field-error.ts';

export interface WrapperSettings {
  /** Queue of AppWrappers that name none; empty: they wait in no queue. */
  readonly defaultQueue: string;
  /** Whether users need the right to create what they wrap. */
  readonly checksRights: boolean;
  /** How many podSets an AppWrapper has at most. */
  readonly mostPodSets: number;
}

/** Of a Workload: 8 up to Kueue 0.17, 10 in 0.18, and 18 since. */
const podSetsOfEveryKueue = 8;

export const defaultWrapperSettings: WrapperSettings = {
  defaultQueue: '',
  checksRights: true,
  mostPodSets: podSetsOfEveryKueue,
};

/** Spread into the schema of the process. */
export const wrapperSettings = {
  wrapperDefaultQueue: Type.String({
    env: ['MILLRACE_APPWRAPPER_DEFAULT_QUEUE'],
    default: defaultWrapperSettings.defaultQueue,
    description:
      'LocalQueue of AppWrappers that are created without the label kueue.x-k8s.io/queue-name; empty: they wait in no queue and run at once.',
  }),
  wrapperChecksRights: Type.Boolean({
    env: ['MILLRACE_APPWRAPPER_CHECK_RIGHTS'],
    default: defaultWrapperSettings.checksRights,
    description:
      'Whether a user who creates an AppWrapper needs the right to create each wrapped resource. Without it every user who may create AppWrappers creates with the rights of Millrace.',
  }),
  wrapperMostPodSets: Type.Integer({
    env: ['MILLRACE_APPWRAPPER_MAX_POD_SETS'],
    default: defaultWrapperSettings.mostPodSets,
    minimum: 1,
    maximum: 18,
    description:
      'How many podSets an AppWrapper has at most. Kueue takes 8 up to version 0.17, 10 in 0.18 and 18 since 0.19.',
  }),
} as const;

interface WrapperConfiguration {
  readonly wrapperDefaultQueue: string;
  readonly wrapperChecksRights: boolean;
  readonly wrapperMostPodSets: number;
}

/** Throws MR_CONFIG_INVALID. */
export function wrapperSettingsOf({
  wrapperDefaultQueue: defaultQueue,
  wrapperChecksRights: checksRights,
  wrapperMostPodSets: mostPodSets,
}: WrapperConfiguration): WrapperSettings {
  const faults = defaultQueue === '' ? [] : subdomainFaults(defaultQueue);
  if (faults.length > 0) {
    const words = `MILLRACE_APPWRAPPER_DEFAULT_QUEUE: ${faults.join('; ')}`;
    throw new MillraceError('MR_CONFIG_INVALID', { faults: words });
  }
  return { defaultQueue, checksRights, mostPodSets };
}
