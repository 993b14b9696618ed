/** Kueue's configuration, in its own terms. */
import Type from 'typebox';
import { Check } from 'typebox/value';
import { labelSelectorSchema } from '#shared/api/label-selector-fields.ts';
import { frameworkName, managedResources } from '#shared/api/work/queued-kinds.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import type { LabelSelector } from '#shared/domain/label-selector.ts';

export interface KueueSettings {
  /**
   * `Kind.version.group`, from both `integrations.frameworks` and `integrations.externalFrameworks`.
   */
  readonly frameworks: ReadonlySet<string>;
  /** `manageJobsWithoutQueueName`. */
  readonly managesUnlabelled: boolean;
  /** `managedJobsNamespaceSelector`. */
  readonly namespaces: LabelSelector;
}

const defaultFrameworks = managedResources.map((resource) => frameworkName({ resource }));

/** Kueue's own default. */
const defaultNamespaces: LabelSelector = {
  matchExpressions: [
    {
      key: 'kubernetes.io/metadata.name',
      operator: 'NotIn',
      values: ['kube-system', 'kueue-system'],
    },
  ],
};

export const defaultKueueSettings: KueueSettings = {
  frameworks: new Set(defaultFrameworks),
  managesUnlabelled: false,
  namespaces: defaultNamespaces,
};

/** Spread into the schema of the process. */
export const kueueSettings = {
  kueueFrameworks: Type.String({
    env: ['MILLRACE_KUEUE_FRAMEWORKS'],
    default: defaultFrameworks.join(),
    description:
      'Kinds that Kueue manages, as Kind.version.group, comma-separated: its frameworks and external frameworks. With a queue label they are created suspended; one that is not in the list is left alone.',
  }),
  kueueManagesUnlabelled: Type.Boolean({
    env: ['MILLRACE_KUEUE_MANAGE_JOBS_WITHOUT_QUEUE_NAME'],
    default: false,
    description: "Kueue's manageJobsWithoutQueueName.",
  }),
  kueueNamespaces: Type.String({
    env: ['MILLRACE_KUEUE_MANAGED_JOBS_NAMESPACE_SELECTOR'],
    default: JSON.stringify(defaultNamespaces),
    description: "Kueue's managedJobsNamespaceSelector: a LabelSelector as JSON.",
  }),
} as const;

interface KueueConfiguration {
  readonly kueueFrameworks: string;
  readonly kueueManagesUnlabelled: boolean;
  readonly kueueNamespaces: string;
}

/** Throws MR_CONFIG_INVALID with every fault. */
export function kueueSettingsOf(configuration: KueueConfiguration): KueueSettings {
  const { kueueManagesUnlabelled: managesUnlabelled, kueueNamespaces } = configuration;
  const namespaces = selectorOf(kueueNamespaces);
  const faults =
    namespaces !== undefined
      ? []
      : ['MILLRACE_KUEUE_MANAGED_JOBS_NAMESPACE_SELECTOR: this is no LabelSelector as JSON'];
  const frameworks = frameworksOf(configuration.kueueFrameworks, faults);
  return { frameworks, managesUnlabelled, namespaces: namespaces ?? defaultNamespaces };
}

/** Throws MR_CONFIG_INVALID with every fault, followed by those of other settings. */
export function frameworksOf(
  text: string,
  others: readonly string[] = [],
): KueueSettings['frameworks'] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const faults = names
    .filter((name) => !/^[A-Za-z0-9]+\.[a-z0-9]+\..+$/.test(name))
    .map((name) => `MILLRACE_KUEUE_FRAMEWORKS: "${name}" is not Kind.version.group`)
    .concat(others);
  if (faults.length > 0) {
    throw new MillraceError('MR_CONFIG_INVALID', { faults: faults.join('; ') });
  }
  return new Set(names);
}

const schema = labelSelectorSchema('Namespaces.');

function selectorOf(text: string): LabelSelector | undefined {
  try {
    const selector: unknown = JSON.parse(text);
    // A misspelt selector would select everything.
    const isKnown = Object.keys(selector as object).every((key) =>
      Object.hasOwn(schema.properties, key),
    );
    return isKnown && Check(schema, selector) ? selector : undefined;
  } catch {
    return undefined;
  }
}
