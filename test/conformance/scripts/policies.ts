/** ValidatingAdmissionPolicies that the servers evaluate, with the messages of refusals. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '#shared/domain/objects.ts';
import { family } from '../harness/script.ts';
import type { Session } from '../harness/session.ts';
import { configMap } from './samples.ts';

interface Setting {
  readonly validations: readonly JsonObject[];
  /** Fields of the policy besides its validations. */
  readonly more?: JsonObject;
  readonly operations?: readonly string[];
  /** Distinguishes several policies of one script. */
  readonly as?: string;
  /** Fields of the binding. */
  readonly actions?: readonly string[];
}

const group = 'admissionregistration.k8s.io/v1';

/** Every policy of this family refuses this object, which shows that it is in effect. */
const probe = configMap('probe', { probe: 'yes' });
const ofProbe: JsonObject = {
  expression: "!has(object.data) || !('probe' in object.data)",
  message: 'a probe',
};

/** Creates the policy for the script's namespace, waits until it is in effect, runs, and removes it. */
async function withPolicy(s: Session, setting: Setting, run: () => Promise<void>): Promise<void> {
  const { actions = ['Deny'], as = 'only' } = setting;
  // A policy with a name that was in use a moment ago would not be compiled again.
  const name = s.own(`policy-${as}`);
  const kinds = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'] as const;
  const [policies, bindings] = kinds.map((kind) => s.path(kind)) as [string, string];
  const made = await s.aside('POST', policies, { body: policy(s, name, setting) });
  if (made.code !== 201) throw new Error(String(made.body['message']));
  const binding = (action: readonly string[]) => ({
    apiVersion: group,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: [...action] },
  });
  await s.aside('POST', bindings, { body: binding(actions) });
  try {
    await untilProbed(s, true);
    await run();
  } finally {
    for (const kind of kinds) await s.aside('DELETE', s.path(kind, name));
    await untilProbed(s, false);
  }
}

function policy(s: Session, name: string, setting: Setting): JsonObject {
  const { validations, more = {}, operations = ['CREATE', 'UPDATE'] } = setting;
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
  return {
    apiVersion: group,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      matchConstraints: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': s.ns } },
        resourceRules: [{ ...rule, operations: [...operations] }],
      },
      ...more,
      validations: [ofProbe, ...validations],
    },
  };
}

/**
 * Waits until a policy is in effect, or no longer. A policy that only warns does not refuse the probe, but adds a
 * warning.
 */
async function untilProbed(s: Session, isInEffect: boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const { code, isWarned } = await s.aside('POST', s.path('ConfigMap'), {
      body: probe,
      query: { dryRun: 'All' },
    });
    if ((code === 422 || isWarned) === isInEffect) return;
    if (performance.now() > deadline) throw new Error('the policy never came into effect or went');
    await sleep(50);
  }
}

const small: JsonObject = { expression: '!has(object.data) || size(object.data) < 3' };
const data = (...keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, '']));

