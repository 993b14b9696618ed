/**
 * The entrance to the sandbox: everything that other code may use. Start reading at `sandbox.ts`.
 */
export type { ApiCall, CallOptions } from './api/api-call.ts';
export { StatusError } from './apimachinery/status-error.ts';
export { kueueDefinitions } from './controllers/kueue/definitions.ts';
export { KueueController } from './controllers/kueue/kueue-controller.ts';
export { createNodes } from './controllers/node/create-nodes.ts';
export { newNode } from './controllers/node/node-object.ts';
export type { ContainerRuntime } from './controllers/pod/container-runtime.ts';
export { KubeletLogs } from './controllers/pod/pod-logs.ts';
export { SimulatedRuntime } from './controllers/pod/simulated-runtime.ts';
export { ProcessRuntime } from './controllers/process-runtime.ts';
export { startControllers } from './controllers/start-controllers.ts';
export { carriesToken, newToken, strangerFault, unauthorized } from './http/gate.ts';
export { kubeconfigFor, type SandboxAddress } from './http/kubeconfig.ts';
export { listen } from './http/listen.ts';
export { builtInTypes } from './registry/built-in-types.ts';
export { customTypes } from './registry/custom-types.ts';
export type { ResourceType } from './registry/resource-type.ts';
export { type Registration, unchecked } from './registry/type-registry.ts';
export { createSandbox, type Sandbox } from './sandbox.ts';
export type { ObjectStore, StoreEvent } from './store/object-store.ts';
export { readSnapshot, restore, type Snapshot, snapshotOf } from './store/snapshot.ts';
