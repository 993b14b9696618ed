/** The CloudEvents of Millrace, from the declarations of senders and receivers. */
import {
  apiPath,
  apiVersionOf,
  asEventId,
  asResourceVersion,
  asUid,
  type Resource,
  resourceKey,
} from '#shared/domain/objects.ts';
import type { KindDefinition } from '#shared/api/kind-definition.ts';
import type { Verdict } from '#shared/domain/verdict.ts';
import { dueEvent, dueExtensions } from '#shared/events/due-event.ts';
import { eventType } from '#shared/events/event-reference.ts';
import { stateEvent, stateEventType, stateExtensions } from '#shared/events/state-event.ts';
import { toStructuredMessage } from '#shared/events/structured-message.ts';
import { replyOf } from '#shared/runtime/function/verdict-reply.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import { notice } from './reference-pages.ts';

export function eventsPage(subscriptions: readonly Subscription[]): string {
  return [
    ...[notice, '', '# Events', ''],
    'Millrace sends CloudEvents 1.0 for two purposes: they [report to your sink](#the-state-of-an-object-has-changed)',
    'that a flow or a step has another state, and they ask functions to look at an object.',
    '',
    ...stateSection(subscriptions.flatMap(({ kinds }) => kinds)),
    '## What functions receive',
    '',
    'A function learns from an event which object it is to look at. No event carries what the object says: the function',
    'reads it from the API server. An event that is lost or late costs time, and a wrong one a read.',
    '',
    ...dueSection(subscriptions),
    ...answersSection(),
    ...changeSection(subscriptions),
    ...knativeSection(),
  ].join('\n');
}

function stateSection(kinds: readonly KindDefinition[]): readonly string[] {
  const rows = kinds.flatMap(({ resource: { kind }, published }) => {
    if (published === undefined) return [];
    const row = (about: string, states: readonly string[], word?: string): string =>
      `| ${about} | ${states.map((state) => `\`${stateEventType(kind, state, word)}\``).join(', ')} |`;
    const { states, parts } = published;
    return [
      row(kind, [...states, 'deleted']),
      ...(parts === undefined ? [] : [row(`${parts.word} of a ${kind}`, parts.states, parts.word)]),
    ];
  });
  const extensions = Object.entries(stateExtensions).map(
    ([name, meaning]) => `| \`${name}\` | ${meaning} |`,
  );
  return [
    '## The state of an object has changed',
    '',
    'A sink of yours gets one event for each change, by POST in binary mode, when the bridge has its URL:',
    '`--events-to URL` of `millrace up` and `millrace run`, `MILLRACE_EVENTS_TO` of the bridge, `events.to` of the chart.',
    'With `MILLRACE_EVENTS_TO=K_SINK`, a SinkBinding of Knative names the sink, and may add extensions (`ceOverrides`).',
    'Without it nothing is sent, and nothing is followed for it.',
    '',
    ...['| about | types |', '| --- | --- |', ...rows, ''],
    'The last word of a type is the state, as `status` has it, in lower case; `deleted` is the',
    '[change event](#an-object-has-changed). The states are explained with each kind, as those of a',
    '[step](jobflow.md).',
    '',
    ...['| extension | meaning |', '| --- | --- |', ...extensions, ''],
    '`source` is `/millrace/CLUSTER/GROUP/VERSION/PLURAL` with the uid of the namespace kube-system, `subject` the path of',
    'the object, and `time` says since when it is so, where the status does. `data` is what the status says of it:',
    '',
    ...['```json', stateExample(kinds), '```', ''],
    '- **Ids.** `source` and `id` name one change of state, in every bridge and after every restart; drop what you have seen.',
    '  A state that comes back within the same second has the same id.',
    '- **Order.** Events about one object come in the order of its states. Those of different objects may overtake each',
    '  other.',
    '- **Repetition.** At least once. An event is taken with 2xx. A bridge that starts, or takes over from another, sends the',
    '  states that it finds.',
    '- **A sink that is away** gets everything when it is back: each object in the state that it is in by then. Any answer',
    '  but 2xx is tried again, after 0.2 s and up to 5 s, except 400, 413, 415 and 422: such an event is dropped, counted and',
    '  logged. Flows continue meanwhile; see [metrics](metrics.md#millrace_state_events_behind_seconds).',
    '- **What is left out.** A state that lasts less than a second may be passed over, as it is in the status. `reason` and',
    '  `message` may change within a state, without an event.',
    '',
  ];
}

