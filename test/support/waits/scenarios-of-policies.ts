/**
 * Causes each wait under a suspend policy, by its name in the list, with the policies and refusals for all of them.
 */
import { podTemplate, type Scenario, type Stage, untilRefused } from './stage.ts';

const job = (tier: string, metadata: object = {}, pod: object = {}) => ({
  metadata: { labels: { tier }, ...metadata },
  spec: { template: podTemplate({ restartPolicy: 'Never', ...pod }) },
});

const heldJob =
  (tier: string, metadata: object = {}, pod: object = {}): Scenario =>
  (stage) =>
    stage.create('Job', job(tier, metadata, pod));

const policy = (name: string, tier: string, spec: object) => ({
  metadata: { name },
  spec: { selector: { matchLabels: { tier } }, ...spec },
});

/** Open only on leap days. */
const leapDays = {
  timeZone: 'UTC',
  windows: [{ name: 'leap', open: '0 0 29 2 *', close: '1 0 29 2 *' }],
};

const large = {
  containers: [{ name: 'main', image: 'busybox', resources: { requests: { cpu: '2' } } }],
};

export const scenariosOfPolicies: Readonly<Record<string, Scenario>> = {
  'a policy holds a Job': heldJob('batch'),
  'a capacity has no room': async (stage) => {
    const both = [await heldJob('narrow')(stage), await heldJob('narrow')(stage)];
    // If both began within one second, either one may run.
    return stage.until('Job that is held', async () => {
      for (const each of both) {
        const { metadata } = (await stage.now(each)) ?? {};
        if (metadata?.annotations?.['millrace.dev/held'] !== undefined) return each;
      }
      return undefined;
    });
  },
  'the Job requests more than the whole capacity': heldJob('small', {}, large),
  'an annotation holds the Job': heldJob('narrow', {
    annotations: { 'millrace.dev/suspend-override': 'Hold' },
  }),
  'a policy cannot be followed': (stage) =>
    stage.create(
      'SuspendPolicy',
      policy('unknown-zone', 'none', {
        schedule: { ...leapDays, timeZone: 'Mars/Olympus' },
      }),
    ),
  'another policy overrules it for some of its objects': (stage) =>
    stage.create(
      'SuspendPolicy',
      policy('outranked', 'batch', { capacity: { maxJobs: 9 }, precedence: -1 }),
    ),
};

const everyWrite = (group: string, plural: string) => ({
  resourceRules: [
    { apiGroups: [group], apiVersions: ['*'], operations: ['CREATE'], resources: [plural] },
  ],
});

/** Refuses Jobs whose names begin with `refused-`, and Pods of Jobs whose names begin with `podless-`. */
const refusals = [
  ['no-refused-jobs', everyWrite('batch', 'jobs'), "!object.metadata.name.startsWith('refused-')"],
  ['no-podless-pods', everyWrite('', 'pods'), "!object.metadata.name.startsWith('podless-')"],
] as const;

/** Call it once, before the first scenario. */
export async function prepare(stage: Stage): Promise<void> {
  await createPolicies(stage);
  await refuse(stage);
}

async function createPolicies(stage: Stage): Promise<void> {
  await stage.create('SuspendPolicy', policy('shut', 'batch', { schedule: leapDays }));
  const one = { capacity: { maxJobs: 1 } };
  await stage.create('SuspendPolicy', policy('narrow', 'narrow', one));
  const cpu = { capacity: { resources: { cpu: '1' } } };
  await stage.create('SuspendPolicy', policy('small', 'small', cpu));
}

/** Returns when they are in effect. */
async function refuse(stage: Stage): Promise<void> {
  for (const [name, matchConstraints, expression] of refusals) {
    const validations = [{ expression, reason: 'Forbidden' }];
    const spec = { failurePolicy: 'Fail', matchConstraints, validations };
    await stage.create('ValidatingAdmissionPolicy', { metadata: { name }, spec });
    const binding = { policyName: name, validationActions: ['Deny'] };
    const metadata = { name };
    await stage.create('ValidatingAdmissionPolicyBinding', { metadata, spec: binding });
  }
  await untilRefused(stage, stage.namespace);
}
