/** What decisions read of the cluster is what reads deliver: a field that views drop cannot decide anything. */
import { describe, expect, it } from 'vitest';
import { functions } from '#functions/list.ts';
import { asLooksSee } from './delivered-fields/looks.ts';
import { pathsIn, recorded } from './delivered-fields/paths.ts';

const nowMs = Date.parse('2026-01-05T12:00:00Z');

/** Of the answers of the API server to a decision or a read, not of the cluster. */
const ofAnswers = /^(rejections|warnings|heldNames|lacksKueue)\b/;
/** Of an owner that waits in a queue, and of a copy by MultiKueue: test/cluster/kueue-{admission,multikueue}.test.ts have such flows. */
const ofQueued: ReadonlySet<string> = new Set(['ancestor', 'isDispatched']);
/** Its members are called by what is in them. */
const calledByValues = 'daemonJob.status.ledger.';
/** The schedule of another policy comes as it is. */
const copiedSchedule = /^rivals\[\]\.schedule/;
/** Of the JobTemplate that a look reads under the name of a pin. */
const generationNow = /^replacedPins\[\]\.generation$/;
/** Made by the look of a label that holds no number: suspend-schedule/observe.test.ts has such a Job. */
const unreadablePriority = 'objects[].priorityFault';
/** Settings of the function. */
const settings = /^(rules|ignoresTopology|keepsDeactivatedMs)\b/;
/** Of a Pod whose node is labelled so: test/cluster/appwrapper-node-health.test.ts has such a node. */
const brokenNode = /^pods\[\]\.brokenNode\b/;
/** So many that each member is there in some of them and lacks in others. */
const looks = 300;

describe.each(functions.map((fn) => [fn.subscription.name, fn] as const))('%s', (_, fn) => {
  it('decides by nothing of the cluster that its reads never deliver', async () => {
    const delivered = new Set<string>();
    const read = new Set<string>();
    for (const decided of fn.subscription.decides) {
      for (const look of asLooksSee(fn, decided, looks)) {
        const snapshot = await look();
        if (snapshot === undefined) continue;
        pathsIn(snapshot, delivered);
        fn.decide(recorded(snapshot, read), { nowMs });
      }
    }
    const lost = [...read].filter(
      (path) =>
        !delivered.has(path) &&
        !delivered.has(path.replace(copiedSchedule, 'policy.spec.schedule')) &&
        !delivered.has(path.replace(generationNow, 'templates')) &&
        path !== unreadablePriority &&
        !ofQueued.has(path) &&
        ![ofAnswers, settings, brokenNode].some((pattern) => pattern.test(path)) &&
        !path.startsWith(calledByValues),
    );
    expect(lost).toEqual([]);
    expect(read.size).toBeGreaterThan(40);
  });
});
