/** Checks what Millrace needs of every cluster: its kinds as this version defines them, and the right time. */
import { kinds } from '#functions/list.ts';
import { customResourceDefinition } from '#shared/api/custom-resource-definition.ts';
import type { KindDefinition } from '#shared/api/kind-definition.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { fieldsOf, listOf, textOf } from '#shared/domain/json-value.ts';
import { resources } from '#shared/domain/resources.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { examineNames } from './names.ts';
import { failure, type Finding, ok, type Patient, skipped } from './examination.ts';

/** Tolerated difference of the clocks, as in the alert MillraceClockOff, milliseconds. */
const toleratedMs = 30_000;

export async function examineCluster(patient: Patient): Promise<readonly Finding[]> {
  const definitions = patient.way === 'up' ? [] : await examineDefinitions(patient);
  const apiServer = ok('API server', 'answers');
  return [apiServer, ...definitions, await examineNames(kinds, patient), clockOf(patient)];
}

/** All correct definitions make one finding. */
async function examineDefinitions(patient: Patient): Promise<readonly Finding[]> {
  const findings = await Promise.all(kinds.map((kind) => definitionOf(kind, patient)));
  const bad = findings.filter(({ verdict }) => verdict !== 'ok');
  if (bad.length > 0) return bad;
  return [ok('kinds', `all ${kinds.length} are defined as ${packageJson.version} defines them`)];
}

/** A dry run shows whether applying this version's definition would change the existing one. */
async function definitionOf(kind: KindDefinition, patient: Patient): Promise<Finding> {
  const { CustomResourceDefinition } = resources;
  const definition = customResourceDefinition(kind);
  const about = definition.metadata.name;
  const where = { namespace: '', name: about };
  const next = `millrace crds | ${patient.cluster.kubectl} apply --server-side --force-conflicts -f -`;
  const found = await patient.client.get(CustomResourceDefinition, where);
  if (found === undefined) return failure(about, 'the kind is not defined', next);
  const fault = listOf(fieldsOf(found.status)['conditions'])
    .map(fieldsOf)
    .find(({ type, status }) => type === 'Established' && status !== 'True');
  if (fault !== undefined)
    return failure(about, `is not served: ${textOf(fault['message'])}`, next);
  try {
    const options = { type: 'apply', fieldManager: 'millrace-install', force: true } as const;
    const applied = await patient.client.patch(CustomResourceDefinition, where, definition, {
      ...{ ...options, dryRun: true },
    });
    return applied.metadata.generation === found.metadata.generation
      ? ok(about, 'is as this version defines it')
      : failure(about, `is not as ${packageJson.version} defines it`, next);
  } catch (error) {
    if (!hasCode(error, 'MR_API_FORBIDDEN')) throw error;
    return skipped(about, 'you may not patch it, so it was not compared with this version');
  }
}

function clockOf({ aheadMs }: Patient): Finding {
  const about = 'clock of this machine';
  const seconds = Math.round(aheadMs() / 1_000);
  if (Math.abs(aheadMs()) <= toleratedMs) {
    return ok(about, seconds === 0 ? 'agrees with the API server' : apart(seconds));
  }
  return failure(about, apart(seconds), 'timedatectl set-ntp true');
}

export function apart(seconds: number): string {
  return `is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the API server`;
}
