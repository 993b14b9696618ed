/**
 * cluster-suspend-schedule alone: `npx node functions/cluster-suspend-schedule/main.ts`, `--help` lists its
 * settings.
 */
import { runFunction } from '#shared/runtime/function/run-function.ts';
import { clusterSuspendSchedule } from './function.ts';

await runFunction(clusterSuspendSchedule);
