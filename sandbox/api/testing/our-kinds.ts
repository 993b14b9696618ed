/** A sandbox that serves Millrace's kinds as defined in deploy/crds and deploy/policies. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '#shared/domain/objects.ts';
import { StatusError } from '../../apimachinery/status-error.ts';
import { Fixture } from './fixture.ts';

const deploy = join(import.meta.dirname, '../../../deploy');
const paths: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'customresourcedefinitions.apiextensions.k8s.io',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies.admissionregistration.k8s.io',
  ValidatingAdmissionPolicyBinding:
    'validatingadmissionpolicybindings.admissionregistration.k8s.io',
};

export function withOurKinds(): Fixture {
  const api = new Fixture();
  for (const manifest of [...manifestsIn('crds'), ...manifestsIn('policies')]) {
    api.create(paths[manifest['kind'] as string] ?? '', manifest);
  }
  return api;
}

function manifestsIn(folder: string): readonly JsonObject[] {
  const files = readdirSync(join(deploy, folder)).filter((file) => file.endsWith('.yaml'));
  return files.flatMap((file) =>
    parseAllDocuments(readFileSync(join(deploy, folder, file), 'utf8')).map(
      (document) => document.toJS() as JsonObject,
    ),
  );
}

/** The resource of an object of Millrace, as `jobflows.api.practice.com`. */
export function servedPath({ apiVersion, kind }: JsonObject): string {
  const [group = ''] = (apiVersion as string).split('/');
  const singular = (kind as string).toLowerCase();
  const plural = singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
  return `${plural}.${group}`;
}

/** The error that refused a call. Undefined if it was not refused. */
export function refusalOf(call: () => unknown): StatusError | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}
