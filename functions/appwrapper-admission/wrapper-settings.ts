/** Settings of an installation for AppWrappers at admission. */
import Type from 'typebox';
import { MillraceError } from '#shared/domain/errors.ts';
import { subdomainFaults } from '#shared/domain/field-error.ts';

export interface WrapperSettings {
  /** Queue of AppWrappers that name none. Empty: they wait in no queue. */
  readonly defaultQueue: string;
  /** Whether users need the right to create what they wrap. */
  readonly checksRights: boolean;
  /** Limit for the podSets of an AppWrapper. */
  readonly mostPodSets: number;
  /** The kinds that may be wrapped, as `KIND.GROUP`, `KIND` or `*.GROUP`. Empty: all. */
  readonly allowedKinds: readonly string[];
}

/** Limit for a Workload: 8 up to Kueue 0.17, 10 in 0.18, and 18 since. */
const podSetsOfEveryKueue = 8;

export const defaultWrapperSettings: WrapperSettings = {
  defaultQueue: '',
  checksRights: true,
  mostPodSets: podSetsOfEveryKueue,
  allowedKinds: [],
};

/** Settings that are spread into the schema of the process. */
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
  wrapperKinds: Type.String({
    env: ['MILLRACE_APPWRAPPER_KINDS'],
    default: '',
    description:
      'The only kinds that may be wrapped, comma-separated: KIND.GROUP, KIND of the core group, or *.GROUP for all of a group. Empty: every namespaced kind that the user may create.',
  }),
} as const;

interface WrapperConfiguration {
  readonly wrapperDefaultQueue: string;
  readonly wrapperChecksRights: boolean;
  readonly wrapperMostPodSets: number;
  readonly wrapperKinds: string;
}

const kindPattern = /^(?:[A-Z][A-Za-z0-9]*(?:\.[a-z0-9.-]+)?|\*\.[a-z0-9.-]+)$/;

/** Throws MR_CONFIG_INVALID. */
export function wrapperSettingsOf({
  wrapperDefaultQueue: defaultQueue,
  wrapperChecksRights: checksRights,
  wrapperMostPodSets: mostPodSets,
  wrapperKinds,
}: WrapperConfiguration): WrapperSettings {
  const wrongQueue = defaultQueue === '' ? [] : subdomainFaults(defaultQueue);
  const allowedKinds = wrapperKinds
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const faults = [
    ...wrongQueue.map((fault) => `MILLRACE_APPWRAPPER_DEFAULT_QUEUE: ${fault}`),
    ...allowedKinds.flatMap((each) =>
      kindPattern.test(each)
        ? []
        : [`MILLRACE_APPWRAPPER_KINDS: ${JSON.stringify(each)} is not KIND, KIND.GROUP or *.GROUP`],
    ),
  ];
  if (faults.length > 0) {
    throw new MillraceError('MR_CONFIG_INVALID', { faults: faults.join('; ') });
  }
  return { defaultQueue, checksRights, mostPodSets, allowedKinds };
}
