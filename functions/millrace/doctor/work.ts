/** Whether work is done: a leader, a served queue, no parked items, no object that cannot be deleted. */
import { leaseName } from '#functions/bridge/watch-set.ts';
import { kinds } from '#functions/list.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { counted } from '#shared/domain/wording.ts';
import { defaultElectionTimes } from '#shared/kube/election-options.ts';
import { leaseRecord } from '#shared/kube/lease-record.ts';
import { shellWord } from '../terminal/shell-word.ts';
import type { FunctionQueue } from '../up/queue-report.ts';
import { apart } from './cluster.ts';
import {
  failure,
  type Finding,
  kubectl,
  millrace,
  ok,
  type Patient,
  skipped,
  warning,
} from './examination.ts';

/** A holder renews the Lease four times in this time. */
const renewalsMs = 4 * defaultElectionTimes.retryMs;
/** A dispatcher takes due items within milliseconds. */
const untakenMs = 2_000;
const stuckAfterMs = 300_000;
const pageSize = 500;

export async function examineWork(patient: Patient): Promise<readonly Finding[]> {
  const leader = patient.way === 'pods' ? [await leaderOf(patient)] : [];
  const isServed = patient.way !== 'absent' && leader.every(({ verdict }) => verdict !== 'fail');
  return [...leader, ...(await queueOf(patient)), ...(await stuck(patient, isServed))];
}

/**
 * Whether the Lease is renewed. Its timestamp is from the holder's clock, so an old one proves nothing. A second
 * read then shows whether it changed (elector-1).
 */
async function leaderOf(patient: Patient): Promise<Finding> {
  const about = 'leader of the bridge';
  const { client, namespace, nowMs, sleep } = patient;
  const restart = kubectl(patient, 'rollout restart deployment/bridge');
  const read = () => client.get(resources.Lease, { namespace, name: leaseName });
  const aheadOf = (lease: KubeObject): number =>
    Date.parse(textOf(fieldsOf(lease.spec)['renewTime'])) - nowMs();
  const first = await read();
  if (first !== undefined && Math.abs(aheadOf(first)) < renewalsMs) {
    const { holder } = leaseRecord(first);
    if (holder !== '') return ok(about, holder);
  }
  await sleep(renewalsMs);
  const second = await read();
  if (second === undefined) return failure(about, 'no bridge has led yet', restart);
  const { holder, resourceVersion } = leaseRecord(second);
  if (holder === '') return failure(about, 'the last one has left, and none follows', restart);
  if (first?.metadata.resourceVersion === resourceVersion) {
    return failure(about, `${holder} does not renew its Lease any more`, restart);
  }
  const aheadMs = aheadOf(second);
  if (Math.abs(aheadMs) < renewalsMs) return ok(about, holder);
  const detail = `${holder} leads; the clock of its machine ${apart(Math.round(aheadMs / 1_000))}`;
  return warning(about, detail, 'timedatectl set-ntp true');
}

async function queueOf(patient: Patient): Promise<readonly Finding[]> {
  let first: readonly FunctionQueue[] | undefined;
  try {
    first = await patient.queue();
  } catch (error) {
    if (!hasCode(error, 'MR_QUEUE_UNAVAILABLE')) throw error;
    return [
      patient.redis === undefined
        ? failure('queue', error.message, error.next)
        : // The checks of Redis report it.
          skipped('queue', 'Redis does not answer'),
    ];
  }
  if (first === undefined) {
    return patient.way === 'absent'
      ? []
      : [skipped('queue', 'was not named; add --redis redis://HOST:PORT')];
  }
  return [await lagOf(first, patient), ...parkedIn(first, patient)];
}

