import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Reader } from '#shared/kube/reader.ts';
import { createFunctionService, type FunctionService } from '../function/function-service.ts';
import type { ProcessItem } from '../function/process-item.ts';
import type { ServiceLimits } from '../http/service-limits.ts';
import { flowSubscription } from './flow-subscription.ts';

export interface ServedFunction {
  readonly url: string;
  readonly service: FunctionService;
  readonly registry: Registry;
  /** POSTs a due event for the JobFlow of this name. */
  send(name: string, init?: RequestInit): Promise<Response>;
}

const emptyCluster: Reader = {
  get: () => Promise.resolve(undefined),
  list: () => Promise.resolve([]),
  listByOwner: () => Promise.resolve([]),
  listByOwners: () => Promise.resolve([]),
};

/** flow-advance's HTTP service on a free loopback port, with `process` instead of deciding. */
export async function serveFunction(
  process: ProcessItem,
  limits: Partial<ServiceLimits> = {},
  reader: Reader = emptyCluster,
): Promise<ServedFunction> {
  const registry = new Registry();
  const service = await createFunctionService({
    subscription: flowSubscription,
    process,
    reader,
    logger: pino({ level: 'silent' }),
    registry,
    limits,
  });
  const url = await service.listen({ host: '127.0.0.1', port: 0 });
  const send = (name: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url, { method: 'POST', headers: dueHeaders(name), ...init });
  return { url, service, registry, send };
}

export function dueHeaders(name: string): Record<string, string> {
  return {
    'ce-specversion': '1.0',
    'ce-id': `id.${name}`,
    'ce-source': '/tests',
    'ce-type': 'dev.millrace.jobflow.due.v1',
    'ce-kind': 'JobFlow',
    'ce-apiversion': 'api.practice.com/v1alpha1',
    'ce-name': name,
    'ce-namespace': 'default',
    'ce-uid': `u-${name}`,
    'ce-causationid': 'u-job.7',
  };
}