export const policyScripts = family('policies', {
  'a validation that does not hold refuses, in its own words': async (s) => {
    await withPolicy(s, { validations: [{ ...small, message: ' too much ' }] }, async () => {
      await s.create(configMap('a', data('x')));
      await s.create(configMap('b', data('x', 'y', 'z')));
      await s.read('ConfigMap', 'b');
    });
  },
  'a validation without words is reported as it stands': async (s) => {
    await withPolicy(s, { validations: [small] }, async () => {
      await s.create(configMap('a', data('x', 'y', 'z')));
    });
  },
  'the message is what its expression makes of the object': async (s) => {
    const messageExpression = 'object.metadata.name + " has " + string(size(object.data))';
    await withPolicy(s, { validations: [{ ...small, messageExpression }] }, async () => {
      await s.create(configMap('a', data('x', 'y', 'z')));
    });
  },
  'a message that fails or has two lines is left out': async (s) => {
    const setting = (as: string, messageExpression: string): Setting => ({
      as,
      validations: [{ ...small, message: 'plain', messageExpression }],
    });
    await withPolicy(s, setting('failing', 'string(object.nothing.at.all)'), async () => {
      await s.create(configMap('a', data('x', 'y', 'z')));
    });
    await withPolicy(s, setting('long', '"two\\nlines"'), async () => {
      await s.create(configMap('a', data('x', 'y', 'z')));
    });
  },
  'of several that do not hold the first is reported': async (s) => {
    const validations = [
      { expression: 'object.metadata.name != "a"', message: 'first' },
      { expression: 'object.metadata.name == "b"', message: 'second' },
    ];
    await withPolicy(s, { validations }, async () => {
      await s.create(configMap('a'));
    });
  },
  'the reason of a validation decides the code': async (s) => {
    for (const reason of ['Forbidden', 'RequestEntityTooLarge', 'Invalid']) {
      const validations = [{ ...small, message: 'no', reason }];
      await withPolicy(s, { as: reason.toLowerCase(), validations }, async () => {
        await s.create(configMap('a', data('x', 'y', 'z')));
      });
    }
  },
  'an update is judged beside what was there': async (s) => {
    const expression = 'oldObject == null || (has(object.data) && object.data == oldObject.data)';
    await withPolicy(s, { validations: [{ expression, message: 'frozen' }] }, async () => {
      await s.create(configMap('a', data('x')));
      await s.patch('ConfigMap', 'a', 'merge', { metadata: { labels: { b: 'c' } } });
      await s.patch('ConfigMap', 'a', 'merge', { data: { y: '' } });
    });
  },
  'an operation that is not named is not judged': async (s) => {
    const setting = { operations: ['CREATE'], validations: [small] };
    await withPolicy(s, setting, async () => {
      await s.create(configMap('a', data('x')));
      await s.patch('ConfigMap', 'a', 'merge', { data: data('y', 'z') });
      await s.delete('ConfigMap', 'a');
    });
  },
  'a condition that does not hold keeps the policy away': async (s) => {
    const expression = "has(object.data) && ('probe' in object.data || 'judged' in object.data)";
    const more = { matchConditions: [{ name: 'judged', expression }] };
    await withPolicy(s, { more, validations: [small] }, async () => {
      await s.create(configMap('a', data('x', 'y', 'z')));
      await s.create(configMap('b', data('x', 'y', 'judged')));
    });
  },
  'what cannot be evaluated refuses by failurePolicy Fail': async (s) => {
    const validations = [{ expression: 'object.data["none"] == "x"', message: 'unused' }];
    await withPolicy(s, { validations }, async () => {
      await s.create(configMap('a', data('x')));
    });
  },
  'what cannot be evaluated is passed by failurePolicy Ignore, what does not hold is not': async (
    s,
  ) => {
    const validations = [{ expression: 'object.data["none"] == "x"', message: 'no x' }];
    await withPolicy(s, { more: { failurePolicy: 'Ignore' }, validations }, async () => {
      await s.create(configMap('a', data('x')));
      await s.create(configMap('b', { none: 'y' }));
    });
  },
  'a key that a map would have twice is reported': async (s) => {
    const expression =
      'size(["a", string(object.metadata.name)].transformMapEntry(i, name, {name: i})) == 2';
    await withPolicy(s, { validations: [{ expression }] }, async () => {
      await s.create(configMap('b'));
      await s.create(configMap('a'));
    });
  },
  'a binding that warns lets pass': async (s) => {
    const validations = [{ ...small, message: 'rather much' }];
    await withPolicy(s, { actions: ['Warn'], validations }, async () => {
      await s.create(configMap('a', data('x', 'y', 'z')));
      await s.read('ConfigMap', 'a');
    });
  },
  'a dry run is judged, too': async (s) => {
    await withPolicy(s, { validations: [small] }, async () => {
      await s.create(configMap('a', data('x', 'y', 'z')), { query: { dryRun: 'All' } });
    });
  },
});