async function lagOf(first: readonly FunctionQueue[], patient: Patient): Promise<Finding> {
  const about = 'queue';
  const idle = first.filter(({ depth }) => depth.waiting > 0 && depth.running === 0);
  if (idle.length > 0) {
    await patient.sleep(untakenMs);
    const second = new Map((await patient.queue())?.map((each) => [each.function, each.depth]));
    const untaken = idle.filter(({ function: name, depth }) => {
      const later = second.get(name);
      return later?.running === 0 && later.waiting >= depth.waiting;
    });
    if (untaken.length > 0) {
      const words = untaken.map(({ function: name, depth }) => `${depth.waiting} for ${name}`);
      const detail = `items wait and no process takes them: ${words.join(', ')}`;
      const next =
        patient.way === 'pods'
          ? kubectl(patient, 'rollout restart deployment/dispatcher')
          : millrace(patient, 'run');
      return failure(about, detail, next);
    }
  }
  const waiting = first.reduce((sum, { depth }) => sum + depth.waiting, 0);
  const running = first.reduce((sum, { depth }) => sum + depth.running, 0);
  const waits = waiting === 1 ? 'waits' : 'wait';
  const isUnderWay = `${running} ${running === 1 ? 'is' : 'are'} worked on`;
  return ok(about, `${counted(waiting, 'item')} ${waits}, ${isUnderWay}`);
}

function parkedIn(queue: readonly FunctionQueue[], patient: Patient): readonly Finding[] {
  return queue.flatMap(({ function: name, parked }) => {
    const newest = parked.toSorted((one, other) => other.parkedAtMs - one.parkedAtMs)[0];
    if (newest === undefined) return [];
    const detail = `${parked.length} parked; the last one: ${newest.reason}`;
    return [
      failure(
        `items of ${name}`,
        detail,
        millrace(patient, `queue retry --all${redisOf(patient)}`),
      ),
    ];
  });
}

/** Leaves out user and password. */
function redisOf({ redis }: Patient): string {
  if (redis === undefined) return '';
  const { protocol, host } = new URL(redis.url);
  return ` --redis ${protocol}//${host}${redis.insecure ? ' --redis-insecure' : ''}`;
}

/** `isServed`: a Millrace runs that removes its finalizers. */
async function stuck(patient: Patient, isServed: boolean): Promise<readonly Finding[]> {
  const lists = await Promise.all(
    kinds.map(async ({ resource }) =>
      (await leaving(patient, resource)).map((object) => ({ resource, object })),
    ),
  );
  const findings = lists.flat().flatMap(({ resource, object }) => {
    const { name, namespace = '', deletionTimestamp, finalizers = [] } = object.metadata;
    if (finalizers.length === 0) return [];
    const ageMs = patient.nowMs() - Date.parse(deletionTimestamp ?? '');
    const isOurs = finalizers.some((each) => each.startsWith(`${resource.group}/`));
    const waitsInVain = isOurs && !isServed;
    if (ageMs < stuckAfterMs && !waitsInVain) return [];
    const type = `${resource.plural}.${resource.group}`;
    const where = namespace === '' ? '' : ` -n ${namespace}`;
    const patch = `'{"metadata":{"finalizers":null}}'`;
    const why = waitsInVain ? 'and no Millrace is at work to take it off' : 'after 5 minutes';
    return [
      failure(
        `${type}/${name}${namespace === '' ? '' : ` of ${namespace}`}`,
        `was deleted and is still held by ${finalizers.join(', ')} ${why}`,
        `${patient.cluster.kubectl}${where} patch ${type} ${shellWord(name)} --type=merge -p ${patch}`,
      ),
    ];
  });
  return findings.length > 0 ? findings : [ok('deletions', 'none is held up')];
}

/** Page by page, because there may be many. */
async function leaving({ client }: Patient, resource: Resource): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  let next: string | undefined;
  try {
    do {
      const page = await client.list(resource, {
        limit: pageSize,
        ...(next === undefined ? {} : { continue: next }),
      });
      found.push(...page.items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined));
      next = page.continue;
    } while (next !== undefined && next !== '');
  } catch (error) {
    // The checks of the cluster report it.
    if (!hasCode(error, 'MR_API_NOT_FOUND')) throw error;
  }
  return found;
}