function dueSection(subscriptions: readonly Subscription[]): readonly string[] {
  const rows = subscriptions.flatMap(({ name, decides }) =>
    decides.map((resource) => {
      const type = dueEvent(exampleItem(name, resource), 'dispatcher').type;
      const path = apiPath(resource, resource.namespaced ? 'NAMESPACE' : '', 'NAME');
      return `| \`${type}\` | ${name} | \`${path}\` |`;
    }),
  );
  const extensions = Object.entries(dueExtensions).map(
    ([name, meaning]) => `| \`${name}\` | ${meaning} |`,
  );
  return [
    '### An object is due',
    '',
    'The dispatcher sends these to functions; with `K_SINK` the bridge sends them to that sink instead, and',
    '`millrace invoke` sends one. The mode is binary, or structured where the delivery is signed.',
    '',
    ...['| type | function | subject |', '| --- | --- | --- |', ...rows, ''],
    ...['| extension | meaning |', '| --- | --- |', ...extensions, ''],
    '`source` is `/millrace/SENDER/FUNCTION`; the sender is `dispatcher`, `bridge` or `invoke`. `datacontenttype` is',
    '`application/json`, and `data` repeats which object it is:',
    '',
    ...['```json', exampleText(subscriptions), '```', ''],
    '- **Ids.** `id` follows from the function, the object and `causationid`. A repeated delivery repeats it. Towards a sink',
    '  the sweep adds its time: it asks for another look at what did not change.',
    '- **Order.** None is promised. A function reads the state of now, so a late event changes nothing.',
    '- **Repetition.** At least once. Through the queue an object has one delivery at a time, and events that come while',
    '  one waits are one delivery. A sink gets one for each.',
    '',
  ];
}

const verdicts: readonly (readonly [Verdict, string])[] = [
  [{ kind: 'done' }, 'It has decided.'],
  [
    { kind: 'requeue', afterMs: 12_000 },
    'It has decided, and wants to look again after that time.',
  ],
  [{ kind: 'later', detail: '' }, 'It works on this object: again soon, no attempt is used.'],
  [
    { kind: 'later', afterMs: 1_000, detail: '' },
    'It has too much to do: again then, no attempt is used.',
  ],
  [{ kind: 'retry', detail: '' }, 'It failed, and may succeed later: again after a growing time.'],
  [{ kind: 'parked', detail: '' }, 'Trying again is useless until something changes.'],
];

function answersSection(): readonly string[] {
  const rows = verdicts.map(([verdict, meaning]) => {
    const { status, headers } = replyOf(verdict);
    const [header] = Object.entries(headers).map(([name, value]) => `\`${name}: ${value}\``);
    return `| ${status} | ${header ?? ''} | ${meaning} |`;
  });
  return [
    '### What a function answers',
    '',
    'Success has no body. Anything else is reported as problem details (RFC 9457), with a reason for the sender.',
    '',
    ...['| status | header | meaning |', '| --- | --- | --- |', ...rows],
    '| 400, 415 | | [MR_EVENT_MALFORMED](errors.md#mr_event_malformed): it is no CloudEvent 1.0 in JSON, or a batch. |',
    '| 401 | | [MR_DELIVERY_UNAUTHENTICATED](errors.md#mr_delivery_unauthenticated): the signature is missing or wrong. |',
    '| 422 | | [MR_EVENT_UNROUTABLE](errors.md#mr_event_unroutable): the function does not take this type. |',
    '',
  ];
}

function changeSection(subscriptions: readonly Subscription[]): readonly string[] {
  const watched = new Map(
    subscriptions.flatMap(({ watches }) =>
      watches.map(({ resource }) => [resourceKey(resource), resource] as const),
    ),
  );
  const rows = [...watched.values()].map((resource) => {
    const types = (['changed', 'deleted'] as const)
      .map((change) => `\`${eventType(resource.kind, change)}\``)
      .join(', ');
    const names = (isTaken: boolean): string =>
      subscriptions
        .filter(({ watches }) =>
          watches.some(
            (watch) =>
              resourceKey(watch.resource) === resourceKey(resource) &&
              (typeof watch.leadsTo !== 'function') === isTaken,
          ),
        )
        .map(({ name }) => name)
        .join(', ');
    return `| ${types} | \`${apiVersionOf(resource)}\` | ${names(true)} | ${names(false)} |`;
  });
  return [
    '### An object has changed',
    '',
    'The bridge records these in the journal and routes them to the objects that are due. `millrace journal` shows them. A',
    'function takes an event itself where the event alone names the object that is due: that object, or its controller.',
    'What the objects of the last column lead to, only the bridge knows.',
    '',
    ...[
      '| types | apiVersion | taken by | routed by the bridge to |',
      '| --- | --- | --- | --- |',
      ...rows,
      '',
    ],
    '`source` is `/millrace/CLUSTER/GROUP/VERSION/PLURAL` with the uid of the namespace kube-system, `subject` the path of',
    'the object, and the extensions are those above with `resourceversion` and without `causationid`. `data` repeats them,',
    'with `owner`, the controller of the object, where there is one.',
    '',
    '- **Ids.** `UID.RESOURCEVERSION`; `.deleted` behind it for a deletion that was seen, `.gone` for one that a new list',
    '  showed. The same change has the same id in every bridge and after every restart.',
    '- **Order.** None is promised: what counts is the object as it is when a function reads it.',
    '- **Repetition.** A restart publishes what is there once more, and the journal knows it by its id. Changes that no',
    '  decision can depend on are left out.',
    '',
  ];
}

function knativeSection(): readonly string[] {
  const rows = ['resource', 'ref'].flatMap((mode) =>
    ['add', 'update', 'delete'].map((change) => `- \`dev.knative.apiserver.${mode}.${change}\``),
  );
  return [
    '### Of an ApiServerSource',
    '',
    "Functions also take the six types of Knative's ApiServerSource, about the same objects as change events:",
    '',
    ...rows,
    '',
    'A `ref` event has neither uid nor controller, so the function reads the object. Of one that is gone it cannot',
    'be known whose it was; the next sweep finds what that leaves.',
    '',
  ];
}

const referenceTo = (resource: Resource) => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
});

const exampleUid = asUid('f5770f8d-a766-412a-ba1a-fc0f96121cf8');

function exampleItem(functionName: string, resource: Resource) {
  const uid = exampleUid;
  const namespace = resource.namespaced ? 'default' : '';
  const key = { ...referenceTo(resource), namespace, name: 'etl', uid };
  return { function: functionName, key, cause: asEventId(`${uid}.57`) };
}

function stateExample(kinds: readonly KindDefinition[]): string {
  const kind = kinds.find(({ published }) => published?.parts !== undefined);
  if (kind?.published === undefined) return '';
  const { resource, published } = kind;
  const metadata = {
    ...{ name: 'etl', namespace: 'default', resourceVersion: asResourceVersion('57') },
    uid: exampleUid,
  };
  const record = {
    ...{ name: 'load', state: 'Failed', reason: 'JobFailed', attempt: 1 },
    ...{ jobName: 'etl-load-r1', message: 'its Pod exited with code 3' },
    ...{ startTime: '2026-11-21T10:00:05Z', completionTime: '2026-11-21T10:00:09Z' },
  };
  const [state] = published.of({
    ...{ ...referenceTo(resource), metadata, spec: { flows: [{ name: 'load' }] } },
    status: { jobStatusList: [record] },
  });
  if (state === undefined) return '';
  const source = `/millrace/9b1c0f7e-3d0a-4b52-8f0e-6a0c5b1d2e3f/${resource.group}/${resource.version}/${resource.plural}`;
  const event = stateEvent(resource, metadata, state, { ...published, source });
  return JSON.stringify(JSON.parse(toStructuredMessage(event).body), null, 2);
}

function exampleText([first]: readonly Subscription[]): string {
  const resource = first?.decides[0];
  if (first === undefined || resource === undefined) return '';
  const event = dueEvent(exampleItem(first.name, resource), 'dispatcher', first.decides);
  return JSON.stringify(JSON.parse(toStructuredMessage(event).body), null, 2);
}
